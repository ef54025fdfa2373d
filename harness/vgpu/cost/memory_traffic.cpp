#include "harness/vgpu/cost/memory_traffic.h"

#include <algorithm>

namespace vgpu {
namespace {

constexpr std::uint32_t kL1Ways = 4, kL2Ways = 16;

/// Shared memory and first-level cache are one memory; this much of it cannot be shared (compute capabilities 8.0, 8.6
/// and 9.0: 192, 128 and 256 KiB with 164, 100 and 228 KiB for shared memory).
constexpr std::uint64_t kNeverShared = 28 << 10;

std::uint64_t attribute(const DeviceProfile& profile, const char* name) {
  const auto found = profile.attributes.find(name);
  return found == profile.attributes.end() ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->second));
}

std::uint32_t count_of(SectorMask sectors) { return static_cast<std::uint32_t>(__builtin_popcount(sectors)); }

}  // namespace

CacheSizes cache_sizes_of(const DeviceProfile& profile) {
  CacheSizes sizes;
  sizes.sm_count = profile.sm_count;
  sizes.l1_bytes = (profile.sm_shared + kNeverShared) / 2;  // the rest is for the blocks' shared memory
  sizes.l2_bytes = attribute(profile, "L2CacheSize");
  sizes.l2_fetch_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(profile.limits[5], kLineBytes));
  return sizes;
}

MemoryTraffic::MemoryTraffic(const CacheSizes& sizes)
    : sizes_(sizes),
      sectors_fetched_(sizes.l2_fetch_bytes >= kLineBytes         ? 4
                       : sizes.l2_fetch_bytes >= 2 * kSectorBytes ? 2
                                                                  : 1),
      l2_(sizes.l2_bytes, kL2Ways) {}

void MemoryTraffic::begin_launch() {
  for (SectoredCache& cache : l1_) cache.clear();
  l2_.clear();
}

/// The sectors of a line, from DRAM as far as they are not there; a fetch brings neighbours along.
SectorMask MemoryTraffic::read_l2(std::uint64_t line, SectorMask sectors, SectorMask dirty) {
  const SectorMask present = l2_.look(line);
  SectorMask fetched = 0;
  const auto group = static_cast<SectorMask>((1u << sectors_fetched_) - 1);
  for (std::uint32_t first = 0; first < 4; first += sectors_fetched_)
    if ((sectors & ~present & group << first) != 0) fetched |= static_cast<SectorMask>(group << first & ~present);
  counts_.dram_read_bytes += std::uint64_t{kSectorBytes} * count_of(fetched);
  const SectoredCache::Outcome outcome = l2_.use(line, sectors | fetched, dirty);
  counts_.dram_write_bytes += std::uint64_t{kSectorBytes} * count_of(outcome.evicted_dirty);
  return sectors & present;
}

void MemoryTraffic::load(std::uint32_t sm, std::uint64_t line, SectorMask sectors, bool past_l1) {
  if (!past_l1) {
    if (l1_.empty()) l1_.assign(sizes_.sm_count, SectoredCache(sizes_.l1_bytes, kL1Ways));
    sectors &= static_cast<SectorMask>(~l1_[sm % l1_.size()].use(line, sectors, 0).present);
    if (sectors == 0) return;
  }
  counts_.l2_read_sectors += count_of(sectors);
  counts_.l2_hits += count_of(read_l2(line, sectors, 0));
}

/// A sector that is written in part is not read for that: the second level keeps track of bytes.
void MemoryTraffic::store(std::uint64_t line, SectorMask sectors) {
  counts_.l2_write_sectors += count_of(sectors);
  const SectoredCache::Outcome outcome = l2_.use(line, sectors, sectors);
  counts_.dram_write_bytes += std::uint64_t{kSectorBytes} * count_of(outcome.evicted_dirty);
}

void MemoryTraffic::atomic(std::uint64_t line, SectorMask sectors) {
  counts_.l2_write_sectors += count_of(sectors);
  read_l2(line, sectors, sectors);
}

}  // namespace vgpu
