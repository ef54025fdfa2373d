// What becomes of the accesses to device memory on their way: first-level caches, the second level, DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/vgpu/cost/found_at.h"
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

  // Beside these, of launches that follow one another, where the second level keeps what it has.
  std::uint64_t left_sectors = 0;           ///< of those read from DRAM here, those that launches before have left
  std::uint64_t changed_sectors = 0;        ///< that no launch had there before: something has to make room for each
  std::uint64_t changed_again_sectors = 0;  ///< that launches before have left
};

/// Caches are empty when a launch begins, as Nsight Compute has it, and what has changed in the second level when it
/// ends has not been written to DRAM by that launch. The first level passes writes through and keeps what was read. The
/// second level keeps track of bytes: a sector that is written bit by bit is read from DRAM only if it has to make room
/// before it is whole.
///
/// Blocks are shown one after the other; on hardware, as many as fit are under way at the same time, and what one of
/// them does is spread over the time that all of them take. So a sector that several warps of a block write in turn may
/// have to make room in between although nothing is seen to come in between here. end_launch() adds what is to be
/// expected of that.
class MemoryTraffic {
 public:
  /// Of a launch: blocks and, in each, warps have numbers of their own.
  struct Writer {
    std::uint32_t block = 0, warp = 0;
  };

  explicit MemoryTraffic(const CacheSizes& sizes);

  void begin_launch();

  /// Adds the traffic of sectors that had to make room between the writes of two warps of a block: `waves` is how many
  /// times as many blocks the launch had as are under way at the same time, at least 1.
  void end_launch(double waves);

  /// Sectors of one line, by a multiprocessor below sm_count. `past_l1`: straight from the second level, as volatile
  /// reads are.
  /// Says where the last of them was found, what launches before have left included.
  FoundAt load(std::uint32_t sm, std::uint64_t line, SectorMask sectors, bool past_l1);
  /// `bytes`: of each sector of the line, those that are written, a bit each.
  void store(Writer writer, std::uint64_t line, const std::uint32_t (&bytes)[4]);
  FoundAt atomic(std::uint64_t line, SectorMask sectors);

  const TrafficCounts& counts() const { return counts_; }

 private:
  SectoredCache::Entry& use_l2(std::uint64_t line);
  FoundAt fetch(SectoredCache::Entry& entry, SectorMask sectors);
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
