// What becomes of the accesses to device memory on their way: first-level caches, the second level, DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/cost/sectored_cache.h"

namespace vgpu {

/// The caches of a device.
struct CacheSizes {
  std::uint32_t sm_count = 1;
  std::uint64_t l1_bytes = 0;        ///< of each multiprocessor, beside its shared memory
  std::uint64_t l2_bytes = 0;        ///< that it holds of data in use
  std::uint32_t l2_fetch_bytes = 0;  ///< what is read from DRAM at a time
};

/// The caches that a profile describes.
CacheSizes cache_sizes_of(const DeviceProfile& profile);

struct TrafficCounts {
  std::uint64_t l2_read_sectors = 0;   ///< asked of the second level
  std::uint64_t l2_write_sectors = 0;  ///< written to it; atomics count here
  std::uint64_t l2_hits = 0;           ///< of the sectors read, those that were there
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;
};

/// Caches are empty when a launch begins, as Nsight Compute has it, and what has changed in the second level when it
/// ends has not been written to DRAM by that launch. The first level passes writes through and keeps what was read. The
/// second level keeps track of bytes: a sector that is written bit by bit is read from DRAM only if it has to make room
/// before it is whole.
class MemoryTraffic {
 public:
  explicit MemoryTraffic(const CacheSizes& sizes);

  void begin_launch();

  /// Sectors of one line, by a multiprocessor below sm_count. `past_l1`: straight from the second level, as volatile
  /// reads are.
  void load(std::uint32_t sm, std::uint64_t line, SectorMask sectors, bool past_l1);
  /// `bytes`: of each sector of the line, those that are written, a bit each.
  void store(std::uint64_t line, const std::uint32_t (&bytes)[4]);
  void atomic(std::uint64_t line, SectorMask sectors);

  const TrafficCounts& counts() const { return counts_; }

 private:
  SectoredCache::Entry& use_l2(std::uint64_t line);
  void fetch(SectoredCache::Entry& entry, SectorMask sectors);
  std::uint32_t add_written(const SectoredCache::Entry& entry, std::uint32_t sector, std::uint32_t bytes);

  CacheSizes sizes_;
  std::uint32_t sectors_fetched_;
  std::vector<SectoredCache> l1_;  ///< by multiprocessor, empty until first used
  SectoredCache l2_;
  std::vector<std::array<std::uint32_t, 4>>
      written_;  ///< by entry of l2_: bytes of its partial sectors; empty until needed
  TrafficCounts counts_;
};

}  // namespace vgpu
