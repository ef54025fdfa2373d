// Who touched a piece of memory last, in 64 bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "harness/vgpu/machine/lanes.h"
#include "harness/vgpu/monitor/happens_before.h"

namespace vgpu {

/// One access, or several by different threads folded into one: then it names the smallest aligned set of lanes, the
/// block or the grid that holds them all, and, but for the grid, the latest of their epochs. Zero is no access.
class AccessRecord {
 public:
  enum class By : std::uint8_t { kLanes, kBlock, kGrid };

  static constexpr Epoch kLastEpoch = (1u << 17) - 1;
  static constexpr std::uint32_t kSites = 1u << 13;
  static constexpr std::uint32_t kBlocks = 1u << 20;
  static constexpr std::uint32_t kReaderSets = kLastEpoch;

  AccessRecord() = default;

  /// One access by `lane` of a warp. `block` and `site` are below kBlocks and kSites, `epoch` in [1, kLastEpoch].
  static AccessRecord of(std::uint32_t block, std::uint32_t warp, int lane, Epoch epoch, std::uint32_t site,
                         bool strong) {
    AccessRecord r;
    r.bits_ = std::uint64_t{epoch} | std::uint64_t{site} << kSiteAt | (strong ? std::uint64_t{1} << kStrongAt : 0) |
              std::uint64_t{static_cast<std::uint32_t>(lane) + 32} << kLanesAt | std::uint64_t{warp} << kWarpAt |
              std::uint64_t{block} << kBlockAt;
    return r;
  }

  /// Weak accesses by several warps of a block, the latest of them in `epoch`.
  static AccessRecord of_block(std::uint32_t block, Epoch epoch) {
    AccessRecord r;
    r.bits_ = std::uint64_t{epoch} | static_cast<std::uint64_t>(By::kBlock) << kByAt | std::uint64_t{block} << kBlockAt;
    return r;
  }

  bool empty() const { return bits_ == 0; }
  By by() const { return static_cast<By>(bits_ >> kByAt & 3); }
  Epoch epoch() const { return static_cast<Epoch>(bits_ & kLastEpoch); }
  std::uint32_t site() const { return static_cast<std::uint32_t>(bits_ >> kSiteAt & (kSites - 1)); }
  /// Atomic or volatile: such accesses do not race with each other.
  bool strong() const { return (bits_ >> kStrongAt & 1) != 0; }
  std::uint32_t warp() const { return static_cast<std::uint32_t>(bits_ >> kWarpAt & 31); }
  std::uint32_t block() const { return static_cast<std::uint32_t>(bits_ >> kBlockAt & (kBlocks - 1)); }
  /// For kGrid: when the last of them was made (Racecheck counts what is published).
  std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> kLanesAt & ((1u << kTimeBits) - 1)); }
  /// For kGrid: whose they are, as ReaderSets numbers them, at most kReaderSets; 0 if that is not known.
  std::uint32_t readers() const { return static_cast<std::uint32_t>(bits_ & kLastEpoch); }
  AccessRecord with_readers(std::uint32_t readers) const {
    AccessRecord r = *this;
    if (by() == By::kGrid) r.set(0, kLastEpoch, readers);
    return r;
  }

  /// For kLanes: lanes [first_lane(), first_lane() + lane_count()).
  int first_lane() const { return static_cast<int>((node() << shift()) - 32); }
  int lane_count() const { return 1 << shift(); }

  /// All lanes from `lane` to `last`, or the smallest aligned set of lanes that holds them, as a number below 64.
  static std::uint32_t set_of_lanes(int lane, int last) {
    const int levels = lane == last ? 0 : 32 - __builtin_clz(static_cast<unsigned>(lane ^ last));
    return (static_cast<std::uint32_t>(lane) + 32) >> levels;
  }

  /// The smallest such set that holds two others.
  static std::uint32_t common_set(std::uint32_t a, std::uint32_t b) {
    const int levels = __builtin_clz(a) - __builtin_clz(b);  // that b is below a
    a >>= std::max(-levels, 0);
    b >>= std::max(levels, 0);
    return a >> (31 - __builtin_clz((a ^ b) << 1 | 1));
  }

  /// For kLanes: which, as set_of_lanes() numbers them.
  std::uint32_t lanes() const { return static_cast<std::uint32_t>(node()); }
  /// For kLanes: the same access by other lanes. Any other record as it is.
  AccessRecord with_lanes(std::uint32_t lanes) const {
    AccessRecord r = *this;
    if (by() == By::kLanes) r.set(kLanesAt, 63, lanes);
    return r;
  }
  AccessRecord without_lanes() const { return with_lanes(0); }

  /// Made by threads of the block, all in epochs before `epoch`; true also if there is no access.
  bool is_of_block_before(std::uint32_t in_block, Epoch before) const {
    return epoch() < before && (block() == in_block || empty()) && by() != By::kGrid;
  }

  /// Stands for weak accesses by several warps of the block, the latest of them in `epoch`.
  bool is_of_warps_in(std::uint32_t in_block, Epoch in_epoch) const {
    constexpr std::uint64_t kWhat =
        kLastEpoch | std::uint64_t{1} << kStrongAt | std::uint64_t{3} << kByAt | std::uint64_t{kBlocks - 1} << kBlockAt;
    return (bits_ & kWhat) == of_block(in_block, in_epoch).bits_;
  }

  /// Stands for weak accesses by blocks that are not known, up to `at_time` (see time()).
  bool is_of_blocks_at(std::uint32_t at_time) const {
    return by() == By::kGrid && !strong() && readers() == 0 && time() == (at_time & ((1u << kTimeBits) - 1));
  }

  /// Made by one thread, and that the one that made `other`.
  bool is_of_same_thread(const AccessRecord& other) const {
    constexpr std::uint64_t kWho = ~((std::uint64_t{1} << kByAt) - 1);
    return ((bits_ ^ other.bits_) & kWho) == 0 && by() == By::kLanes && shift() == 0;
  }

  /// Whether folding `other` in would change nothing. `time` as for with().
  bool includes(const AccessRecord& other, std::uint32_t at_time) const {
    if (strong() && !other.strong()) return false;
    if (by() == By::kGrid) return readers() == 0 && time() == (at_time & ((1u << kTimeBits) - 1));
    if (epoch() != other.epoch() || block() != other.block() || empty()) return false;
    if (by() == By::kBlock) return true;
    return warp() == other.warp() && shift() >= other.shift() && other.node() >> (shift() - other.shift()) == node();
  }

  /// This access and another one that nothing orders against it.
  AccessRecord with(const AccessRecord& other, std::uint32_t time) const {
    AccessRecord r = other;
    r.set(kStrongAt, 1, strong() && other.strong() ? 1 : 0);
    r.set(0, kLastEpoch, std::max(epoch(), other.epoch()));
    if (by() == By::kGrid || other.by() == By::kGrid || block() != other.block()) {
      r.set(kByAt, 3, static_cast<std::uint64_t>(By::kGrid));
      r.set(0, kLastEpoch, 0);
      r.set(kLanesAt, (std::uint64_t{1} << kTimeBits) - 1, time & ((1u << kTimeBits) - 1));
    } else if (by() == By::kBlock || other.by() == By::kBlock || warp() != other.warp()) {
      r.set(kByAt, 3, static_cast<std::uint64_t>(By::kBlock));
      r.set(kLanesAt, (std::uint64_t{1} << (kBlockAt - kLanesAt)) - 1, 0);  // so that most are alike
    } else {
      r.set(kLanesAt, 63, common_set(lanes(), other.lanes()));
    }
    return r;
  }

  bool operator==(const AccessRecord& other) const { return bits_ == other.bits_; }
  std::size_t hash() const { return static_cast<std::size_t>(bits_ * 0x9E3779B97F4A7C15u >> 32); }

 private:
  // Sets of lanes are nodes of a binary tree over the lanes: 32 + n is lane n, 1 is the whole warp.
  static constexpr int kSiteAt = 17, kStrongAt = 30, kByAt = 31, kLanesAt = 33, kWarpAt = 39, kBlockAt = 44;
  static constexpr int kTimeBits = 31;

  std::uint64_t node() const { return bits_ >> kLanesAt & 63; }
  int shift() const { return __builtin_clzll(node()) - __builtin_clzll(32); }
  void set(int at, std::uint64_t mask, std::uint64_t value) { bits_ = (bits_ & ~(mask << at)) | value << at; }

  std::uint64_t bits_ = 0;
};

}  // namespace vgpu
