// Loads and stores: ld, ldu, st, prefetch, discard.
//
// What programs do most is compiled for each type by itself: a whole warp, a register a lane, global or shared memory.
// Everything else finds at run time how many bytes it moves, how they fit a register, and whether anybody watches: that
// costs next to nothing there, and each of these would multiply what has to be compiled.
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/opcodes/access.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S8 = std::int8_t;
using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;

struct alignas(16) Bits128 {
  std::uint64_t low, high;
};

/// The registers an access reads or writes: one, or the list of a vector.
struct Registers {
  std::uint32_t count;
  const std::uint32_t* offsets;

  explicit Registers(const Insn* insn) : count(1), offsets(&insn->dst) {
    if (insn->extra == nullptr) return;
    const auto& list = *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
    count = static_cast<std::uint32_t>(list.size());
    offsets = list.data();
  }
};

// --- how values fit registers ---

/// A value in memory and the register it is loaded into.
struct Loading {
  std::uint32_t memory_bytes, register_bytes;
  bool is_signed;  ///< extended by its sign, where the register is wider
  void (*load_narrow)(const std::byte* base, const LaneAddresses<U32>& addresses, Mask lanes, std::byte* to);
  void (*load_wide)(const std::byte* base, const LaneAddresses<U64>& addresses, Mask lanes, std::byte* to);
  void (*load_half)(const std::byte* from, std::uint32_t step, std::byte* to);  ///< 16 lanes, `step` bytes apart
  Handler named_parameter;
  Handler global[2], shared[2];  ///< the second ones are for watched kernels; shared addresses are 32 bits wide
};

/// A value in memory and the register it is stored from, whose low bytes it is.
struct Storing {
  std::uint32_t memory_bytes, register_bytes;
  void (*store_narrow)(std::byte* base, const LaneAddresses<U32>& addresses, Mask lanes, const std::byte* from);
  void (*store_wide)(std::byte* base, const LaneAddresses<U64>& addresses, Mask lanes, const std::byte* from);
  Handler global[2], shared[2];
};

/// Which of them an instruction is stands in insn->c, above a bit that is 1 where the address is the name of a variable
/// in local memory, which counts from the function's frame, and below what known_bases.h keeps there.
VGPU_INLINE bool counts_from_frame(const Insn* insn) { return (insn->c & 1) != 0; }
inline const Loading& loading_of(const Insn* insn);
inline const Storing& storing_of(const Insn* insn);

template <class Mem, class Reg, class A>
void load_lanes(const std::byte* base, const LaneAddresses<A>& addresses, Mask lanes, std::byte* to) {
  alignas(64) Reg values[kLanes];
#pragma GCC unroll 8
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = static_cast<Reg>(load_one<Mem>(base + addresses.at[lane]));
  blend(reinterpret_cast<Reg*>(to), values, lanes);
}

/// As many elements apart as vectors have: known when it is compiled, so that it takes shuffles and not sixteen loads.
template <std::uint32_t Apart, class Mem, class Reg>
VGPU_INLINE void load_apart(const std::byte* from, Reg* to) {
  Mem values[kHalf * Apart];
  std::memcpy(values, from, sizeof values - (Apart - 1) * sizeof(Mem));  // not beyond the last one
  for (std::uint32_t n = 0; n < kHalf; ++n) to[n] = static_cast<Reg>(values[n * Apart]);
}

template <class Mem, class Reg>
void load_half(const std::byte* from, std::uint32_t step, std::byte* registers) {
  Reg* const to = reinterpret_cast<Reg*>(registers);
  switch (step / sizeof(Mem)) {
    case 0:
      return load_row<Mem>(from, false, to);
    case 1:
      return load_row<Mem>(from, true, to);
    case 2:
      return load_apart<2, Mem>(from, to);
    case 4:
      return load_apart<4, Mem>(from, to);
    default:
      for (std::uint32_t n = 0; n < kHalf; ++n) to[n] = static_cast<Reg>(load_one<Mem>(from + n * step));
  }
}

template <class Mem, class Reg, class A>
void store_lanes(std::byte* base, const LaneAddresses<A>& addresses, Mask lanes, const std::byte* from) {
  each_lane(lanes, [&](int lane) {
    std::memcpy(base + addresses.at[lane], from + static_cast<std::size_t>(lane) * sizeof(Reg), sizeof(Mem));
  });
}

/// Where a warp goes on that has loaded. What it read may be what it waits for, and others may overwrite it.
VGPU_INLINE const Insn* behind_load(Warp& warp, const Insn* insn) {
  return __builtin_expect(insn->b == 0, 1) ? insn + 1 : warp.let_others_in(insn, Warp::Did::kRead);
}

/// Elements follow each other in memory, and go to one register each. Lanes that are held back read zeros.
template <class A>
VGPU_INLINE void load_registers(Warp& warp, const Insn* insn, const std::byte* base, Mask lanes, Mask held_back,
                                const LaneAddresses<A>& addresses) {
  const Loading& loading = loading_of(insn);
  const Registers registers(insn);
  for (std::uint32_t n = 0; n < registers.count; ++n, base += loading.memory_bytes) {
    std::byte* const to = warp.registers + registers.offsets[n];
    each_lane(held_back, [&](int lane) {
      std::memset(to + static_cast<std::uint32_t>(lane) * loading.register_bytes, 0, loading.register_bytes);
    });
    if (lanes == 0) continue;
    if constexpr (sizeof(A) == 4)
      loading.load_narrow(base, addresses, lanes, to);
    else
      loading.load_wide(base, addresses, lanes, to);
  }
}

/// The same by all lanes, whose halves each read a row of vectors, or one.
template <class A>
VGPU_INLINE void load_registers_by_rows(Warp& warp, const Insn* insn, const std::byte* base, const Shape& shape,
                                        const LaneAddresses<A>& addresses) {
  const Loading& loading = loading_of(insn);
  const Registers registers(insn);
  const std::uint32_t bytes = loading.memory_bytes * registers.count;
  for (std::uint32_t n = 0; n < registers.count; ++n, base += loading.memory_bytes) {
    std::byte* const to = warp.registers + registers.offsets[n];
    loading.load_half(base + addresses.at[0], (shape.contiguous & 1) != 0 ? bytes : 0, to);
    loading.load_half(base + addresses.at[kHalf], (shape.contiguous & 2) != 0 ? bytes : 0,
                      to + kHalf * loading.register_bytes);
  }
}

template <class A>
VGPU_INLINE void store_registers(Warp& warp, const Insn* insn, std::byte* base, Mask lanes,
                                 const LaneAddresses<A>& addresses) {
  const Storing& storing = storing_of(insn);
  const Registers registers(insn);
  for (std::uint32_t n = 0; n < registers.count; ++n, base += storing.memory_bytes) {
    const std::byte* const from = warp.registers + registers.offsets[n];
    if constexpr (sizeof(A) == 4)
      storing.store_narrow(base, addresses, lanes, from);
    else
      storing.store_wide(base, addresses, lanes, from);
  }
}

// --- reads of shared memory by rows, inside a range, that observers need not be shown now ---

template <ptx::Space S, class A>
constexpr bool kMayBeNoted = S == ptx::Space::kShared && sizeof(A) == 4;

/// Reads that may be waiting for another thread (insn->b) are always shown.
VGPU_INLINE bool may_be_noted(const Insn* insn, const Shape& shape) {
  return (shape.contiguous | shape.uniform) == 3 && insn->b == 0;
}

VGPU_INLINE void note_read(Warp& warp, const Insn* insn, std::uint32_t bytes, NotedReads& noted,
                           std::uint8_t contiguous, std::uint8_t uniform, U32 first, U32 second) {
  if (!noted.are_wanted()) return;
  if (__builtin_expect(noted.is_full(), 0)) warp.block->show_noted_reads();
  noted.note_rows(warp, insn, bytes, contiguous, uniform, first, second);
}

template <class A>
VGPU_INLINE bool is_noted(Warp& warp, const Insn* insn, std::uint32_t bytes, const LaneAddresses<A>& addresses,
                          Shape& shape) {
  NotedReads& noted = warp.block->noted_reads();
  const QuietRange range = noted.range_of(insn);
  if (range.high == 0) return false;
  shape = examine(addresses, range.low, range.high - range.low, bytes);
  if (!shape.fine || !may_be_noted(insn, shape)) return false;
  note_read(warp, insn, bytes, noted, shape.contiguous, shape.uniform, static_cast<U32>(addresses.at[0]),
            static_cast<U32>(addresses.at[kHalf]));
  return true;
}

// --- global and shared, any lanes, any registers ---

/// A warp that stores results is not waiting: one that holds a lock, say, and reads past the first level what others
/// wrote. Where insn->b is set, it may store what others wait for.
template <ptx::Space S, class A>
VGPU_INLINE void work_is_done(Warp& warp, const Insn* insn, Mask lanes, const LaneAddresses<A>& addresses) {
  if (__builtin_expect(insn->b == 0, 1))
    warp.polls = 0;
  else if (S == ptx::Space::kGlobal)
    note_written(warp, lanes, addresses);
}

template <ptx::Space S, class A>
__attribute__((noinline)) bool load_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<A>& addresses) {
  const std::uint32_t bytes = loading_of(insn).memory_bytes * Registers(insn).count;
  if (insn->b != 0) note_poll<S>(warp, insn, lanes, addresses);
  const Reach from = reach_as_watched<S>(warp, insn, AccessKind::kLoad, bytes, lanes, addresses);
  if (from.faulted) return false;
  if (from.lanes == kAllLanes && (from.shape.contiguous | from.shape.uniform) == 3) {
    if (kMayBeNoted<S, A> && warp.observer != nullptr && may_be_noted(insn, from.shape))
      warp.block->ask_for_quiet_range(
          event_of(warp, insn, S, AccessKind::kLoad, bytes, kAllLanes, addresses, from.shape));
    load_registers_by_rows(warp, insn, from.base, from.shape, addresses);
  } else {
    load_registers(warp, insn, from.base, from.lanes, lanes & ~from.lanes, addresses);
  }
  return true;
}

template <ptx::Space S, class A>
__attribute__((noinline)) bool store_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<A>& addresses) {
  const std::uint32_t bytes = storing_of(insn).memory_bytes * Registers(insn).count;
  const Reach to = reach_as_watched<S>(warp, insn, AccessKind::kStore, bytes, lanes, addresses);
  if (to.faulted) return false;
  store_registers(warp, insn, to.base, to.lanes, addresses);
  work_is_done<S>(warp, insn, to.lanes, addresses);
  return true;
}

/// A load of vectors by a whole warp, if it is noted.
__attribute__((noinline)) bool load_noted_vectors(Warp& warp, const Insn* insn, const LaneAddresses<U32>& addresses) {
  Shape shape;
  if (!is_noted(warp, insn, loading_of(insn).memory_bytes * Registers(insn).count, addresses, shape)) return false;
  load_registers_by_rows(warp, insn, warp.shared, shape, addresses);
  return true;
}

template <ptx::Space S, class A>
const Insn* load_some_lanes(Warp& warp, const Insn* insn, Mask lanes) {
  LaneAddresses<A> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  if constexpr (kMayBeNoted<S, A>)
    if (lanes == kAllLanes && insn->extra != nullptr && warp.observer != nullptr &&
        load_noted_vectors(warp, insn, addresses))
      return insn + 1;
  return load_at<S>(warp, insn, lanes, addresses) ? behind_load(warp, insn) : nullptr;
}

template <ptx::Space S, class A>
const Insn* store_some_lanes(Warp& warp, const Insn* insn, Mask lanes) {
  LaneAddresses<A> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  return store_at<S>(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

/// Shared memory by an address of 64 bits, which few programs have.
const Insn* load_shared_wide(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  return lanes == 0 ? insn + 1 : load_some_lanes<ptx::Space::kShared, U64>(warp, insn, lanes);
}

const Insn* store_shared_wide(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  return lanes == 0 ? insn + 1 : store_some_lanes<ptx::Space::kShared, U64>(warp, insn, lanes);
}

/// Shared memory of the whole cluster by an address of 32 bits.
template <bool Loads>
const Insn* access_cluster(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<U32> narrow;
  compute_addresses(warp, insn, lanes, narrow);
  LaneAddresses<U64> addresses;
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = narrow.at[lane];
  if (Loads) return load_at<ptx::Space::kShared>(warp, insn, lanes, addresses) ? behind_load(warp, insn) : nullptr;
  return store_at<ptx::Space::kShared>(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

// --- global and shared, the whole warp, one register ---

template <ptx::Space S>
VGPU_INLINE std::byte* base_of(const Warp& warp) {
  return S == ptx::Space::kGlobal ? reinterpret_cast<std::byte*>(warp.global_delta) : warp.shared;
}

/// What is known of the base of an access by a whole warp; null if nothing is.
VGPU_INLINE const KnownBase* known_base(const Warp& warp, const Insn* insn, std::uint32_t bytes) {
  const BaseKey key = base_key(insn);
  const std::uint32_t place = key % KnownBase::kMost;
  return warp.base_tags[place] == base_tag(key, bytes) ? &warp.bases[place] : nullptr;  // no tag has the key 0
}

/// Whether the rows from there on are aligned and inside [low, low + span).
template <class A>
VGPU_INLINE bool lie_in(const KnownBase& base, A offset, std::uint64_t low, std::uint64_t span, std::uint32_t bytes) {
  const A lowest = static_cast<A>(static_cast<A>(base.lowest) + offset);
  const std::uint64_t from_low = static_cast<A>(lowest - static_cast<A>(low));
  return (lowest & (bytes - 1)) == 0 && from_low <= span && base.reach <= span - from_low;
}

VGPU_INLINE void begin_base(Warp& warp, const Insn* insn) {
  if (is_first_use_of_base(insn)) warp.base_tags[base_key(insn) % KnownBase::kMost] = 0;
}

template <class A>
VGPU_INLINE void note_base(Warp& warp, const Insn* insn, std::uint32_t bytes, const LaneAddresses<A>& addresses,
                           const Shape& shape) {
  const BaseKey key = base_key(insn);
  if (key == 0 || (shape.contiguous | shape.uniform) != 3) return;
  const A first = addresses.at[0], second = addresses.at[kHalf];
  const A apart = first < second ? second - first : first - second;
  if (apart > (std::uint32_t{1} << 31)) return;  // out of reach
  const std::uint32_t row = (kHalf - 1) * bytes;
  const std::uint32_t first_end =
      static_cast<std::uint32_t>(first < second ? 0 : apart) + ((shape.contiguous & 1) != 0 ? row : 0);
  const std::uint32_t second_end =
      static_cast<std::uint32_t>(first < second ? apart : 0) + ((shape.contiguous & 2) != 0 ? row : 0);
  KnownBase& base = warp.bases[key % KnownBase::kMost];
  warp.base_tags[key % KnownBase::kMost] = base_tag(key, bytes);
  base.reach = std::max(first_end, second_end) + bytes;
  base.contiguous = shape.contiguous;
  base.uniform = shape.uniform;
  base.first = static_cast<A>(first - static_cast<A>(insn->offset));
  base.second = static_cast<A>(second - static_cast<A>(insn->offset));
  base.lowest = first < second ? base.first : base.second;
}

/// All 32 lanes, one register, nothing odd about the addresses: true if it was so and the access is done.
template <ptx::Space S, class Mem, bool Watched, class A>
VGPU_INLINE bool whole_warp_is_fine(Warp& warp, const Insn* insn, AccessKind kind, const LaneAddresses<A>& addresses,
                                    Shape& shape) {
  constexpr bool kGlobal = S == ptx::Space::kGlobal;
  if constexpr (Watched && !kGlobal)
    if (kind == AccessKind::kLoad && is_noted(warp, insn, sizeof(Mem), addresses, shape)) return true;
  const std::uint64_t low = kGlobal ? warp.global_low : warp.shared_low;
  const std::uint64_t span = kGlobal ? warp.global_span : warp.shared_span;
  if (const KnownBase* const base = known_base(warp, insn, sizeof(Mem)))
    shape = {lie_in(*base, static_cast<A>(insn->offset), low, span, sizeof(Mem)), base->contiguous, base->uniform};
  else
    shape = examine(addresses, low, span, sizeof(Mem));
  if (!shape.fine) return false;
  if constexpr (Watched) {
    const MemoryAccess event = event_of(warp, insn, S, kind, sizeof(Mem), kAllLanes, addresses, shape);
    if (warp.observer->access(event) != kAllLanes) return false;
    if (!kGlobal && kind == AccessKind::kLoad && may_be_noted(insn, shape)) warp.block->ask_for_quiet_range(event);
  }
  return true;
}

/// A load of rows from a known base that nobody wants to see now: no lane's address need be computed for that.
template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
VGPU_INLINE bool load_known_rows(Warp& warp, const Insn* insn) {
  constexpr bool kGlobal = S == ptx::Space::kGlobal;
  if ((Watched && kGlobal) || insn->b != 0) return false;
  const KnownBase* const known = known_base(warp, insn, sizeof(Mem));
  if (known == nullptr) return false;
  const auto offset = static_cast<A>(insn->offset);
  const auto first = static_cast<A>(static_cast<A>(known->first) + offset);
  const auto second = static_cast<A>(static_cast<A>(known->second) + offset);
  if constexpr (Watched && !kGlobal) {
    NotedReads& noted = warp.block->noted_reads();
    const QuietRange range = noted.range_of(insn);
    if (range.high == 0 || !lie_in(*known, offset, range.low, range.high - range.low, sizeof(Mem))) return false;
    note_read(warp, insn, sizeof(Mem), noted, known->contiguous, known->uniform, first, second);
  } else if (!lie_in(*known, offset, kGlobal ? warp.global_low : warp.shared_low,
                     kGlobal ? warp.global_span : warp.shared_span, sizeof(Mem))) {
    return false;
  }
  Reg* const to = lanes_at<Reg>(warp, insn->dst);
  const std::byte* const base = base_of<S>(warp);
  load_row<Mem>(base + first, (known->contiguous & 1) != 0, to);
  load_row<Mem>(base + second, (known->contiguous & 2) != 0, to + kHalf);
  return true;
}

// What observers are shown must not lie in a handler's own frame on the stack, or it could not go straight on to the
// next instruction: so these are by themselves, and their variables are gone by then.

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
VGPU_INLINE bool load_whole(Warp& warp, const Insn* insn) {
  LaneAddresses<A> addresses;
  compute_addresses(warp, insn, kAllLanes, addresses);
  Shape shape;
  if (__builtin_expect(!whole_warp_is_fine<S, Mem, Watched>(warp, insn, AccessKind::kLoad, addresses, shape), 0))
    return false;
  note_base(warp, insn, sizeof(Mem), addresses, shape);
  load_whole_warp<Mem>(base_of<S>(warp), shape, addresses, lanes_at<Reg>(warp, insn->dst));
  if (__builtin_expect(insn->b != 0, 0)) note_poll<S>(warp, insn, kAllLanes, addresses);
  return true;
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
__attribute__((noinline)) const Insn* load_from_unknown(Warp& warp, const Insn* insn, Mask lanes) {
  if (__builtin_expect(lanes == kAllLanes && insn->extra == nullptr, 1) &&
      __builtin_expect((load_whole<S, A, Mem, Reg, Watched>(warp, insn)), 1)) {
    if (__builtin_expect(insn->b != 0, 0)) return warp.let_others_in(insn, Warp::Did::kRead);
    if (Watched && warp.stepping) return insn + 1;  // since this very access
    VGPU_NEXT(warp, insn);
  }
  return lanes == 0 ? insn + 1 : load_some_lanes<S, A>(warp, insn, lanes);
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
const Insn* load(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  begin_base(warp, insn);
  if (lanes == kAllLanes && insn->extra == nullptr && load_known_rows<S, A, Mem, Reg, Watched>(warp, insn))
    VGPU_NEXT(warp, insn);
  return load_from_unknown<S, A, Mem, Reg, Watched>(warp, insn, lanes);
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
VGPU_INLINE bool store_whole(Warp& warp, const Insn* insn) {
  LaneAddresses<A> addresses;
  compute_addresses(warp, insn, kAllLanes, addresses);
  Shape shape;
  if (__builtin_expect(!whole_warp_is_fine<S, Mem, Watched>(warp, insn, AccessKind::kStore, addresses, shape), 0))
    return false;
  note_base(warp, insn, sizeof(Mem), addresses, shape);
  store_whole_warp<Mem>(base_of<S>(warp), shape, addresses, lanes_at<Reg>(warp, insn->dst));
  work_is_done<S>(warp, insn, kAllLanes, addresses);
  return true;
}

template <ptx::Space S, class A, class Mem, class Reg, bool Watched>
const Insn* store(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  begin_base(warp, insn);
  if (S == ptx::Space::kGlobal && __builtin_expect(insn->b != 0, 0) && lanes != 0) {
    LaneAddresses<A> addresses;
    compute_addresses(warp, insn, lanes, addresses);
    if (lets_others_look_first(warp, insn, lanes, true, addresses)) return warp.let_others_look(insn);
  }
  if (__builtin_expect(lanes == kAllLanes && insn->extra == nullptr, 1) &&
      __builtin_expect((store_whole<S, A, Mem, Reg, Watched>(warp, insn)), 1))
    VGPU_NEXT(warp, insn);
  return lanes == 0 ? insn + 1 : store_some_lanes<S, A>(warp, insn, lanes);
}

// --- local memory and parameters: each lane its own bytes ---

/// The lanes that may go ahead with an access to their local memory; `addresses` then count from the first lane's.
/// Names of a function's own variables count from its frame.
VGPU_INLINE Mask reach_local(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, Mask lanes,
                             LaneAddresses<U64>& addresses, bool& faulted) {
  if (warp.observer != nullptr) {
    lanes = warp.observer->access(event_of(warp, insn, ptx::Space::kLocal, kind, bytes, lanes, addresses));
    if (lanes == 0) return 0;
    stand_in(addresses, lanes);
  }
  if (!examine(addresses, 0, warp.local_stride, bytes).fine)
    faulted = look_at_stray_access(warp, insn, ptx::Space::kLocal, kind, bytes, lanes, addresses.at).faulted;
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] += static_cast<U64>(lane) * warp.local_stride;
  return lanes;
}

bool load_local_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<U64>& addresses) {
  bool faulted = false;
  const std::uint32_t bytes = loading_of(insn).memory_bytes * Registers(insn).count;
  const Mask allowed = reach_local(warp, insn, AccessKind::kLoad, bytes, lanes, addresses, faulted);
  if (faulted) return false;
  load_registers(warp, insn, warp.local, allowed, lanes & ~allowed, addresses);
  return true;
}

bool store_local_at(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<U64>& addresses) {
  bool faulted = false;
  const std::uint32_t bytes = storing_of(insn).memory_bytes * Registers(insn).count;
  const Mask allowed = reach_local(warp, insn, AccessKind::kStore, bytes, lanes, addresses, faulted);
  if (faulted) return false;
  store_registers(warp, insn, warp.local, allowed, addresses);
  return true;
}

/// In 64 bits, whatever the width of the register they come from.
template <class Base>
LaneAddresses<U64> wide_addresses(Warp& warp, const Insn* insn, Mask lanes) {
  LaneAddresses<Base> own;
  compute_addresses(warp, insn, lanes, own);
  const U64 frame = counts_from_frame(insn) ? warp.frame->local_base : 0;
  LaneAddresses<U64> addresses;
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = own.at[lane] + frame;
  return addresses;
}

template <class Base>
const Insn* load_local(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<U64> addresses = wide_addresses<Base>(warp, insn, lanes);
  return load_local_at(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

template <class Base>
const Insn* store_local(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<U64> addresses = wide_addresses<Base>(warp, insn, lanes);
  return store_local_at(warp, insn, lanes, addresses) ? insn + 1 : nullptr;
}

/// Parameters of the kernel: the same bytes for all lanes, at addresses that may differ.
bool load_parameter_at(Warp& warp, const Insn* insn, Mask lanes, const LaneAddresses<U64>& addresses) {
  const std::uint32_t bytes = loading_of(insn).memory_bytes * Registers(insn).count;
  if (!examine(addresses, 0, warp.parameter_bytes, bytes).fine) {
    warp.fault(insn, FaultKind::kIllegalAddress, __builtin_ctz(lanes), "a read outside the kernel's parameters");
    return false;
  }
  load_registers(warp, insn, warp.parameters, lanes, 0, addresses);
  return true;
}

template <class Base>
const Insn* load_parameter(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  return load_parameter_at(warp, insn, lanes, wide_addresses<Base>(warp, insn, lanes)) ? insn + 1 : nullptr;
}

/// A parameter by its name: its place, in insn->offset, was checked when the kernel was decoded.
template <class Mem, class Reg>
const Insn* load_named_parameter(Warp& warp, const Insn* insn) {
  const auto value = static_cast<Reg>(load_one<Mem>(warp.parameters + insn->offset));
  set_lanes(lanes_at<Reg>(warp, insn->dst), guarded_lanes(warp, insn), [=](int) { return value; });
  VGPU_NEXT(warp, insn);
}

/// Constant memory by the lower 32 bits of addresses, which are at most 4 GiB behind the first constant's, in insn->b.
const Insn* load_constant_narrow(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  const U64 first = *lanes_at<U64>(warp, insn->b);
  LaneAddresses<U32> low;
  compute_addresses(warp, insn, lanes, low);
  LaneAddresses<U64> addresses;
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = first + (low.at[lane] - static_cast<U32>(first));
  const std::uint32_t bytes = loading_of(insn).memory_bytes * Registers(insn).count;
  const Reach from = reach_as_watched<ptx::Space::kGlobal>(warp, insn, AccessKind::kLoad, bytes, lanes, addresses);
  if (from.faulted) return nullptr;
  load_registers(warp, insn, from.base, from.lanes, lanes & ~from.lanes, addresses);
  return insn + 1;
}

// --- generic addresses: each lane may mean another space ---

struct Spaces {
  Mask shared = 0, local = 0, parameter = 0;
};

inline Spaces sort_by_window(const LaneAddresses<std::uint64_t>& addresses, Mask lanes) {
  std::uint64_t any = 0;
  for (const std::uint64_t address : addresses.at) any |= address;
  if (any < kSharedWindow) return {};  // no bit that a window has: all global
  Spaces spaces;
  each_lane(lanes, [&](int lane) {
    const std::uint64_t address = addresses.at[lane];
    if (address - kSharedWindow < kWindowBytes) spaces.shared |= Mask{1} << lane;
    if (address - kLocalWindow < kWindowBytes) spaces.local |= Mask{1} << lane;
    if (address - kParameterWindow < kWindowBytes) spaces.parameter |= Mask{1} << lane;
  });
  return spaces;
}

/// The addresses of `part` of the lanes, counted from the window's begin.
inline LaneAddresses<std::uint64_t> inside_window(const LaneAddresses<std::uint64_t>& generic, Mask part,
                                                  std::uint64_t window) {
  LaneAddresses<std::uint64_t> inside;
  const std::uint64_t stand_in = generic.at[__builtin_ctz(part)];
  for (int lane = 0; lane < kLanes; ++lane)
    inside.at[lane] = ((part >> lane & 1) != 0 ? generic.at[lane] : stand_in) - window;
  return inside;
}

const Insn* load_generic(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<std::uint64_t> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  const Spaces spaces = sort_by_window(addresses, lanes);
  const Mask global = lanes & ~(spaces.shared | spaces.local | spaces.parameter);
  bool fine = true;
  if (global == lanes) {
    fine = load_at<ptx::Space::kGlobal>(warp, insn, lanes, addresses);
  } else {
    // A register that is both address and destination must be read for all spaces before it is written: addresses has
    // it.
    if (fine && global != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, global, 0);
      fine = load_at<ptx::Space::kGlobal>(warp, insn, global, part);
    }
    if (fine && spaces.shared != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.shared, kSharedWindow);
      fine = load_at<ptx::Space::kShared>(warp, insn, spaces.shared, part);
    }
    if (fine && spaces.local != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.local, kLocalWindow);
      fine = load_local_at(warp, insn, spaces.local, part);
    }
    if (fine && spaces.parameter != 0) {
      const LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.parameter, kParameterWindow);
      fine = load_parameter_at(warp, insn, spaces.parameter, part);
    }
  }
  return fine ? behind_load(warp, insn) : nullptr;
}

const Insn* store_generic(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneAddresses<std::uint64_t> addresses;
  compute_addresses(warp, insn, lanes, addresses);
  const Spaces spaces = sort_by_window(addresses, lanes);
  const Mask global = lanes & ~(spaces.shared | spaces.local);
  if (insn->b != 0 && global != 0 && lets_others_look_first(warp, insn, global, true, addresses))
    return warp.let_others_look(insn);
  bool fine = true;
  if (global == lanes) {
    fine = store_at<ptx::Space::kGlobal>(warp, insn, lanes, addresses);
  } else {
    if (global != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, global, 0);
      fine = store_at<ptx::Space::kGlobal>(warp, insn, global, part);
    }
    if (fine && spaces.shared != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.shared, kSharedWindow);
      fine = store_at<ptx::Space::kShared>(warp, insn, spaces.shared, part);
    }
    if (fine && spaces.local != 0) {
      LaneAddresses<std::uint64_t> part = inside_window(addresses, spaces.local, kLocalWindow);
      fine = store_local_at(warp, insn, spaces.local, part);
    }
  }
  return fine ? insn + 1 : nullptr;
}

// --- choosing a handler ---

template <class Mem, class Reg>
constexpr Loading loading() {
  constexpr auto kGlobal = ptx::Space::kGlobal, kShared = ptx::Space::kShared;
  return {sizeof(Mem),
          sizeof(Reg),
          std::is_signed_v<Mem>,
          &load_lanes<Mem, Reg, U32>,
          &load_lanes<Mem, Reg, U64>,
          &load_half<Mem, Reg>,
          &load_named_parameter<Mem, Reg>,
          {&load<kGlobal, U64, Mem, Reg, false>, &load<kGlobal, U64, Mem, Reg, true>},
          {&load<kShared, U32, Mem, Reg, false>, &load<kShared, U32, Mem, Reg, true>}};
}

template <class Mem, class Reg>
constexpr Storing storing() {
  constexpr auto kGlobal = ptx::Space::kGlobal, kShared = ptx::Space::kShared;
  return {sizeof(Mem),
          sizeof(Reg),
          &store_lanes<Mem, Reg, U32>,
          &store_lanes<Mem, Reg, U64>,
          {&store<kGlobal, U64, Mem, Reg, false>, &store<kGlobal, U64, Mem, Reg, true>},
          {&store<kShared, U32, Mem, Reg, false>, &store<kShared, U32, Mem, Reg, true>}};
}

constexpr Loading kLoadings[] = {
    loading<U8, U16>(),  loading<U8, U32>(),  loading<U8, U64>(),  loading<S8, S16>(),
    loading<S8, S32>(),  loading<S8, S64>(),  loading<U16, U16>(), loading<U16, U32>(),
    loading<U16, U64>(), loading<S16, S32>(), loading<S16, S64>(), loading<U32, U32>(),
    loading<U32, U64>(), loading<S32, S64>(), loading<U64, U64>(), loading<Bits128, Bits128>(),
};

constexpr Storing kStorings[] = {
    storing<U8, U16>(),  storing<U8, U32>(),  storing<U8, U64>(),  storing<U16, U16>(), storing<U16, U32>(),
    storing<U16, U64>(), storing<U32, U32>(), storing<U32, U64>(), storing<U64, U64>(), storing<Bits128, Bits128>(),
};

constexpr std::uint32_t kWhich = (kTakesPart >> 1) - 1;
inline const Loading& loading_of(const Insn* insn) { return kLoadings[insn->c >> 1 & kWhich]; }
inline const Storing& storing_of(const Insn* insn) { return kStorings[insn->c >> 1 & kWhich]; }

std::uint32_t lane_bytes(SlotSize slot) { return bytes_of(slot) / kLanes; }

/// Chooses how a value of `type` goes into a register, and notes it in the instruction.
const Loading& choose_loading(Builder& b, ptx::Type type, SlotSize slot) {
  const std::uint32_t memory_bytes = ptx::size_of(type),
                      register_bytes = slot == SlotSize::kMask ? 0 : lane_bytes(slot);
  const bool by_sign = is_signed(type) && memory_bytes < register_bytes;
  bool exists = false;
  for (const Loading& loading : kLoadings) {
    exists |= loading.memory_bytes == memory_bytes && memory_bytes < 16;
    if (loading.memory_bytes != memory_bytes || loading.register_bytes != register_bytes ||
        loading.is_signed != by_sign)
      continue;
    b.insn.c |= static_cast<std::uint32_t>(&loading - kLoadings) << 1;
    return loading;
  }
  b.refuse(b.spelled() + (exists ? " into a register of another size" : ""));
}

const Storing& choose_storing(Builder& b, ptx::Type type, SlotSize slot) {
  const std::uint32_t memory_bytes = ptx::size_of(type),
                      register_bytes = slot == SlotSize::kMask ? 0 : lane_bytes(slot);
  bool exists = false;
  for (const Storing& storing : kStorings) {
    exists |= storing.memory_bytes == memory_bytes && memory_bytes < 16;
    if (storing.memory_bytes != memory_bytes || storing.register_bytes != register_bytes) continue;
    b.insn.c |= static_cast<std::uint32_t>(&storing - kStorings) << 1;
    return storing;
  }
  b.refuse(b.spelled() + (exists ? " from a register of another size" : ""));
}

/// Cache hints and scopes say how fast, not what: one processor, one memory. Returns true if the access polls, that is,
/// may be waiting for what another thread writes.
bool take_hints(Builder& b) {
  b.take("nc");
  b.take("weak");
  b.take("mmio");  // stands before one of the following
  bool polls = b.take_one_of({"volatile", "relaxed", "acquire", "release"}) >= 0;
  b.take_one_of({"cta", "cluster", "gpu", "sys"});
  polls |= b.take_one_of({"cg", "cv"}) >= 0;
  b.take_one_of({"ca", "cs", "lu", "wb", "wt"});
  b.take_one_of({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  b.take_one_of({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  b.take_one_of({"L2::64B", "L2::128B", "L2::256B"});
  b.take("L2::cache_hint");  // one operand more: a policy
  return polls;
}

/// Base register (or name) and offset of `[a + n]`. Returns the slot size of the base.
SlotSize read_address(Builder& b, const ptx::Operand& operand, ptx::Space& space) {
  if (operand.kind != ptx::Operand::Kind::kAddress) b.refuse(b.spelled() + " without an address");
  const ptx::Operand& base = operand.elements.at(0);
  b.insn.offset = operand.offset;
  if (base.kind != ptx::Operand::Kind::kSymbol) {
    if (space == ptx::Space::kParam && !b.is_in_kernel()) space = ptx::Space::kLocal;  // where a function's are
    return b.read_any(b.insn.a, base, SlotSize::k64);
  }
  const Builder::Symbol symbol = b.symbol(base);
  const SlotSize size = symbol.kind == Builder::Symbol::Kind::kShared ? SlotSize::k32 : SlotSize::k64;
  b.constant(b.insn.a, symbol.value, size);
  const auto expect = [&](ptx::Space found) {  // a name from another space than the instruction says
    if (space != ptx::Space::kGeneric && space != found)
      b.refuse(b.spelled() + " of " + std::string(base.name) + ", which is not there");
    space = found;
  };
  switch (symbol.kind) {
    case Builder::Symbol::Kind::kLocal:
      if (space == ptx::Space::kGeneric) b.refuse(b.spelled() + " of a name in local memory");
      space = ptx::Space::kLocal;
      b.insn.c = 1;
      break;
    case Builder::Symbol::Kind::kKernelParameter:
      expect(ptx::Space::kParam);
      break;
    case Builder::Symbol::Kind::kShared:
      expect(ptx::Space::kShared);
      break;
    case Builder::Symbol::Kind::kAddress:
      if (space != ptx::Space::kConst) expect(ptx::Space::kGlobal);
      break;
    case Builder::Symbol::Kind::kFunction:
      b.refuse(b.spelled() + " of a function");
  }
  return size;
}

/// The register, or the registers of {a, b, c, d}, behind `operand`. All must have slots of one size, which is
/// returned.
template <bool Reading>
SlotSize take_registers(Builder& b, const ptx::Operand& operand, int vector, SlotSize natural) {
  const auto one = [&](std::uint32_t& where, const ptx::Operand& reg) {
    return Reading ? b.read_any(where, reg, natural) : b.write_any(where, reg, natural);
  };
  if (vector < 0) return one(b.insn.dst, operand);
  const std::size_t count = vector == 0 ? 2 : vector == 1 ? 4 : 8;
  if (operand.kind != ptx::Operand::Kind::kVector || operand.elements.size() != count)
    b.refuse(b.spelled() + " of another number of registers");
  std::vector<std::uint32_t>& list = b.operand_list(count);
  b.insn.extra = &list;
  SlotSize size = natural;
  bool known = false;
  for (std::size_t n = 0; n < count; ++n) {
    const bool is_sink = operand.elements[n].kind == ptx::Operand::Kind::kSink;
    const SlotSize found = one(list[n], operand.elements[n]);
    if (is_sink && !known) continue;
    if (!is_sink && known && found != size) b.refuse(b.spelled() + " into registers of several sizes");
    if (!is_sink) {
      size = found;
      known = true;
    }
  }
  return size;
}

/// `ld.param.u32 d, [name + n]` of a kernel, into one register: true if that is what it is and it was emitted.
bool emit_named_parameter(Builder& b, ptx::Type type, int vector) {
  const ptx::Operand& address = b.operand(1);
  if (vector >= 0 || address.kind != ptx::Operand::Kind::kAddress ||
      address.elements.at(0).kind != ptx::Operand::Kind::kSymbol)
    return false;
  const Builder::Symbol symbol = b.symbol(address.elements[0]);
  if (symbol.kind != Builder::Symbol::Kind::kKernelParameter) return false;
  const std::uint64_t offset = symbol.value + static_cast<std::uint64_t>(address.offset);
  const std::uint32_t bytes = ptx::size_of(type);
  if (offset % bytes != 0 || offset > b.parameter_bytes() || bytes > b.parameter_bytes() - offset) return false;
  b.insn.offset = static_cast<std::int64_t>(offset);
  const SlotSize slot = b.write_any(b.insn.dst, b.operand(0), slot_for(type));
  b.emit(choose_loading(b, type, slot).named_parameter);
  return true;
}

Handler load_handler(Builder& b, ptx::Space space, SlotSize base, SlotSize slot, ptx::Type type) {
  const Loading& loading = choose_loading(b, type, slot);
  const bool narrow = base == SlotSize::k32;
  switch (space) {
    case ptx::Space::kConst:
      if (narrow) {
        b.constant(b.insn.b, b.constants(), SlotSize::k64);
        return &load_constant_narrow;
      }
      return loading.global[b.monitored()];
    case ptx::Space::kGlobal:
      b.insn.c |= kTakesPart;
      return loading.global[b.monitored()];
    case ptx::Space::kShared:
      if (!narrow) return &load_shared_wide;
      if (ptx::has_modifier(b.instruction(), "shared::cluster")) return &access_cluster<true>;
      b.insn.c |= kTakesPart;
      return loading.shared[b.monitored()];
    case ptx::Space::kLocal:
      return narrow ? &load_local<U32> : &load_local<U64>;
    case ptx::Space::kParam:
      return narrow ? &load_parameter<U32> : &load_parameter<U64>;
    default:
      return &load_generic;
  }
}

Handler store_handler(Builder& b, ptx::Space space, SlotSize base, SlotSize slot, ptx::Type type) {
  const Storing& storing = choose_storing(b, type, slot);
  const bool narrow = base == SlotSize::k32;
  switch (space) {
    case ptx::Space::kGlobal:
      b.insn.c |= kTakesPart;
      return storing.global[b.monitored()];
    case ptx::Space::kShared:
      if (!narrow) return &store_shared_wide;
      if (ptx::has_modifier(b.instruction(), "shared::cluster")) return &access_cluster<false>;
      b.insn.c |= kTakesPart;
      return storing.shared[b.monitored()];
    case ptx::Space::kLocal:
      return narrow ? &store_local<U32> : &store_local<U64>;
    case ptx::Space::kGeneric:
      return &store_generic;
    default:
      b.refuse(b.spelled());
  }
}

void check_base(Builder& b, ptx::Space space, SlotSize base) {
  const bool may_be_narrow = space != ptx::Space::kGlobal && space != ptx::Space::kGeneric;
  if (base != SlotSize::k64 && !(base == SlotSize::k32 && may_be_narrow))
    b.refuse(b.spelled() + " with an address of another size");
}

void build_load(Builder& b) {
  ptx::Space space = b.take_space();
  const bool polls = take_hints(b);
  const int vector = b.take_one_of({"v2", "v4", "v8"});
  const ptx::Type type = b.take_type();
  if (emit_named_parameter(b, type, vector)) return;
  const SlotSize base = read_address(b, b.operand(1), space);
  check_base(b, space, base);
  b.insn.b = polls ? 1 : 0;
  const SlotSize slot = take_registers<false>(b, b.operand(0), vector, slot_for(type));
  b.emit(load_handler(b, space, base, slot, type));
}

void build_store(Builder& b) {
  if (b.take("async")) return build_async_store(b);
  ptx::Space space = b.take_space();
  const bool is_for_others = take_hints(b);
  const int vector = b.take_one_of({"v2", "v4", "v8"});
  const ptx::Type type = b.take_type();
  const SlotSize base = read_address(b, b.operand(0), space);
  check_base(b, space, base);
  b.insn.b = is_for_others ? 1 : 0;
  const SlotSize slot = take_registers<true>(b, b.operand(1), vector, slot_for(type));
  b.emit(store_handler(b, space, base, slot, type));
}

const Insn* do_nothing(Warp&, const Insn* insn) { return insn + 1; }

/// Hints about caches: they change no value.
void build_cache_hint(Builder& b) {
  b.take_space();
  b.take_one_of({"L1", "L2", "L2::evict_last", "L2::evict_normal", "L2::128B"});
  b.take("tensormap");
  b.take("L2");
  b.emit(&do_nothing);
}

/// Which bits stand for which policy is the device's own affair; no access here asks for them.
const Insn* make_policy(Warp& warp, const Insn* insn) {
  set_lanes(lanes_at<std::uint64_t>(warp, insn->dst), guarded_lanes(warp, insn), [](int) { return std::uint64_t{0}; });
  return insn + 1;
}

void build_policy(Builder& b) {
  b.take_one_of({"range", "fractional", "cvt"});
  b.take("global");
  b.take("L2");
  for (int priorities = 0; priorities < 2; ++priorities)
    b.take_one_of({"L2::evict_first", "L2::evict_last", "L2::evict_normal", "L2::evict_unchanged"});
  b.take_type();
  b.write(b.insn.dst, b.operand(0), SlotSize::k64);
  b.emit(&make_policy);
}

constexpr OpcodeRow kRows[] = {
    {"ld", &build_load},
    {"ldu", &build_load},
    {"st", &build_store},
    {"prefetch", &build_cache_hint},
    {"prefetchu", &build_cache_hint},
    {"applypriority", &build_cache_hint},
    {"discard", &build_cache_hint},
    {"createpolicy", &build_policy},
};

}  // namespace

const OpcodeTable VGPU_ROWS(memory) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
