// Boxes of tensors between global and shared memory: cp.async.bulk.tensor, in tiles. They are copied at once, as bulk
// copies are. Where an H200 does otherwise than the PTX manual leads one to expect, this does as it does: a box begins
// at a multiple of 16 bytes of a row; one that is stored does not begin before the row, and is written in whole chunks
// of 16 bytes, beyond the row's end if need be.
#include <algorithm>
#include <array>

#include "harness/vgpu/machine/opcodes/access.h"
#include "harness/vgpu/machine/opcodes/async_copy.h"
#include "harness/vgpu/machine/opcodes/tables.h"
#include "harness/vgpu/machine/tensor_map.h"

namespace vgpu {
namespace {

constexpr std::uint32_t kSharedAlignment = 128, kMapAlignment = 64;
constexpr std::uint32_t kFirstParameter = 0x210;  ///< where an H200's constant bank has a kernel's parameters, at least
constexpr std::uint16_t kNanFill = 0x7FF7;        // whatever the type, in each of its halfwords
constexpr std::uint32_t kNanOfTf32 = 0x7FFFE000;

/// Operands in Insn::extra: the coordinates, then the blocks that receive the box if it is for several.
const std::vector<std::uint32_t>& list_of_box(const Insn* insn) {
  return *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
}

/// One lane's copy: what it says, and that it can be.
struct BoxCopy {
  TensorMap map;
  std::array<std::int64_t, TensorMap::kMostDimensions> first{};  ///< coordinates of the box
  std::uint64_t rows = 1;
};

/// Whether a map at this address is as aligned as it must be. Parameters begin in the constant bank where the most
/// aligned one of them can, so a map among less aligned ones need not be, whatever its offset.
bool is_aligned_map(const Warp& warp, std::uint64_t address) {
  if (address - kParameterWindow >= kWindowBytes) return address % kMapAlignment == 0;
  std::uint32_t most = 1;
  for (const ptx::Parameter& parameter : warp.block->launch().kernel().function().parameters)
    most = std::max(most, parameter.align);
  const std::uint32_t begin = (kFirstParameter + most - 1) / most * most;
  return (begin + address - kParameterWindow) % kMapAlignment == 0;
}

bool read_map(Warp& warp, const Insn* insn, int lane, TensorMap& map) {
  constexpr std::uint32_t kBytes = 128;
  const std::uint64_t address = lanes_at<std::uint64_t>(warp, insn->a)[lane];
  if (address - kSharedWindow < kWindowBytes || address - kLocalWindow < kWindowBytes)
    return warp.fault(insn, FaultKind::kIllegalAddress, lane, "a tensor map in shared or local memory"), false;
  if (!is_aligned_map(warp, address))
    return warp.fault(insn, FaultKind::kMisalignedAddress, lane,
                      "a tensor map at an address that is not a multiple of 64: declare it as a CUtensorMap, which "
                      "has that alignment, or use alignas(64)"),
           false;
  std::array<std::byte, kBytes> bytes;
  if (address - kParameterWindow < kWindowBytes) {
    const std::size_t size = warp.block->launch().parameters().size();
    if (size < kBytes || address - kParameterWindow > size - kBytes)
      return warp.fault(insn, FaultKind::kIllegalAddress, lane, "a read outside the kernel's parameters"), false;
    std::memcpy(bytes.data(), warp.parameters + (address - kParameterWindow), kBytes);
  } else {
    for (std::uint32_t done = 0; done < kBytes; done += kBulkGrain) {
      LaneAddresses<std::uint64_t> at;
      const Reach from = reach_piece<ptx::Space::kGlobal, false>(warp, insn, AccessKind::kLoad, kBulkGrain, lane,
                                                                 address + done, 0, at);
      if (from.faulted) return false;
      std::memcpy(bytes.data() + done, from.base + at.at[lane], kBulkGrain);
    }
  }
  std::memcpy(static_cast<void*>(&map), bytes.data(), sizeof map);
  return true;
}

/// Why a GPU would stop here, and how; no sentence if it would not.
std::pair<FaultKind, std::string> misuse(const BoxCopy& copy, std::uint32_t dimensions, std::uint32_t shared,
                                         bool stores) {
  const TensorMap& map = copy.map;
  if (!map.is_sound())
    return {FaultKind::kIllegalInstruction,
            "a copy by a tensor map that is none: cuTensorMapEncodeTiled makes them, and they are passed by value, as "
            "const __grid_constant__ CUtensorMap, or by a pointer to global or constant memory"};
  if (map.dimensions != dimensions)
    return {FaultKind::kIllegalInstruction, "a copy with " + std::to_string(dimensions) +
                                                " coordinates by a tensor map of " + std::to_string(map.dimensions) +
                                                " dimensions"};
  if (copy.first[0] * map.element_bytes % kBulkGrain != 0)
    return {FaultKind::kIllegalInstruction, "a box that begins at element " + std::to_string(copy.first[0]) +
                                                " of its row: with elements of " + std::to_string(map.element_bytes) +
                                                " bytes, that must be a multiple of " +
                                                std::to_string(kBulkGrain / map.element_bytes)};
  if (stores && copy.first[0] < 0)
    return {FaultKind::kIllegalInstruction,
            "a box that is stored from element " + std::to_string(copy.first[0]) + " of its row on: before the row"};
  if (shared % kSharedAlignment != 0)
    return {FaultKind::kMisalignedAddress, "a box of a tensor at a shared address that is no multiple of 128"};
  if (copy.rows * map.pitch() > kMostBulkBytes)
    return {FaultKind::kIllegalAddress, "a box of a tensor that is larger than any block's shared memory"};
  return {};
}

/// Where chunk n of 16 bytes of a row lies in shared memory, where the row begins at `begin`: rows, which begin at
/// multiples of their pitch, lie within 128 bytes if they are swizzled.
std::uint32_t place_of(const TensorMap& map, std::uint32_t begin, std::uint32_t chunk) {
  return begin + (chunk ^ (begin >> 7 & ((1U << map.swizzle) - 1))) * kBulkGrain;
}

void round_to_tf32(std::byte* value) {
  std::uint32_t bits;
  std::memcpy(&bits, value, sizeof bits);
  bits = (bits & 0x7FFFFFFF) > 0x7F800000 ? kNanOfTf32 : (bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFFU;
  std::memcpy(value, &bits, sizeof bits);
}

/// A row of a box, as far as it lies inside of the tensor: bytes [begin, end) of the box's row, at `global` + these.
struct Row {
  std::uint64_t global;
  std::uint32_t begin, end;
};

/// `number` counts rows with the innermost dimension but one fastest.
Row row_of(const BoxCopy& copy, std::uint32_t number) {
  const TensorMap& map = copy.map;
  const auto bytes = static_cast<std::int64_t>(map.element_bytes), length = static_cast<std::int64_t>(map.length[0]);
  std::uint64_t global = map.address + static_cast<std::uint64_t>(copy.first[0] * bytes);
  bool is_inside = true;
  for (std::uint32_t d = 1; d < map.dimensions; ++d) {
    const std::uint32_t along = map.rows_along(d);
    const std::int64_t at = copy.first[d] + static_cast<std::int64_t>(number % along) * map.step[d];
    number /= along;
    is_inside = is_inside && at >= 0 && at < static_cast<std::int64_t>(map.length[d]);
    global += static_cast<std::uint64_t>(at) * map.stride[d - 1];
  }
  const std::int64_t row = map.row_bytes();
  const auto clamped = [&](std::int64_t at) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(at, 0, row));
  };
  if (!is_inside) return {global, 0, 0};
  return {global, clamped(-copy.first[0] * bytes), clamped((length - copy.first[0]) * bytes)};
}

using Chunk = std::array<std::byte, kBulkGrain>;

Chunk filled(const TensorMap& map) {
  const std::uint16_t value = map.fills_with_nan != 0 ? kNanFill : 0;
  Chunk chunk;
  for (std::size_t at = 0; at < chunk.size(); at += sizeof value) std::memcpy(&chunk[at], &value, sizeof value);
  return chunk;
}

/// Reads a chunk, `at` bytes into a row, as far as it is inside: at once, or element by element.
template <bool Watched>
bool read_chunk(Warp& warp, const Insn* insn, int lane, const TensorMap& map, const Row& row, std::uint32_t at,
                Chunk& chunk) {
  const std::uint32_t end = std::min(row.end, at + kBulkGrain);
  const std::uint32_t piece = end == at + kBulkGrain ? kBulkGrain : map.element_bytes;
  for (std::uint32_t from = at; from < end; from += piece) {
    LaneAddresses<std::uint64_t> addresses;
    const Reach reached =
        reach_piece<ptx::Space::kGlobal, Watched>(warp, insn, AccessKind::kLoad, piece, lane, row.global + from,
                                                  from == row.begin ? row.end - row.begin : 0, addresses, from - at);
    if (reached.faulted) return false;
    std::byte* const to = &chunk[from - at];
    if (reached.lanes != 0) std::memcpy(to, reached.base + addresses.at[lane], piece);
    if (map.rounds_to_tf32 == 0) continue;
    for (std::uint32_t n = 0; n < piece; n += sizeof(float)) round_to_tf32(to + n);
  }
  return true;
}

template <bool Watched>
bool write_chunk(Warp& warp, const Insn* insn, int lane, std::uint32_t address, const Chunk& chunk) {
  LaneAddresses<std::uint64_t> addresses;
  const Reach reached = reach_piece<ptx::Space::kShared, Watched>(warp, insn, AccessKind::kStore, kBulkGrain, lane,
                                                                  address, 0, addresses);
  if (reached.lanes != 0 && !reached.faulted) std::memcpy(reached.base + addresses.at[lane], chunk.data(), kBulkGrain);
  return !reached.faulted;
}

/// A chunk of a row goes out; observers are shown its target first.
template <bool Watched>
bool store_chunk(Warp& warp, const Insn* insn, int lane, const Row& row, std::uint32_t at, std::uint32_t shared) {
  LaneAddresses<std::uint64_t> to, from;
  const std::uint32_t whole = (row.end - row.begin + kBulkGrain - 1) / kBulkGrain * kBulkGrain;
  const Reach target = reach_piece<ptx::Space::kGlobal, Watched>(warp, insn, AccessKind::kStore, kBulkGrain, lane,
                                                                 row.global + at, at == row.begin ? whole : 0, to);
  if (target.faulted) return false;
  const Reach source =
      reach_piece<ptx::Space::kShared, Watched>(warp, insn, AccessKind::kLoad, kBulkGrain, lane, shared, 0, from);
  if (source.faulted) return false;
  if (target.lanes != 0 && source.lanes != 0) {
    std::memcpy(target.base + to.at[lane], source.base + from.at[lane], kBulkGrain);
    note_written(warp, Mask{1} << lane, to);
  }
  return true;
}

/// The same place in the shared memory of the cluster's block with this rank.
std::uint32_t in_block(std::uint32_t address, std::uint32_t rank) {
  return static_cast<std::uint32_t>((rank + 1) * kRankBytes + address % kRankBytes);
}

/// Reads the map, checks the copy, and does it; false if the warp has stopped.
template <bool IntoShared, bool Watched>
bool copy_box(Warp& warp, const Insn* insn, int lane) {
  const std::vector<std::uint32_t>& list = list_of_box(insn);
  const auto dimensions = static_cast<std::uint32_t>(insn->offset);
  const std::uint32_t shared = lanes_at<std::uint32_t>(warp, insn->b)[lane];
  BoxCopy copy;
  if (!read_map(warp, insn, lane, copy.map)) return false;
  for (std::uint32_t d = 0; d < dimensions; ++d) copy.first[d] = lanes_at<std::int32_t>(warp, list[d])[lane];
  for (std::uint32_t d = 1; copy.map.is_sound() && d < copy.map.dimensions; ++d) copy.rows *= copy.map.rows_along(d);
  if (auto [kind, sentence] = misuse(copy, dimensions, shared, !IntoShared); !sentence.empty())
    return warp.fault(insn, kind, lane, std::move(sentence)), false;

  const TensorMap& map = copy.map;
  const bool is_for_several = list.size() > dimensions;
  const std::uint32_t receivers = is_for_several ? lanes_at<std::uint16_t>(warp, list[dimensions])[lane] : 1;
  const auto rows = static_cast<std::uint32_t>(copy.rows);
  const std::uint32_t bytes = map.row_bytes() * rows;
  if (!warp.block->launch().affords(std::uint64_t{bytes} * static_cast<unsigned>(__builtin_popcount(receivers))))
    return too_much(warp, insn, lane), false;
  for (std::uint32_t number = 0; number < rows; ++number) {
    const Row row = row_of(copy, number);
    const std::uint32_t begin = shared + number * map.pitch();
    for (std::uint32_t at = 0; at < map.row_bytes(); at += kBulkGrain) {
      const std::uint32_t place = place_of(map, begin, at / kBulkGrain);
      const bool is_inside = at >= row.begin && at < row.end;
      if constexpr (IntoShared) {
        Chunk chunk = filled(map);
        if (is_inside && !read_chunk<Watched>(warp, insn, lane, map, row, at, chunk)) return false;
        for (std::uint32_t rest = receivers; rest != 0; rest &= rest - 1) {
          const std::uint32_t to = is_for_several ? in_block(place, __builtin_ctz(rest)) : place;
          if (!write_chunk<Watched>(warp, insn, lane, to, chunk)) return false;
        }
      } else if (is_inside && !store_chunk<Watched>(warp, insn, lane, row, at, place)) {
        return false;
      }
    }
  }
  if (IntoShared) lanes_at<std::uint32_t>(warp, insn->dst)[lane] = bytes;
  return true;
}

/// a: the map's address (64 bits, generic), b: the shared address, offset: how many coordinates there are, extra:
/// list_of_box, dst: how many bytes have come into shared memory.
template <bool IntoShared, bool Watched>
const Insn* copy_boxes(Warp& warp, const Insn* insn) {
  for (Mask rest = guarded_lanes(warp, insn); rest != 0; rest &= rest - 1)
    if (!copy_box<IntoShared, Watched>(warp, insn, __builtin_ctz(rest))) return nullptr;
  return insn + 1;
}

/// The mbarrier of each receiver learns what has come. a: its address, b: how many bytes; extra, if several blocks
/// receive them: which (16 bits).
const Insn* boxes_arrive(Warp& warp, const Insn* insn) {
  for (Mask rest = guarded_lanes(warp, insn); rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint32_t barrier = lanes_at<std::uint32_t>(warp, insn->a)[lane];
    const std::uint32_t bytes = lanes_at<std::uint32_t>(warp, insn->b)[lane];
    if (insn->extra == nullptr) {
      if (!bytes_arrive(warp, insn, lane, barrier, bytes)) return nullptr;
      continue;
    }
    for (std::uint32_t receivers = lanes_at<std::uint16_t>(warp, list_of_box(insn)[0])[lane]; receivers != 0;
         receivers &= receivers - 1)
      if (!bytes_arrive(warp, insn, lane, in_block(barrier, __builtin_ctz(receivers)), bytes)) return nullptr;
  }
  return insn + 1;
}

const Insn* touch_nothing(Warp&, const Insn* insn) { return insn + 1; }

}  // namespace

void build_tensor_copy(Builder& b) {
  const int dimensions = b.take_one_of({"1d", "2d", "3d", "4d", "5d"}) + 1;
  if (dimensions == 0) b.refuse(b.spelled());
  b.take("tile");
  b.take("L2::cache_hint");  // an operand more, which changes no result
  const bool fetches = b.take("prefetch") && b.take("L2");
  const bool stores = !fetches && b.take("bulk_group");
  b.take("global");
  const ptx::Operand& tensor = b.operand(fetches || stores ? 0 : 1);
  const std::vector<const ptx::Operand*> coordinates = b.take_coordinates(tensor);
  if (coordinates.size() != static_cast<std::size_t>(dimensions))
    b.refuse(b.spelled() + " with another number of coordinates");
  if (fetches) return b.emit(&touch_nothing);
  if (!stores && !b.take("mbarrier::complete_tx::bytes")) b.refuse(b.spelled());
  const bool is_for_several = !stores && b.take("multicast::cluster");
  if (b.take_one_of({"shared::cta", "shared::cluster"}) < 0) b.refuse(b.spelled());

  const Address map(b, tensor, SlotSize::k64), shared(b, b.operand(stores ? 1 : 0), SlotSize::k32);
  map.read_into(b.insn.a);
  shared.read_into(b.insn.b);
  std::vector<std::uint32_t>& list = b.operand_list(coordinates.size() + (is_for_several ? 1 : 0));
  for (std::size_t d = 0; d < coordinates.size(); ++d) b.read(list[d], *coordinates[d], SlotSize::k32);
  if (is_for_several) b.read(list.back(), b.operand(3), SlotSize::k16);
  b.insn.extra = &list;
  b.insn.offset = dimensions;
  if (stores) return b.emit(b.monitored() ? &copy_boxes<false, true> : &copy_boxes<false, false>);
  const std::uint32_t bytes = b.scratch(SlotSize::k32);
  b.write_scratch(b.insn.dst, bytes);
  b.emit(b.monitored() ? &copy_boxes<true, true> : &copy_boxes<true, false>);

  const Address barrier(b, b.operand(2), SlotSize::k32);
  barrier.read_into(b.insn.a);
  b.read_scratch(b.insn.b, bytes);
  if (is_for_several) {
    std::vector<std::uint32_t>& receivers = b.operand_list(1);
    b.read(receivers[0], b.operand(3), SlotSize::k16);
    b.insn.extra = &receivers;
  }
  b.emit(&boxes_arrive);
}

}  // namespace vgpu
