// The path of accesses to device memory: first-level caches, the second level, DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/vgpu/cost/memory_level.h"
#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/cost/sectored_cache.h"

namespace vgpu {

/// The caches of a device.
struct CacheSizes {
  std::uint32_t sm_count = 1;
  std::uint64_t l1_bytes = 0;        ///< of each multiprocessor, besides its shared memory
  std::uint64_t l2_bytes = 0;        ///< of data in use that it holds
  std::uint32_t l2_fetch_bytes = 0;  ///< what is read from DRAM at a time
};

/// The caches that a profile describes.
CacheSizes cache_sizes_of(const DeviceProfile& profile);

struct TrafficCounts {
  std::uint64_t l2_read_sectors = 0;   ///< requested from the second level
  std::uint64_t l2_write_sectors = 0;  ///< written to it; atomics count here
  std::uint64_t l2_hits = 0;           ///< of the sectors read, those present
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;

  // In addition, for consecutive launches, between which the second level keeps its contents.
  std::uint64_t left_sectors = 0;           ///< of those read from DRAM here, those left by earlier launches
  std::uint64_t changed_sectors = 0;        ///< not there before: something must be evicted for each
  std::uint64_t changed_again_sectors = 0;  ///< left by earlier launches
};

/// Caches are empty when a launch begins, as under Nsight Compute, and what is still dirty in the second level when it
/// ends is not counted as written to DRAM by that launch. The first level passes writes through and keeps what was
/// read. The second level tracks bytes: a sector that is written piece by piece is read from DRAM only if it is evicted
/// before it is complete.
///
/// Blocks are shown one after the other; on hardware, as many as fit run at the same time, and the work of one is
/// spread over the time of all. So a sector that several warps of a block write in turn may be evicted in between,
/// although nothing comes in between here. end_launch() adds the expected traffic of that.
class MemoryTraffic {
 public:
  /// Of a launch: blocks and, in each, warps have numbers of their own.
  struct Writer {
    std::uint32_t block = 0, warp = 0;
  };

  explicit MemoryTraffic(const CacheSizes& sizes);

  void begin_launch();

  /// Adds the traffic of sectors evicted between the writes of two warps of a block: `waves` is the number of blocks of
  /// the launch divided by the number that run at the same time, at least 1.
  void end_launch(double waves);

  /// Sectors of one line, by a multiprocessor below sm_count. `past_l1`: straight from the second level, as volatile
  /// reads are.
  /// Returns where the last of them was found, including what earlier launches left.
  MemoryLevel load(std::uint32_t sm, std::uint64_t line, SectorMask sectors, bool past_l1);
  /// `bytes`: of each sector of the line, those that are written, a bit each.
  void store(Writer writer, std::uint64_t line, const std::uint32_t (&bytes)[4]);
  MemoryLevel atomic(std::uint64_t line, SectorMask sectors);

  /// The multiprocessor's first level forgets what it has read, since others may have changed it.
  void forget_l1(std::uint32_t sm) {
    if (!l1_.empty()) l1_[sm].clear();
  }

  const TrafficCounts& counts() const { return counts_; }

 private:
  SectoredCache::Entry& use_l2(std::uint64_t line);
  MemoryLevel fetch(SectoredCache::Entry& entry, SectorMask sectors);
  void change(SectoredCache::Entry& entry, SectorMask sectors);
  std::uint32_t add_written(Writer writer, const SectoredCache::Entry& entry, std::uint32_t sector,
                            std::uint32_t bytes);

  CacheSizes sizes_;
  std::uint32_t sectors_fetched_;
  std::vector<SectoredCache> l1_;  ///< by multiprocessor, empty until first used
  SectoredCache l2_;
  /// A sector of which only some bytes are there.
  struct PartialSector {
    std::uint32_t bytes = 0;  ///< written, a bit each
    Writer writer;            ///< the latest
    bool is_shared = false;   ///< warps of that block have taken turns
  };
  std::vector<std::array<PartialSector, 4>> written_;  ///< by entry of l2_; empty until needed
  std::uint64_t shared_sectors_ = 0;  ///< of this launch: partial ones to which another warp of the same block added
  std::uint64_t lines_evicted_ = 0;   ///< of this launch
  TrafficCounts counts_;
};

}  // namespace vgpu
