#include "harness/vgpu/cost/memory_traffic.h"

#include <algorithm>

namespace vgpu {
namespace {

constexpr std::uint32_t kL1Ways = 4, kL2Ways = 8;

constexpr std::uint32_t kWholeSector = ~0u;  // a bit a byte

/// Shared memory and first-level cache are one memory; this much of it cannot be shared (compute capabilities 8.0, 8.6
/// and 9.0: 192, 128 and 256 KiB with 164, 100 and 228 KiB for shared memory).
constexpr std::uint64_t kNeverShared = 28 << 10;

std::uint32_t sector_count(unsigned sectors) {
  constexpr std::uint8_t kCounts[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return kCounts[sectors & 0xF];
}

}  // namespace

CacheSizes cache_sizes_of(const DeviceProfile& profile) {
  CacheSizes sizes;
  sizes.sm_count = profile.sm_count;
  sizes.l1_bytes = (profile.sm_shared + kNeverShared) / 2;  // the rest is for the blocks' shared memory
  sizes.l2_bytes = profile.l2_held_bytes;
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
  shared_sectors_ = lines_evicted_ = 0;
}

/// What was evicted half written is written once more, and read once to be completed. How often is linear in the part
/// of the cache that a wave of blocks replaces: on an H200, sectors that 2 to 8 warps of a block complete (transposes
/// of tiles of 2 to 32 warps, programs/counter_dram.cu) behave as if two thirds of a wave lay between the first and the
/// last of these writes. One warp completes its own sectors at once, however many pieces it does it in. Where blocks
/// live about as long as the launch, a wave says nothing of the time between two writes: they are taken to follow one
/// another.
void MemoryTraffic::end_launch(double waves) {
  constexpr double kSpread = 2.0 / 3;
  constexpr double kFewestWaves = 2;
  if (waves < kFewestWaves) return;
  const double evicted_in_a_wave = static_cast<double>(lines_evicted_) / waves / static_cast<double>(l2_.entries());
  const double often = std::min(1.0, kSpread * evicted_in_a_wave);
  const auto sectors = static_cast<std::uint64_t>(static_cast<double>(shared_sectors_) * often);
  counts_.dram_read_bytes += kSectorBytes * sectors;
  counts_.dram_write_bytes += kSectorBytes * sectors;
}

/// What makes room is written, and a sector of which only some bytes are known read before that.
SectoredCache::Entry& MemoryTraffic::use_l2(std::uint64_t line) {
  SectoredCache::Entry evicted;
  SectoredCache::Entry& entry = l2_.use(line, evicted);
  lines_evicted_ += (evicted.present | evicted.partial) != 0 ? 1 : 0;
  counts_.dram_write_bytes += std::uint64_t{kSectorBytes} * sector_count(evicted.dirty);
  counts_.dram_read_bytes += std::uint64_t{kSectorBytes} * sector_count(evicted.partial);
  return entry;
}

/// The sectors of a line, from DRAM as far as they are not there; a fetch brings neighbours along.
MemoryLevel MemoryTraffic::fetch(SectoredCache::Entry& entry, SectorMask sectors) {
  const auto group = static_cast<SectorMask>((1u << sectors_fetched_) - 1);
  SectorMask fetched = 0;
  for (std::uint32_t first = 0; first < 4; first += sectors_fetched_)
    if ((sectors & ~entry.present & group << first) != 0)
      fetched |= static_cast<SectorMask>(group << first & ~entry.present);
  counts_.dram_read_bytes += std::uint64_t{kSectorBytes} * sector_count(fetched);
  counts_.left_sectors += sector_count(fetched & entry.left);
  const auto missing = static_cast<SectorMask>(sectors & ~entry.present);
  const MemoryLevel found = missing == 0                   ? MemoryLevel::kL2
                            : (missing & ~entry.left) == 0 ? MemoryLevel::kLeft
                                                           : MemoryLevel::kDram;
  entry.present |= fetched;
  entry.partial &= static_cast<SectorMask>(~fetched);
  return found;
}

void MemoryTraffic::change(SectoredCache::Entry& entry, SectorMask sectors) {
  const auto changed = static_cast<unsigned>(sectors & ~entry.dirty);
  counts_.changed_sectors += sector_count(changed & ~entry.left);
  counts_.changed_again_sectors += sector_count(changed & entry.left);
  entry.dirty |= sectors;
}

MemoryLevel MemoryTraffic::load(std::uint32_t sm, std::uint64_t line, SectorMask sectors, bool past_l1) {
  l2_.expect(line);
  if (!past_l1) {
    if (l1_.empty()) l1_.assign(sizes_.sm_count, SectoredCache(sizes_.l1_bytes, kL1Ways));
    SectoredCache::Entry evicted;  // of no interest: writes pass through
    SectoredCache::Entry& entry = l1_[sm].use(line, evicted);
    const auto missing = static_cast<SectorMask>(sectors & ~entry.present);
    entry.present |= sectors;
    if (missing == 0) return MemoryLevel::kL1;
    sectors = missing;
  }
  SectoredCache::Entry& entry = use_l2(line);
  counts_.l2_read_sectors += sector_count(sectors);
  counts_.l2_hits += sector_count(sectors & entry.present);
  return (sectors & ~entry.present) == 0 ? MemoryLevel::kL2 : fetch(entry, sectors);
}

void MemoryTraffic::store(Writer writer, std::uint64_t line, const std::uint32_t (&bytes)[4]) {
  SectoredCache::Entry& entry = use_l2(line);
  for (std::uint32_t sector = 0; sector < 4; ++sector) {
    const auto bit = static_cast<SectorMask>(1u << sector);
    if (bytes[sector] == 0) continue;
    ++counts_.l2_write_sectors;
    change(entry, bit);
    if ((entry.present & bit) != 0) continue;
    const bool is_whole =
        bytes[sector] == kWholeSector || add_written(writer, entry, sector, bytes[sector]) == kWholeSector;
    SectorMask& belongs_to = is_whole ? entry.present : entry.partial;
    belongs_to |= bit;
    if (is_whole) entry.partial &= static_cast<SectorMask>(~bit);
  }
}

/// Notes bytes of a sector that is not there as a whole; gives all those that have been written.
std::uint32_t MemoryTraffic::add_written(Writer writer, const SectoredCache::Entry& entry, std::uint32_t sector,
                                         std::uint32_t bytes) {
  if (written_.empty()) written_.resize(l2_.entries());
  PartialSector& partial = written_[l2_.index_of(entry)][sector];
  if ((entry.partial >> sector & 1) == 0) {
    partial = {};
  } else if (partial.writer.block == writer.block && partial.writer.warp != writer.warp) {
    shared_sectors_ += partial.is_shared ? 0 : 1;
    partial.is_shared = true;
  }
  partial.writer = writer;
  return partial.bytes |= bytes;
}

MemoryLevel MemoryTraffic::atomic(std::uint64_t line, SectorMask sectors) {
  SectoredCache::Entry& entry = use_l2(line);
  counts_.l2_write_sectors += sector_count(sectors);
  const MemoryLevel found = fetch(entry, sectors);
  change(entry, sectors);
  return found;
}

}  // namespace vgpu
