// From address registers to bytes of memory: the part that every load, store and atomic shares.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/vgpu/machine/address_windows.h"
#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/machine/opcodes/lane_loops.h"
#include "harness/vgpu/machine/stray_access.h"

#define VGPU_INLINE inline __attribute__((always_inline))

namespace vgpu {
namespace {

/// 32 addresses in the space's own terms; A is 32 or 64 bits wide. Lanes that do not take part hold the address of one
/// that does, so that questions about all of them can be asked without regard to masks.
template <class A>
struct LaneAddresses {
  alignas(64) A at[kLanes];
};

/// Gives the lanes that are not in `lanes` (which is not empty) the address of one that is.
template <class A>
VGPU_INLINE void stand_in(LaneAddresses<A>& addresses, Mask lanes) {
  if (lanes == kAllLanes) return;
  const A one = addresses.at[__builtin_ctz(lanes)];
  for (int lane = 0; lane < kLanes; ++lane) addresses.at[lane] = (lanes >> lane & 1) != 0 ? addresses.at[lane] : one;
}

/// Where and by what a warp has looked that may be waiting.
template <ptx::Space S, class A>
VGPU_INLINE void note_poll(Warp& warp, const Insn* insn, Mask lanes, const LaneAddresses<A>& addresses) {
  const std::uint64_t address = addresses.at[__builtin_ctz(lanes)];
  const std::uint64_t place = S == ptx::Space::kGlobal ? address : ~address;
  if (place == warp.polled_at) warp.polls += Warp::kSamePlace;
  warp.polled_at = place;
  warp.polled_by = insn;
  warp.waits_by = nullptr;
  warp.polls_to_take = false;
}

/// Whether the warp has waited there for what it is about to change again, as at a barrier of all blocks.
VGPU_INLINE bool comes_back(const Warp& warp, std::uint64_t address) { return warp.polled_at == address; }

template <class A>
__attribute__((noinline)) bool lets_lookers_go_first(Warp& warp, const Insn* insn, Mask lanes, bool overwrites,
                                                     const LaneAddresses<A>& addresses) {
  Launch& launch = warp.block->launch();
  const auto each = [&](const auto& visit) {
    for (Mask rest = lanes; rest != 0; rest &= rest - 1) visit(addresses.at[__builtin_ctz(rest)]);
  };
  if (std::exchange(warp.resumed, false)) {
    each([&](std::uint64_t address) { launch.writes_now(address); });
    return false;
  }
  if (warp.polled_by == insn || !launch.lets_others_look()) return false;
  bool is_polled = false, is_about_to_be_written = false;
  each([&](std::uint64_t address) {
    is_polled |= launch.is_polled(address) || (comes_back(warp, address) && launch.is_to_be_looked_at(address));
    is_about_to_be_written |= launch.is_about_to_be_written(address);
  });
  if (!(overwrites ? !is_about_to_be_written : is_polled)) return false;
  each([&](std::uint64_t address) { launch.is_about_to_write(address); });
  return true;
}

/// A warp that is about to write in global memory what others poll for lets them look first, once. One that overwrites
/// what is there does so whether they poll already or not, unless another one is about to write there, too; one that
/// comes back to where it has waited, also for those that have arrived there and are about to poll. One that polls by
/// this very instruction does not: it is waiting itself.
template <class A>
VGPU_INLINE bool lets_others_look_first(Warp& warp, const Insn* insn, Mask lanes, bool overwrites,
                                        const LaneAddresses<A>& addresses) {
  if (!overwrites && !warp.resumed && !warp.block->launch().is_any_polled() &&
      !comes_back(warp, addresses.at[__builtin_ctz(lanes)]))
    return false;
  return lets_lookers_go_first(warp, insn, lanes, overwrites, addresses);
}

/// What lanes have written there may be what others poll for.
template <class A>
VGPU_INLINE void note_written(Warp& warp, Mask lanes, const LaneAddresses<A>& addresses) {
  Launch& launch = warp.block->launch();
  if (!launch.is_any_polled()) return;
  for (; lanes != 0; lanes &= lanes - 1) launch.wrote(addresses.at[__builtin_ctz(lanes)]);
}

/// register + offset, for every lane; `lanes` is not empty.
template <class A>
VGPU_INLINE void compute_addresses(Warp& warp, const Insn* insn, Mask lanes, LaneAddresses<A>& to) {
  const A* base = lanes_at<A>(warp, insn->a);
  const auto offset = static_cast<A>(insn->offset);
  for (int lane = 0; lane < kLanes; ++lane) to.at[lane] = static_cast<A>(base[lane] + offset);
  stand_in(to, lanes);
}

/// What a look at all addresses together tells. Neighbouring lanes mostly touch neighbouring bytes, or all the same
/// ones, in each half of the warp by itself (a 16-wide tile has two rows in a warp); then bytes move 64 at a time.
struct Shape {
  bool fine;                ///< all inside [low, low + span - bytes] and aligned to `bytes`
  std::uint8_t contiguous;  ///< bit h: lanes of half h follow each other `bytes` apart
  std::uint8_t uniform;     ///< bit h: lanes of half h have one address
};

constexpr int kHalf = kLanes / 2;

/// Whether halves of a warp that are rows (bits in `contiguous`) or one place, from `first` and `second` on, are fine:
/// their ends say where they lie.
template <class A>
VGPU_INLINE bool rows_are_fine(A first, A second, unsigned contiguous, std::uint64_t low, std::uint64_t span,
                               std::uint32_t bytes) {
  const auto limit = static_cast<A>(span - bytes);
  const auto length = (kHalf - 1) * static_cast<A>(bytes);
  const A from_first = static_cast<A>(first - static_cast<A>(low));
  const A from_second = static_cast<A>(second - static_cast<A>(low));
  const A room = static_cast<A>(limit - from_first), more_room = static_cast<A>(limit - from_second);
  return (span >= bytes) & (((first | second) & (bytes - 1)) == 0) & (from_first <= limit) & (from_second <= limit) &
         (room >= ((contiguous & 1) != 0 ? length : 0)) & (more_room >= ((contiguous & 2) != 0 ? length : 0));
}

#if defined(__AVX512F__) && defined(__AVX512BW__)

/// Lane numbers times `bytes`.
VGPU_INLINE __m512i steps32(std::uint32_t bytes) {
  const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_mullo_epi32(numbers, _mm512_set1_epi32(static_cast<int>(bytes)));
}

VGPU_INLINE Shape examine(const LaneAddresses<std::uint32_t>& addresses, std::uint64_t low, std::uint64_t span,
                          std::uint32_t bytes) {
  const __m512i first = _mm512_load_si512(addresses.at), second = _mm512_load_si512(addresses.at + kHalf);
  const __m512i from = _mm512_set1_epi32(static_cast<int>(low)),
                limit = _mm512_set1_epi32(static_cast<int>(span - bytes));
  const unsigned outside =
      _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(first, from), limit) |
      _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(second, from), limit) |
      _mm512_test_epi32_mask(_mm512_or_si512(first, second), _mm512_set1_epi32(static_cast<int>(bytes - 1)));
  const __m512i in_first = _mm512_sub_epi32(first, _mm512_set1_epi32(static_cast<int>(addresses.at[0])));
  const __m512i in_second = _mm512_sub_epi32(second, _mm512_set1_epi32(static_cast<int>(addresses.at[kHalf])));
  const __m512i steps = steps32(bytes);
  const unsigned contiguous = unsigned{_mm512_cmpneq_epi32_mask(in_first, steps) == 0} |
                              unsigned{_mm512_cmpneq_epi32_mask(in_second, steps) == 0} << 1;
  const unsigned uniform = unsigned{_mm512_test_epi32_mask(in_first, in_first) == 0} |
                           unsigned{_mm512_test_epi32_mask(in_second, in_second) == 0} << 1;
  return {outside == 0 && span >= bytes, static_cast<std::uint8_t>(contiguous), static_cast<std::uint8_t>(uniform)};
}

VGPU_INLINE Shape examine(const LaneAddresses<std::uint64_t>& addresses, std::uint64_t low, std::uint64_t span,
                          std::uint32_t bytes) {
  const __m512i from = _mm512_set1_epi64(static_cast<long long>(low)),
                limit = _mm512_set1_epi64(static_cast<long long>(span - bytes));
  const __m512i steps = _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(bytes));
  const __m512i more_steps = _mm512_add_epi64(steps, _mm512_set1_epi64(8 * static_cast<long long>(bytes)));
  __m512i any = _mm512_setzero_si512();
  unsigned outside = 0, contiguous = 0, uniform = 0;
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t* const at = addresses.at + half * kHalf;
    const __m512i first = _mm512_load_si512(at), second = _mm512_load_si512(at + 8);
    outside |= _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(first, from), limit) |
               _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(second, from), limit);
    any = _mm512_or_si512(any, _mm512_or_si512(first, second));
    const __m512i start = _mm512_set1_epi64(static_cast<long long>(at[0]));
    const __m512i in_first = _mm512_sub_epi64(first, start), in_second = _mm512_sub_epi64(second, start);
    const unsigned broken = _mm512_cmpneq_epi64_mask(in_first, steps) | _mm512_cmpneq_epi64_mask(in_second, more_steps);
    const unsigned apart = _mm512_test_epi64_mask(in_first, in_first) | _mm512_test_epi64_mask(in_second, in_second);
    contiguous |= unsigned{broken == 0} << half;
    uniform |= unsigned{apart == 0} << half;
  }
  const bool aligned = _mm512_test_epi64_mask(any, _mm512_set1_epi64(bytes - 1)) == 0;
  return {outside == 0 && aligned && span >= bytes, static_cast<std::uint8_t>(contiguous),
          static_cast<std::uint8_t>(uniform)};
}

#elif defined(__AVX2__)

VGPU_INLINE bool is_zero(__m256i bits) { return _mm256_testz_si256(bits, bits) != 0; }

VGPU_INLINE __m256i eight_from(const std::uint32_t* at) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
}
VGPU_INLINE __m256i four_from(const std::uint64_t* at) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
}

VGPU_INLINE Shape examine(const LaneAddresses<std::uint32_t>& addresses, std::uint64_t low, std::uint64_t span,
                          std::uint32_t bytes) {
  const auto from = static_cast<std::uint32_t>(low), limit = static_cast<std::uint32_t>(span - bytes);
  const __m256i steps =
      _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int>(bytes)));
  const __m256i more_steps = _mm256_add_epi32(steps, _mm256_set1_epi32(static_cast<int>(8 * bytes)));
  unsigned contiguous = 0, uniform = 0;
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t* const at = addresses.at + half * kHalf;
    const __m256i start = _mm256_set1_epi32(static_cast<int>(at[0]));
    const __m256i first = _mm256_sub_epi32(eight_from(at), start), second = _mm256_sub_epi32(eight_from(at + 8), start);
    const __m256i broken = _mm256_or_si256(_mm256_xor_si256(first, steps), _mm256_xor_si256(second, more_steps));
    contiguous |= unsigned{is_zero(broken)} << half;
    uniform |= unsigned{is_zero(_mm256_or_si256(first, second))} << half;
  }
  const auto shape = [&](bool fine) {
    return Shape{fine && span >= bytes, static_cast<std::uint8_t>(contiguous), static_cast<std::uint8_t>(uniform)};
  };
  if ((contiguous | uniform) == 3)
    return shape(rows_are_fine(addresses.at[0], addresses.at[kHalf], contiguous, low, span, bytes));
  const __m256i begin = _mm256_set1_epi32(static_cast<int>(from));
  __m256i any = _mm256_setzero_si256(), furthest = _mm256_setzero_si256();
  for (int lane = 0; lane < kLanes; lane += 8) {
    const __m256i some = eight_from(addresses.at + lane);
    any = _mm256_or_si256(any, some);
    furthest = _mm256_max_epu32(furthest, _mm256_sub_epi32(some, begin));
  }
  const __m256i last = _mm256_set1_epi32(static_cast<int>(limit));
  const bool inside = is_zero(_mm256_xor_si256(_mm256_max_epu32(furthest, last), last));
  return shape(inside && _mm256_testz_si256(any, _mm256_set1_epi32(static_cast<int>(bytes - 1))) != 0);
}

VGPU_INLINE Shape examine(const LaneAddresses<std::uint64_t>& addresses, std::uint64_t low, std::uint64_t span,
                          std::uint32_t bytes) {
  const std::uint64_t limit = span - bytes;
  const __m256i steps = _mm256_mul_epu32(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(bytes));
  unsigned contiguous = 0, uniform = 0;
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t* const at = addresses.at + half * kHalf;
    const __m256i start = _mm256_set1_epi64x(static_cast<long long>(at[0]));
    __m256i broken = _mm256_setzero_si256(), apart = broken;
    for (int n = 0; n < kHalf; n += 4) {
      const __m256i some = _mm256_sub_epi64(four_from(at + n), start);
      const __m256i here = _mm256_add_epi64(steps, _mm256_set1_epi64x(static_cast<long long>(n) * bytes));
      broken = _mm256_or_si256(broken, _mm256_xor_si256(some, here));
      apart = _mm256_or_si256(apart, some);
    }
    contiguous |= unsigned{is_zero(broken)} << half;
    uniform |= unsigned{is_zero(apart)} << half;
  }
  const auto shape = [&](bool fine) {
    return Shape{fine && span >= bytes, static_cast<std::uint8_t>(contiguous), static_cast<std::uint8_t>(uniform)};
  };
  if ((contiguous | uniform) == 3)
    return shape(rows_are_fine(addresses.at[0], addresses.at[kHalf], contiguous, low, span, bytes));
  const __m256i sign = _mm256_set1_epi64x(std::numeric_limits<long long>::min());  // only signed numbers are compared
  const __m256i begin = _mm256_set1_epi64x(static_cast<long long>(low));
  const __m256i last = _mm256_xor_si256(_mm256_set1_epi64x(static_cast<long long>(limit)), sign);
  __m256i any = _mm256_setzero_si256(), outside = any;
  for (int lane = 0; lane < kLanes; lane += 4) {
    const __m256i some = four_from(addresses.at + lane);
    any = _mm256_or_si256(any, some);
    outside = _mm256_or_si256(outside, _mm256_cmpgt_epi64(_mm256_xor_si256(_mm256_sub_epi64(some, begin), sign), last));
  }
  return shape(is_zero(outside) && _mm256_testz_si256(any, _mm256_set1_epi64x(bytes - 1)) != 0);
}

#else

template <class A>
VGPU_INLINE Shape examine(const LaneAddresses<A>& addresses, std::uint64_t low, std::uint64_t span,
                          std::uint32_t bytes) {
  const auto from = static_cast<A>(low), limit = static_cast<A>(span - bytes);
  A any = 0, outside = 0;
  unsigned contiguous = 0, uniform = 0;
  for (int half = 0; half < 2; ++half) {
    const A* const at = addresses.at + half * kHalf;
    A broken = 0, apart = 0;
    for (int n = 0; n < kHalf; ++n) {
      outside |= static_cast<A>(static_cast<A>(at[n] - from) > limit);
      any |= at[n];
      broken |= at[n] ^ static_cast<A>(at[0] + static_cast<A>(n) * bytes);
      apart |= at[n] ^ at[0];
    }
    contiguous |= static_cast<unsigned>(broken == 0) << half;
    uniform |= static_cast<unsigned>(apart == 0) << half;
  }
  return {outside == 0 && (any & (bytes - 1)) == 0 && span >= bytes, static_cast<std::uint8_t>(contiguous),
          static_cast<std::uint8_t>(uniform)};
}

#endif

/// The event that an observer is shown. `shape` is that of all 32 lanes and fine, or nothing.
template <class A>
VGPU_INLINE MemoryAccess event_of(const Warp& warp, const Insn* insn, ptx::Space space, AccessKind kind,
                                  std::uint32_t bytes, Mask lanes, const LaneAddresses<A>& addresses,
                                  const Shape& shape = {}) {
  MemoryAccess access{&warp, insn, space, kind, bytes, lanes, nullptr, nullptr, 0, 0, false};
  if constexpr (sizeof(A) == 4)
    access.narrow = addresses.at;
  else
    access.wide = addresses.at;
  if ((shape.contiguous | shape.uniform) == 3) {  // of a fine shape: the ends of the halves say it all
    access.lowest = std::min(addresses.at[0], addresses.at[kHalf]);
    access.highest = std::max(addresses.at[kHalf - 1], addresses.at[kLanes - 1]);
    access.aligned = true;
  } else {
    A low = addresses.at[0], high = addresses.at[0], any = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      low = addresses.at[lane] < low ? addresses.at[lane] : low;
      high = addresses.at[lane] > high ? addresses.at[lane] : high;
      any |= addresses.at[lane];
    }
    access.lowest = low;
    access.highest = high;
    access.aligned = (any & (bytes - 1)) == 0;
  }
  access.contiguous = shape.contiguous;
  access.uniform = shape.uniform;
  return access;
}

/// Memory of one space as the machine reaches it: a lane's byte is at base + address.
struct Reach {
  std::byte* base;
  Mask lanes;  ///< that may go ahead
  Shape shape;
  bool faulted;  ///< the warp has stopped
};

/// The rare way: some address is not plainly fine. Host memory that the device may use lies anywhere, so the addresses
/// that come back are 64 bits wide and counted from `base`.
__attribute__((noinline, cold)) Reach reach_stray(Warp& warp, const Insn* insn, ptx::Space space, AccessKind kind,
                                                  std::uint32_t bytes, Mask lanes, std::byte* base,
                                                  std::uint64_t* addresses) {
  const StrayAccess stray = look_at_stray_access(warp, insn, space, kind, bytes, lanes, addresses);
  return {base, lanes, {!stray.faulted, 0, 0}, stray.faulted};
}

/// Likewise, into a cluster's shared memory: from the lowest place on, which may be before the block's own memory.
__attribute__((noinline, cold, unused)) Reach reach_cluster(Warp& warp, const Insn* insn, AccessKind kind,
                                                            std::uint32_t bytes, Mask lanes,
                                                            LaneAddresses<std::uint64_t>& addresses) {
  const ClusterAccess access = look_at_cluster_access(warp, insn, kind, bytes, lanes, addresses.at);
  if (access.lanes == 0) return {warp.shared, 0, {!access.faulted, 0, 0}, access.faulted};
  std::int64_t lowest = 0;
  for (const std::uint64_t address : addresses.at) lowest = std::min(lowest, static_cast<std::int64_t>(address));
  for (std::uint64_t& address : addresses.at) address -= static_cast<std::uint64_t>(lowest);
  return {warp.shared + lowest, access.lanes, {!access.faulted, 0, 0}, access.faulted};
}

/// Shared addresses of 32 bits that say which block of the cluster they mean are right where that is the warp's own.
__attribute__((noinline, cold, unused)) void bring_home(const Warp& warp, LaneAddresses<std::uint32_t>& addresses) {
  if (warp.block->known_cluster() == nullptr) return;  // nobody has mapped any
  for (std::uint32_t& address : addresses.at)
    if (address / kRankBytes == warp.block->cluster_rank() + 1) address %= kRankBytes;
}

/// Lets the observer see the access and checks what is left. `bytes` counts the whole vector of a lane.
template <ptx::Space S, bool Watched, class A>
VGPU_INLINE Reach reach(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, Mask lanes,
                        LaneAddresses<A>& addresses) {
  static_assert(S == ptx::Space::kGlobal || S == ptx::Space::kShared, "local memory has its own way");
  constexpr bool kGlobal = S == ptx::Space::kGlobal;
  const std::uint64_t low = kGlobal ? warp.global_low : warp.shared_low;
  const std::uint64_t span = kGlobal ? warp.global_span : warp.shared_span;
  Reach found{kGlobal ? reinterpret_cast<std::byte*>(warp.global_delta) : warp.shared, lanes, {}, false};
  if constexpr (!kGlobal) {
    A any = 0;
    for (const A address : addresses.at) any |= address;
    if (__builtin_expect(any >= kRankBytes, 0)) {
      if constexpr (sizeof(A) == 8) return reach_cluster(warp, insn, kind, bytes, lanes, addresses);
      if constexpr (sizeof(A) == 4) bring_home(warp, addresses);
    }
  }
  found.shape = examine(addresses, low, span, bytes);
  if constexpr (Watched) {
    const bool is_whole = lanes == kAllLanes && found.shape.fine;
    found.lanes =
        warp.observer->access(event_of(warp, insn, S, kind, bytes, lanes, addresses, is_whole ? found.shape : Shape{}));
    if (found.lanes == 0) return found;
    if (found.lanes != lanes) {
      stand_in(addresses, found.lanes);
      found.shape = examine(addresses, low, span, bytes);
    }
  }
  if (__builtin_expect(!found.shape.fine, 0)) {
    LaneAddresses<std::uint64_t> wide;
    for (int lane = 0; lane < kLanes; ++lane) wide.at[lane] = addresses.at[lane];
    found = reach_stray(warp, insn, S, kind, bytes, found.lanes, found.base, wide.at);
    if constexpr (sizeof(A) == 8) std::memcpy(addresses.at, wide.at, sizeof wide.at);
  }
  return found;
}

/// The same where the kernel may be watched or not.
template <ptx::Space S, class A>
VGPU_INLINE Reach reach_as_watched(Warp& warp, const Insn* insn, AccessKind kind, std::uint32_t bytes, Mask lanes,
                                   LaneAddresses<A>& addresses) {
  return warp.observer != nullptr ? reach<S, true>(warp, insn, kind, bytes, lanes, addresses)
                                  : reach<S, false>(warp, insn, kind, bytes, lanes, addresses);
}

// --- moving the bytes ---

template <class Mem>
VGPU_INLINE Mem load_one(const std::byte* from) {
  Mem value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// What half a warp reads. Values come by way of this array, since a register might, for all the compiler knows, lie in
/// the memory that is read: going straight there, it would move them one by one.
template <class Mem>
struct HalfWarp {
  alignas(64) Mem values[kHalf];

  template <class Reg>
  VGPU_INLINE void put(Reg* to) const {
    for (int n = 0; n < kHalf; ++n) to[n] = static_cast<Reg>(values[n]);
  }
};

/// 16 lanes from anywhere.
template <class Mem, class A>
VGPU_INLINE void gather_half(const std::byte* base, const A* at, HalfWarp<Mem>& to) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  if constexpr (sizeof(Mem) == 4 && sizeof(A) == 4) {  // shared addresses stay below 2^31: the index is not negative
    _mm512_store_si512(to.values, _mm512_i32gather_epi32(_mm512_loadu_si512(at), base, 1));
    return;
  }
#endif
  for (int n = 0; n < kHalf; ++n) to.values[n] = load_one<Mem>(base + at[n]);
}

/// Moves a row by the widest vectors there are. memcpy() would take 16 bytes at a time, and who reads the register
/// next, as wide as can be, would wait until all of these stores have left the processor.
template <std::size_t Bytes>
VGPU_INLINE void copy_row(void* to, const void* from) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  if constexpr (Bytes % 64 == 0) {
    for (std::size_t at = 0; at < Bytes; at += 64)
      _mm512_storeu_si512(static_cast<std::byte*>(to) + at,
                          _mm512_loadu_si512(static_cast<const std::byte*>(from) + at));
    return;
  }
#endif
#ifdef __AVX2__
  if constexpr (Bytes % 32 == 0) {
    for (std::size_t at = 0; at < Bytes; at += 32) {
      const __m256i some =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(static_cast<const std::byte*>(from) + at));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(static_cast<std::byte*>(to) + at), some);
    }
    return;
  }
#endif
  std::memcpy(to, from, Bytes);
}

/// Half a warp that reads a row, or one place. No register lies in memory that a kernel may read.
template <class Mem, class Reg>
VGPU_INLINE void load_row(const std::byte* from, bool is_row, Reg* to) {
  if (!is_row) {
    const auto value = static_cast<Reg>(load_one<Mem>(from));
    for (int n = 0; n < kHalf; ++n) to[n] = value;
  } else if constexpr (sizeof(Mem) == sizeof(Reg)) {
    copy_row<kHalf * sizeof(Mem)>(to, from);
  } else {
    HalfWarp<Mem> read;
    std::memcpy(read.values, from, sizeof read.values);
    read.put(to);
  }
}

/// to[lane] = *(Mem*)(base + address), widened to the register, for all 32 lanes of a fine access of one element a
/// lane.
template <class Mem, class Reg, class A>
VGPU_INLINE void load_whole_warp(const std::byte* base, const Shape& shape, const LaneAddresses<A>& addresses,
                                 Reg* to) {
  for (int half = 0; half < 2; ++half) {
    const A* const at = addresses.at + half * kHalf;
    if (((shape.contiguous | shape.uniform) >> half & 1) != 0) {
      load_row<Mem>(base + at[0], (shape.contiguous >> half & 1) != 0, to + half * kHalf);
    } else {
      HalfWarp<Mem> read;
      gather_half(base, at, read);
      read.put(to + half * kHalf);
    }
  }
}

template <class Mem, class Reg, class A>
VGPU_INLINE void store_whole_warp(std::byte* base, const Shape& shape, const LaneAddresses<A>& addresses,
                                  const Reg* from) {
  for (int half = 0; half < 2; ++half) {
    const A* const at = addresses.at + half * kHalf;
    const Reg* const in = from + half * kHalf;
    if (sizeof(Mem) == sizeof(Reg) && (shape.contiguous >> half & 1) != 0) {
      copy_row<kHalf * sizeof(Mem)>(base + at[0], in);
    } else if ((shape.contiguous >> half & 1) != 0) {
      alignas(64) Mem values[kHalf];
      for (int n = 0; n < kHalf; ++n) values[n] = static_cast<Mem>(in[n]);
      std::memcpy(base + at[0], values, sizeof values);
    } else {
      for (int n = 0; n < kHalf; ++n) {
        const auto value = static_cast<Mem>(in[n]);
        std::memcpy(base + at[n], &value, sizeof value);
      }
    }
  }
}

}  // namespace
}  // namespace vgpu
