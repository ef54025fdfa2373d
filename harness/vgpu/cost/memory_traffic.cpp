#include "harness/vgpu/cost/memory_traffic.h"

#include <algorithm>

namespace vgpu {
namespace {

constexpr std::uint32_t kL1Ways = 4, kL2Ways = 8;

/// Shared memory and first-level cache are one memory; this much of it cannot be shared (compute capabilities 8.0, 8.6
/// and 9.0: 192, 128 and 256 KiB with 164, 100 and 228 KiB for shared memory).
constexpr std::uint64_t kNeverShared = 28 << 10;

std::uint64_t attribute(const DeviceProfile& profile, const char* name) {
  const auto found = profile.attributes.find(name);
  return found == profile.attributes.end() ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->second));
}

std::uint32_t count_of(unsigned sectors) {
  constexpr std::uint8_t kCounts[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return kCounts[sectors & 0xF];
}

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

SectoredCache::Entry& MemoryTraffic::use_l2(std::uint64_t line) {
  std::uint32_t evicted = 0;
  SectoredCache::Entry& entry = l2_.use(line, evicted);
  counts_.dram_write_bytes += std::uint64_t{kSectorBytes} * evicted;
  return entry;
}

/// The sectors of a line, from DRAM as far as they are not there; a fetch brings neighbours along.
void MemoryTraffic::fetch(SectoredCache::Entry& entry, SectorMask sectors) {
  const auto group = static_cast<SectorMask>((1u << sectors_fetched_) - 1);
  SectorMask fetched = 0;
  for (std::uint32_t first = 0; first < 4; first += sectors_fetched_)
    if ((sectors & ~entry.present & group << first) != 0)
      fetched |= static_cast<SectorMask>(group << first & ~entry.present);
  counts_.dram_read_bytes += std::uint64_t{kSectorBytes} * count_of(fetched);
  entry.present |= fetched;
}

void MemoryTraffic::load(std::uint32_t sm, std::uint64_t line, SectorMask sectors, bool past_l1) {
  l2_.expect(line);
  if (!past_l1) {
    if (l1_.empty()) l1_.assign(sizes_.sm_count, SectoredCache(sizes_.l1_bytes, kL1Ways));
    std::uint32_t evicted = 0;  // nothing ever is: writes pass through
    SectoredCache::Entry& entry = l1_[sm].use(line, evicted);
    const auto missing = static_cast<SectorMask>(sectors & ~entry.present);
    entry.present |= sectors;
    if (missing == 0) return;
    sectors = missing;
  }
  SectoredCache::Entry& entry = use_l2(line);
  counts_.l2_read_sectors += count_of(sectors);
  counts_.l2_hits += count_of(sectors & entry.present);
  if ((sectors & ~entry.present) != 0) fetch(entry, sectors);
}

/// A sector that is written in part is not read for that: the second level keeps track of bytes.
void MemoryTraffic::store(std::uint64_t line, SectorMask sectors) {
  SectoredCache::Entry& entry = use_l2(line);
  counts_.l2_write_sectors += count_of(sectors);
  entry.present |= sectors;
  entry.dirty |= sectors;
}

void MemoryTraffic::atomic(std::uint64_t line, SectorMask sectors) {
  SectoredCache::Entry& entry = use_l2(line);
  counts_.l2_write_sectors += count_of(sectors);
  fetch(entry, sectors);
  entry.dirty |= sectors;
}

}  // namespace vgpu
