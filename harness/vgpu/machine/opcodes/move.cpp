// Moving values and addresses: mov, cvta, isspacep, mapa, getctarank, and the registers that change while a warp runs.
#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/opcodes/lane_loops.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

struct Same {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

struct alignas(16) Bits128 {
  std::uint64_t low, high;
};

const Insn* copy_predicate(Warp& warp, const Insn* insn) {
  set_mask(mask_at(warp, insn->dst), guarded_lanes(warp, insn),
           mask_at(warp, insn->a) ^ static_cast<Mask>(insn->offset));
  VGPU_NEXT(warp, insn);
}

/// A variable in the lane's local memory: its place depends on how deep the function was called.
template <class T>
const Insn* local_address(Warp& warp, const Insn* insn) {
  const auto address = static_cast<T>(warp.frame->local_base + static_cast<std::uint64_t>(insn->offset));
  set_lanes(lanes_at<T>(warp, insn->dst), guarded_lanes(warp, insn), [=](int) { return address; });
  return insn + 1;
}

// --- registers that change ---

template <class T>
const Insn* read_clock(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const auto now = static_cast<T>(warp.read_clock(insn) >> insn->offset);
  set_lanes(lanes_at<T>(warp, insn->dst), lanes, [=](int) { return now; });
  return insn + 1;
}

template <class T>
const Insn* read_global_timer(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const std::uint64_t elapsed = warp.read_clock(insn) / Warp::kClocksOfNanosecond;
  const auto now = static_cast<T>((warp.block->launch().options().nanoseconds + elapsed) >> insn->offset);
  set_lanes(lanes_at<T>(warp, insn->dst), lanes, [=](int) { return now; });
  return insn + 1;
}

bool build_changing_register(Builder& b, const ptx::Operand& from) {
  const std::string_view name = from.name;
  const bool is_clock = name.substr(0, 6) == "%clock";
  const bool is_timer = name.substr(0, 12) == "%globaltimer";
  if (!is_clock && !is_timer) return false;
  b.insn.offset = name == "%clock_hi" || name == "%globaltimer_hi" ? 32 : 0;
  const bool wide = b.write_any(b.insn.dst, b.operand(0), SlotSize::k64) == SlotSize::k64;
  if (is_clock)
    b.emit(wide ? &read_clock<std::uint64_t> : &read_clock<std::uint32_t>);
  else
    b.emit(wide ? &read_global_timer<std::uint64_t> : &read_global_timer<std::uint32_t>);
  return true;
}

// --- packing and unpacking ---

/// mov.b32 d, {a, b}: parts side by side, lowest first. The list holds the parts.
template <class Whole, class Part>
const Insn* pack_parts(Warp& warp, const Insn* insn) {
  constexpr std::size_t kParts = sizeof(Whole) / sizeof(Part);
  const auto& parts = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
  alignas(64) Part all[kLanes * kParts];
  for (std::size_t p = 0; p < kParts; ++p) {
    const Part* from = lanes_at<Part>(warp, parts[p]);
    for (std::size_t lane = 0; lane < kLanes; ++lane) all[lane * kParts + p] = from[lane];
  }
  alignas(64) Whole whole[kLanes];
  std::memcpy(whole, all, sizeof whole);
  blend(lanes_at<Whole>(warp, insn->dst), whole, guarded_lanes(warp, insn));
  return insn + 1;
}

template <class Whole, class Part>
const Insn* unpack_parts(Warp& warp, const Insn* insn) {
  constexpr std::size_t kParts = sizeof(Whole) / sizeof(Part);
  const auto& parts = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
  const Mask lanes = guarded_lanes(warp, insn);
  alignas(64) Part all[kLanes * kParts];
  std::memcpy(all, lanes_at<Whole>(warp, insn->a), sizeof all);
  for (std::size_t p = 0; p < kParts; ++p)
    set_lanes(lanes_at<Part>(warp, parts[p]), lanes,
              [&](int lane) { return all[static_cast<std::size_t>(lane) * kParts + p]; });
  return insn + 1;
}

/// mov.b16 d, {a, b}: bytes, whose registers are as wide as those of 16 bits.
const Insn* pack_bytes(Warp& warp, const Insn* insn) {
  const auto& parts = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
  const std::uint16_t* low = lanes_at<std::uint16_t>(warp, parts[0]);
  const std::uint16_t* high = lanes_at<std::uint16_t>(warp, parts[1]);
  set_lanes(lanes_at<std::uint16_t>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return static_cast<std::uint16_t>((low[lane] & 0xFF) | high[lane] << 8); });
  return insn + 1;
}

const Insn* unpack_bytes(Warp& warp, const Insn* insn) {
  const auto& parts = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
  const Mask lanes = guarded_lanes(warp, insn);
  alignas(64) std::uint16_t whole[kLanes];
  std::memcpy(whole, lanes_at<std::uint16_t>(warp, insn->a), sizeof whole);
  for (std::size_t p = 0; p < 2; ++p)
    set_lanes(lanes_at<std::uint16_t>(warp, parts[p]), lanes,
              [&](int lane) { return static_cast<std::uint16_t>(whole[lane] >> 8 * p & 0xFF); });
  return insn + 1;
}

template <class Whole>
Handler packing(Builder& b, SlotSize part, std::size_t parts, bool unpack) {
  if constexpr (sizeof(Whole) == 4) {
    if (part == SlotSize::k16 && parts == 2)
      return unpack ? &unpack_parts<Whole, std::uint16_t> : &pack_parts<Whole, std::uint16_t>;
  } else if constexpr (sizeof(Whole) == 8) {
    if (part == SlotSize::k32 && parts == 2)
      return unpack ? &unpack_parts<Whole, std::uint32_t> : &pack_parts<Whole, std::uint32_t>;
    if (part == SlotSize::k16 && parts == 4)
      return unpack ? &unpack_parts<Whole, std::uint16_t> : &pack_parts<Whole, std::uint16_t>;
  } else {
    if (part == SlotSize::k64 && parts == 2)
      return unpack ? &unpack_parts<Whole, std::uint64_t> : &pack_parts<Whole, std::uint64_t>;
    if (part == SlotSize::k32 && parts == 4)
      return unpack ? &unpack_parts<Whole, std::uint32_t> : &pack_parts<Whole, std::uint32_t>;
  }
  b.refuse(b.spelled() + " of a vector of this shape");
}

void build_pack(Builder& b, SlotSize whole, const ptx::Operand& vector, bool unpack) {
  const std::size_t count = vector.elements.size();
  if (count == 0 || whole == SlotSize::kMask || (whole == SlotSize::k16 && count != 2))
    b.refuse(b.spelled() + " of a vector of this shape");
  // Sinks take the size their share of the whole has.
  const std::size_t part_bytes = bytes_of(whole) / kLanes / count;
  const SlotSize natural = part_bytes == 8 ? SlotSize::k64 : part_bytes == 4 ? SlotSize::k32 : SlotSize::k16;
  std::vector<std::uint32_t>& list = b.operand_list(count);
  for (std::size_t p = 0; p < count; ++p) {
    if (unpack)
      b.write(list[p], vector.elements[p], natural);
    else
      b.read(list[p], vector.elements[p], natural);
  }
  b.insn.extra = &list;
  if (unpack)
    b.read(b.insn.a, b.operand(1), whole);
  else
    b.write(b.insn.dst, b.operand(0), whole);
  switch (whole) {
    case SlotSize::k16:
      return b.emit(unpack ? &unpack_bytes : &pack_bytes);
    case SlotSize::k32:
      return b.emit(packing<std::uint32_t>(b, natural, count, unpack));
    case SlotSize::k64:
      return b.emit(packing<std::uint64_t>(b, natural, count, unpack));
    default:
      return b.emit(packing<Bits128>(b, natural, count, unpack));
  }
}

// --- mov ---

Handler copy_handler(Builder& b, SlotSize size) {
  switch (size) {
    case SlotSize::k16:
      return &unary<Same, std::uint16_t, std::uint16_t>;
    case SlotSize::k32:
      return &unary<Same, std::uint32_t, std::uint32_t>;
    case SlotSize::k64:
      return &unary<Same, std::uint64_t, std::uint64_t>;
    case SlotSize::k128:
      return &unary<Same, Bits128, Bits128>;
    default:
      b.refuse(b.spelled());
  }
}

void build_address(Builder& b, const ptx::Operand& from) {
  const Builder::Symbol symbol = b.symbol(from);
  const SlotSize size = b.write_any(b.insn.dst, b.operand(0), SlotSize::k64);
  if (size != SlotSize::k32 && size != SlotSize::k64) b.refuse("an address in a register of another size");
  if (symbol.kind == Builder::Symbol::Kind::kLocal) {
    b.insn.offset = static_cast<std::int64_t>(symbol.value);
    b.emit(size == SlotSize::k32 ? &local_address<std::uint32_t> : &local_address<std::uint64_t>);
    return;
  }
  b.constant(b.insn.a, symbol.value, size);
  b.emit(copy_handler(b, size));
}

void build_mov(Builder& b) {
  const ptx::Type type = b.take_type();
  const ptx::Operand& to = b.operand(0);
  const ptx::Operand& from = b.operand(1);
  if (from.kind == ptx::Operand::Kind::kSpecial && build_changing_register(b, from)) return;
  if (from.kind == ptx::Operand::Kind::kVector) return build_pack(b, slot_for(type), from, false);
  if (to.kind == ptx::Operand::Kind::kVector) return build_pack(b, slot_for(type), to, true);
  if (type == ptx::Type::kPred) {
    Mask flip;
    b.write(b.insn.dst, to, SlotSize::kMask);
    b.read_predicate(b.insn.a, flip, from);
    b.insn.offset = flip;
    return b.emit(&copy_predicate);
  }
  if (from.kind == ptx::Operand::Kind::kSymbol) return build_address(b, from);
  const SlotSize size = slot_for(type);
  b.write(b.insn.dst, to, size);
  const SlotSize found = b.read_any(b.insn.a, from, size);
  if (found == SlotSize::k64 && size == SlotSize::k32 && from.kind == ptx::Operand::Kind::kSpecial)
    b.refuse(b.spelled());
  if (found != size) {  // mov.u64 d, %tid.x widens a special register
    if (found != SlotSize::k32 || size != SlotSize::k64 || from.kind != ptx::Operand::Kind::kSpecial)
      b.refuse(b.spelled() + " with a register of another size");
    return b.emit(&unary<Same, std::uint64_t, std::uint32_t>);
  }
  b.emit(copy_handler(b, size));
}

// --- address spaces ---

std::uint64_t window_of(Builder& b, ptx::Space space) {
  switch (space) {
    case ptx::Space::kShared:
      return kSharedWindow;
    case ptx::Space::kLocal:
      return kLocalWindow;
    case ptx::Space::kParam:
      return kParameterWindow;
    case ptx::Space::kGlobal:
    case ptx::Space::kConst:
      return 0;  // the same addresses
    default:
      b.refuse(b.spelled());
  }
}

struct AddWindow {
  static std::uint64_t apply(std::uint64_t a, std::uint64_t window) { return a + window; }
};

/// The generic address of a constant, whose address may have come from a register of 32 bits.
struct WidenConstant {
  static std::uint64_t apply(std::uint64_t a, std::uint64_t first) {
    return a >> 32 != 0 ? a : first + static_cast<std::uint32_t>(a - first);
  }
};

void build_cvta(Builder& b) {
  const bool from_generic = b.take("to");
  const ptx::Space space = b.take_space();
  const std::uint64_t window = window_of(b, space);
  if (b.take_type() != ptx::Type::kU64) b.refuse(b.spelled());
  const ptx::Operand& from = b.operand(1);
  if (from.kind == ptx::Operand::Kind::kSymbol) {
    const Builder::Symbol symbol = b.symbol(from);
    if (symbol.kind == Builder::Symbol::Kind::kLocal) b.refuse(b.spelled() + " of a name in local memory");
    b.constant(b.insn.a, symbol.value, SlotSize::k64);
  } else {
    b.read(b.insn.a, from, SlotSize::k64);
  }
  b.write(b.insn.dst, b.operand(0), SlotSize::k64);
  if (space == ptx::Space::kConst && !from_generic) {
    b.constant(b.insn.b, b.constants(), SlotSize::k64);
    return b.emit(&binary<WidenConstant, std::uint64_t, std::uint64_t>);
  }
  b.constant(b.insn.b, from_generic ? 0 - window : window, SlotSize::k64);
  b.emit(&binary<AddWindow, std::uint64_t, std::uint64_t>);
}

/// isspacep p, a: whether a generic address lies in [offset, offset + window); global is what lies in no window.
template <bool Global>
const Insn* is_in_space(Warp& warp, const Insn* insn) {
  const std::uint64_t* a = lanes_at<std::uint64_t>(warp, insn->a);
  alignas(64) std::uint32_t flags[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t address = a[lane];
    flags[lane] = Global ? !(address - kSharedWindow < kWindowBytes || address - kLocalWindow < kWindowBytes ||
                             address - kParameterWindow < kWindowBytes)
                         : address - static_cast<std::uint64_t>(insn->offset) < kWindowBytes;
  }
  set_mask(mask_at(warp, insn->dst), guarded_lanes(warp, insn), pack(flags));
  return insn + 1;
}

/// Whether a generic address lies in shared memory of the block itself.
const Insn* is_in_own_shared(Warp& warp, const Insn* insn) {
  const std::uint64_t* a = lanes_at<std::uint64_t>(warp, insn->a);
  const std::uint64_t own = kSharedWindow + (warp.block->cluster_rank() + 1) * kRankBytes;
  alignas(64) std::uint32_t flags[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    flags[lane] = a[lane] - kSharedWindow < kRankBytes || a[lane] - own < kRankBytes;
  set_mask(mask_at(warp, insn->dst), guarded_lanes(warp, insn), pack(flags));
  return insn + 1;
}

void build_isspacep(Builder& b) {
  const bool is_own_shared = !ptx::has_modifier(b.instruction(), "shared::cluster");
  const ptx::Space space = b.take_space();
  if (space == ptx::Space::kConst) b.refuse(b.spelled());  // constants share the global addresses: no honest answer
  const std::uint64_t window = window_of(b, space);
  b.write(b.insn.dst, b.operand(0), SlotSize::kMask);
  b.read(b.insn.a, b.operand(1), SlotSize::k64);
  b.insn.offset = static_cast<std::int64_t>(window);
  if (space == ptx::Space::kShared && is_own_shared) return b.emit(&is_in_own_shared);
  b.emit(space == ptx::Space::kGlobal ? &is_in_space<true> : &is_in_space<false>);
}

/// mapa d, a, rank: the address at which the cluster's block with this rank has what `a` means. `b` holds the rank.
/// offset: the window that addresses lie in.
template <class A>
const Insn* map_address(Warp& warp, const Insn* insn) {
  const A* a = lanes_at<A>(warp, insn->a);
  const std::uint32_t* ranks = lanes_at<std::uint32_t>(warp, insn->b);
  const auto window = static_cast<std::uint64_t>(insn->offset);
  set_lanes(lanes_at<A>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    const std::uint64_t rank = ranks[lane] < kNoRank ? ranks[lane] : kNoRank;
    return static_cast<A>(window + (rank + 1) * kRankBytes + (a[lane] - window) % kRankBytes);
  });
  return insn + 1;
}

/// getctarank d, a: the rank of the block that `a` lies in.
template <class A>
const Insn* rank_of_address(Warp& warp, const Insn* insn) {
  const A* a = lanes_at<A>(warp, insn->a);
  const auto window = static_cast<std::uint64_t>(insn->offset);
  const std::uint32_t own = warp.block->cluster_rank();
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    const std::uint64_t part = (a[lane] - window) / kRankBytes;
    return part == 0 ? own : static_cast<std::uint32_t>(part - 1);
  });
  return insn + 1;
}

/// The operand that is an address, a register or a variable's name; gives how wide addresses are.
SlotSize read_cluster_address(Builder& b) {
  const bool is_shared = b.take("shared::cluster");
  const SlotSize size = slot_for(b.take_type());
  if (size != SlotSize::k64 && (size != SlotSize::k32 || !is_shared)) b.refuse(b.spelled());
  const std::uint64_t window = is_shared ? 0 : kSharedWindow;
  b.insn.offset = static_cast<std::int64_t>(window);
  const ptx::Operand& address = b.operand(1);
  if (address.kind == ptx::Operand::Kind::kSymbol) {
    const Builder::Symbol symbol = b.symbol(address);
    if (symbol.kind != Builder::Symbol::Kind::kShared) b.refuse(b.spelled() + " of a name outside of shared memory");
    b.constant(b.insn.a, window + symbol.value, size);
  } else {
    b.read(b.insn.a, address, size);
  }
  return size;
}

void build_mapa(Builder& b) {
  const SlotSize size = read_cluster_address(b);
  b.read(b.insn.b, b.operand(2), SlotSize::k32);
  b.write(b.insn.dst, b.operand(0), size);
  b.emit(size == SlotSize::k64 ? &map_address<std::uint64_t> : &map_address<std::uint32_t>);
}

void build_getctarank(Builder& b) {
  const SlotSize size = read_cluster_address(b);
  b.write(b.insn.dst, b.operand(0), SlotSize::k32);
  b.emit(size == SlotSize::k64 ? &rank_of_address<std::uint64_t> : &rank_of_address<std::uint32_t>);
}

constexpr OpcodeRow kRows[] = {
    {"mov", &build_mov},
    {"cvta", &build_cvta},
    {"isspacep", &build_isspacep},
    {"mapa", &build_mapa},
    {"getctarank", &build_getctarank},
};

}  // namespace

const OpcodeTable VGPU_ROWS(move) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
