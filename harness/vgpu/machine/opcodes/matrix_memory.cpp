// Matrices between memory and the registers of a warp: ldmatrix, stmatrix, and the loads and stores of wmma. movmatrix
// transposes one in registers.
#include "harness/vgpu/machine/matrix_fragments.h"
#include "harness/vgpu/machine/opcodes/access.h"
#include "harness/vgpu/machine/opcodes/matrix.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

constexpr auto kShared = ptx::Space::kShared, kGlobal = ptx::Space::kGlobal;

/// Like reach(), of a part of what an instruction accesses.
template <ptx::Space S, class A>
Reach reach_part(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, Mask lanes, std::uint32_t part,
                 LaneAddresses<A>& addresses) {
  if constexpr (sizeof(A) == 4) bring_home(warp, addresses);
  if (warp.observer != nullptr) {
    MemoryAccess access = event_of(warp, insn, S, kind, bytes, lanes, addresses);
    access.part = part;
    lanes = warp.observer->access(access);
    if (lanes == 0) return {nullptr, 0, {}, false};
    stand_in(addresses, lanes);
  }
  return reach<S, false>(warp, insn, kind, bytes, lanes, addresses);
}

/// The shared address that a generic one stands for; one that no block has if it stands for none.
std::uint32_t shared_address(std::uint64_t address) {
  return address - kSharedWindow < kWindowBytes ? static_cast<std::uint32_t>(address) : ~std::uint32_t{15};
}

// --- ldmatrix, stmatrix: each of the first lanes, 8 a matrix, gives the address of a row ---

constexpr std::uint32_t kRowBytes = 16, kRowsOfMatrix = 8;

/// a: addresses; b: not 0 if they are generic.
LaneAddresses<std::uint32_t> row_addresses(Warp& warp, const Insn* insn, Mask lanes) {
  LaneAddresses<std::uint32_t> rows;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (insn->b != 0)
      rows.at[lane] =
          shared_address(lanes_at<std::uint64_t>(warp, insn->a)[lane] + static_cast<std::uint64_t>(insn->offset));
    else
      rows.at[lane] = lanes_at<std::uint32_t>(warp, insn->a)[lane] + static_cast<std::uint32_t>(insn->offset);
  }
  stand_in(rows, lanes);
  return rows;
}

Mask lanes_with_rows(const MatrixOperation& operation) {
  return first_lanes(static_cast<std::uint32_t>(operation.d_slots.size()) * kRowsOfMatrix);
}

const Insn* load_matrices(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  if (lanes != kAllLanes) return lanes_are_missing(warp, insn, lanes);
  const MatrixOperation& operation = matrix_operation_of(insn);
  const Mask with_rows = lanes_with_rows(operation);
  LaneAddresses<std::uint32_t> addresses = row_addresses(warp, insn, with_rows);
  const Reach from = reach_part<kShared>(warp, insn, AccessKind::kLoad, kRowBytes, with_rows, 0, addresses);
  if (from.faulted) return nullptr;
  MatrixRows rows{};
  each_lane(from.lanes, [&](int lane) {
    std::memcpy(rows[static_cast<std::size_t>(lane)].data(), from.base + addresses.at[lane], kRowBytes);
  });
  for (std::uint32_t n = 0; n < operation.d_slots.size(); ++n)
    spread_rows(rows, n, operation.is_transposed, lanes_at<std::uint32_t>(warp, operation.d_slots[n]));
  return insn + 1;
}

const Insn* store_matrices(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  if (lanes != kAllLanes) return lanes_are_missing(warp, insn, lanes);
  const MatrixOperation& operation = matrix_operation_of(insn);
  const Mask with_rows = lanes_with_rows(operation);
  LaneAddresses<std::uint32_t> addresses = row_addresses(warp, insn, with_rows);
  const Reach to = reach_part<kShared>(warp, insn, AccessKind::kStore, kRowBytes, with_rows, 0, addresses);
  if (to.faulted) return nullptr;
  MatrixRows rows{};
  for (std::uint32_t n = 0; n < operation.d_slots.size(); ++n)
    collect_rows(lanes_at<std::uint32_t>(warp, operation.d_slots[n]), n, operation.is_transposed, rows);
  each_lane(to.lanes, [&](int lane) {
    std::memcpy(to.base + addresses.at[lane], rows[static_cast<std::size_t>(lane)].data(), kRowBytes);
  });
  return insn + 1;
}

/// a: addresses, of 32 or 64 bits; offset.
SlotSize read_base(Builder& b, const ptx::Operand& address) {
  if (address.kind != ptx::Operand::Kind::kAddress) b.refuse(b.spelled() + " without an address");
  const ptx::Operand& base = address.elements.at(0);
  b.insn.offset = address.offset;
  if (base.kind != ptx::Operand::Kind::kSymbol) {
    const SlotSize size = b.read_any(b.insn.a, base, SlotSize::k64);
    if (size != SlotSize::k32 && size != SlotSize::k64) b.refuse(b.spelled() + " with an address of another size");
    return size;
  }
  const Builder::Symbol symbol = b.symbol(base);
  if (symbol.kind != Builder::Symbol::Kind::kShared && symbol.kind != Builder::Symbol::Kind::kAddress)
    b.refuse(b.spelled() + " of " + std::string(base.name));
  const SlotSize size = symbol.kind == Builder::Symbol::Kind::kShared ? SlotSize::k32 : SlotSize::k64;
  b.constant(b.insn.a, symbol.value, size);
  return size;
}

template <bool Loading>
void build_rows(Builder& b) {
  refuse_other_operands(b, 2, 2);
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  b.take("aligned");
  if (!b.take("m8n8") || !b.take("b16")) b.refuse(b.spelled());
  const int count = b.take_one_of({"x1", "x2", "x4"});
  if (count < 0) b.refuse(b.spelled());
  MatrixOperation& operation = new_operation(b);
  operation.is_transposed = b.take("trans");
  const ptx::Space space = b.take_space();
  if (space != kShared && space != ptx::Space::kGeneric) b.refuse(b.spelled());
  operation.d.registers = 1u << count;
  emit_meeting(b, operation);
  take_fragment<!Loading>(b, b.operand(Loading ? 0 : 1), operation.d, operation.d_slots);
  const SlotSize size = read_base(b, b.operand(Loading ? 1 : 0));
  // In the shared space, 64 bits hold an address of 32.
  if (size == SlotSize::k64 && space == kShared) b.refuse(b.spelled() + " with an address of 64 bits");
  b.insn.b = size == SlotSize::k64 ? 1 : 0;
  b.insn.extra = &operation;
  b.emit(Loading ? &load_matrices : &store_matrices);
}

// --- movmatrix ---

const Insn* transpose_matrix(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  if (lanes != kAllLanes) return lanes_are_missing(warp, insn, lanes);
  transpose_rows(lanes_at<std::uint32_t>(warp, insn->a), lanes_at<std::uint32_t>(warp, insn->dst));
  return insn + 1;
}

void build_transpose(Builder& b) {
  refuse_other_operands(b, 2, 2);
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  b.take("aligned");
  if (!b.take("m8n8") || !b.take("trans") || !b.take("b16")) b.refuse(b.spelled());
  const MatrixOperation& operation = new_operation(b);
  emit_meeting(b, operation);
  b.write(b.insn.dst, b.operand(0), SlotSize::k32);
  b.read(b.insn.a, b.operand(1), SlotSize::k32);
  b.emit(&transpose_matrix);
}

// --- the fragments of wmma ---

/// Where a lane's element lies from the matrix's first, in elements.
std::uint64_t distance(const MatrixOperation& operation, std::uint32_t lane, std::uint32_t element,
                       std::uint64_t stride) {
  const Fragment& f = operation.d;
  const std::uint32_t place = f.place(element / f.per_register(), lane, element % f.per_register());
  const std::uint64_t line = place / f.columns, along = place % f.columns;
  return operation.goes_down ? along * stride + line : line * stride + along;
}

/// One after the other, the accesses of a fragment. a: the address of its first element, b: the distance between lines
/// in elements.
template <ptx::Space S, bool Loading>
bool access_fragment(Warp& warp, const Insn* insn, const MatrixOperation& operation) {
  const Fragment& f = operation.d;
  const std::uint32_t element_bytes = f.bits / 8, register_bytes = f.register_bits / 8;
  std::uint32_t stride[kLanes];  // a copy: it may be among the registers that are loaded
  std::memcpy(stride, lanes_at<std::uint32_t>(warp, insn->b), sizeof stride);
  LaneAddresses<std::uint64_t> base;
  const bool is_narrow = insn->more[0] != 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    base.at[lane] =
        is_narrow ? lanes_at<std::uint32_t>(warp, insn->a)[lane] : lanes_at<std::uint64_t>(warp, insn->a)[lane];
    base.at[lane] += static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(insn->more[1])));
    if (S == kShared && !is_narrow) base.at[lane] = shared_address(base.at[lane]);
  }
  for (const FragmentAccess& access : operation.accesses) {
    LaneAddresses<std::uint64_t> addresses;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      addresses.at[lane] = base.at[lane] + distance(operation, lane, access.first, stride[lane]) * element_bytes;
    const std::uint32_t bytes = access.count * element_bytes;
    const Reach at = reach_part<S>(warp, insn, Loading ? AccessKind::kLoad : AccessKind::kStore, bytes, kAllLanes,
                                   access.first, addresses);
    if (at.faulted) return false;
    for (std::uint32_t done = 0; done < bytes;) {  // register after register
      const std::uint32_t from = access.first * element_bytes + done, in_register = from % register_bytes;
      const std::uint32_t here = std::min(bytes - done, register_bytes - in_register);
      std::byte* const reg = warp.registers + operation.d_slots[from / register_bytes] + in_register;
      if (Loading) each_lane(~at.lanes, [&](int lane) { std::memset(reg + lane * register_bytes, 0, here); });
      each_lane(at.lanes, [&](int lane) {
        std::byte* const memory = at.base + addresses.at[lane] + done;
        std::memcpy(Loading ? reg + lane * register_bytes : memory, Loading ? memory : reg + lane * register_bytes,
                    here);
      });
      done += here;
    }
  }
  if (!Loading || f.distinct == 0) return true;
  for (std::uint32_t r = f.distinct; r < f.registers; ++r)
    std::memcpy(warp.registers + operation.d_slots[r], warp.registers + operation.d_slots[r % f.distinct],
                std::size_t{register_bytes} * kLanes);
  return true;
}

template <bool Loading>
const Insn* move_fragment(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  if (lanes != kAllLanes) return lanes_are_missing(warp, insn, lanes);
  const MatrixOperation& operation = matrix_operation_of(insn);
  bool is_shared = operation.space == kShared;
  if (operation.space == ptx::Space::kGeneric)
    is_shared = lanes_at<std::uint64_t>(warp, insn->a)[0] - kSharedWindow < kWindowBytes;
  const bool done = is_shared ? access_fragment<kShared, Loading>(warp, insn, operation)
                              : access_fragment<kGlobal, Loading>(warp, insn, operation);
  return done ? insn + 1 : nullptr;
}

/// Elements as A, B or C of a product with this shape have them.
void choose_fragment(Builder& b, MatrixOperation& operation, int which, MatrixType type, bool is_row) {
  MatrixProduct& p = operation.product;
  using T = MatrixType;
  const bool is_square = (p.m == 16 && p.n == 16) || (p.m == 32 && p.n == 8) || (p.m == 8 && p.n == 32);
  const bool is_eight = p.m == 8 && p.n == 8;
  bool exists = false;
  if (which == 2)
    exists = type == T::kF64 ? is_eight && p.k == 4
             : type == T::kF32 || type == T::kF16 || type == T::kS32
                 ? (is_square && p.k == 16) || (type == T::kF32 && p.m == 16 && p.n == 16 && p.k == 8) ||
                       (type == T::kS32 && is_eight && (p.k == 32 || p.k == 128))
                 : false;
  else if (type == T::kTF32)
    exists = p.m == 16 && p.n == 16 && p.k == 8;
  else if (type == T::kF64)
    exists = is_eight && p.k == 4;
  else
    exists = (type == T::kF16 || type == T::kBF16 || type == T::kS8 || type == T::kU8) && is_square && p.k == 16;
  if (!exists) b.refuse(b.spelled());
  p.a = p.b = type;
  p.c = p.d = type;
  operation.d = which == 0 ? fragment_of_a(p) : which == 1 ? fragment_of_b(p) : fragment_of_sums(p, type);
  if (which < 2 && type == T::kF16) repeat_registers(operation.d, 8);
  operation.goes_down = which == 1 ? is_row : !is_row;  // B's lines are its columns
  operation.accesses = accesses_of(operation.d, operation.goes_down);
}

template <bool Loading>
void build_fragment(Builder& b) {
  refuse_other_operands(b, 2, 3);
  if (!b.take("sync")) b.refuse(b.spelled() + " without .sync");
  b.take("aligned");
  MatrixOperation& operation = new_operation(b);
  const int which = b.take_one_of({"a", "b", Loading ? "c" : "d"});
  const bool is_row = b.take("row");
  if (which < 0 || (which < 2 && !Loading) || is_row == b.take("col")) b.refuse(b.spelled());
  take_shape(b, operation.product);
  operation.space = b.take_space();
  if (operation.space != kShared && operation.space != kGlobal && operation.space != ptx::Space::kGeneric)
    b.refuse(b.spelled());
  const std::vector<MatrixType> types = take_matrix_types(b);
  if (types.size() != 1) b.refuse(b.spelled());
  choose_fragment(b, operation, which, types[0], is_row);
  emit_meeting(b, operation);
  take_fragment<!Loading>(b, b.operand(Loading ? 0 : 1), operation.d, operation.d_slots);
  const ptx::Operand& address = b.operand(Loading ? 1 : 0);
  const bool is_narrow = read_base(b, address) == SlotSize::k32;
  if (is_narrow && operation.space != kShared) {
    if (operation.space == kGlobal) b.refuse(b.spelled() + " with an address of another size");
    operation.space = kShared;  // a name
  }
  if (address.offset != static_cast<std::int32_t>(address.offset)) b.refuse(b.spelled() + " so far from its base");
  b.insn.more[0] = is_narrow ? 1 : 0;
  b.insn.more[1] = static_cast<std::uint32_t>(address.offset);
  if (b.operand_count() > 2) {
    b.read(b.insn.b, b.operand(2), SlotSize::k32);
  } else {  // lines without a gap
    const Fragment& f = operation.d;
    b.constant(b.insn.b, operation.goes_down ? f.rows : f.columns, SlotSize::k32);
  }
  b.insn.extra = &operation;
  b.emit(&move_fragment<Loading>);
}

constexpr OpcodeRow kRows[] = {
    {"ldmatrix", &build_rows<true>},
    {"stmatrix", &build_rows<false>},
    {"movmatrix", &build_transpose},
};

}  // namespace

void build_fragment_load(Builder& b) { build_fragment<true>(b); }
void build_fragment_store(Builder& b) { build_fragment<false>(b); }

const OpcodeTable VGPU_ROWS(matrix_memory) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
