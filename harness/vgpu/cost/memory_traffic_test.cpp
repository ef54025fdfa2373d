// Caches: who makes room for whom, and how many bytes come from DRAM and go there.
#include "harness/vgpu/cost/memory_traffic.h"

#include <gtest/gtest.h>

#include <variant>

namespace vgpu {
namespace {

constexpr SectorMask kWhole = 0xF;

/// What is there of a line before `fill` and `dirty` sectors of it are put there. Sectors that had changed of what
/// makes room for it are added to `evicted`.
SectorMask used(SectoredCache& cache, std::uint64_t line, SectorMask fill = 0, SectorMask dirty = 0,
                int* evicted = nullptr) {
  SectoredCache::Entry old;
  SectoredCache::Entry& entry = cache.use(line, old);
  if (evicted != nullptr) *evicted += __builtin_popcount(old.dirty);
  const SectorMask present = entry.present;
  entry.present |= fill;
  entry.dirty |= dirty;
  return present;
}

TEST(SectoredCache, HasTheSectorsThatWereFilled) {
  SectoredCache cache(1 << 14, 4);
  EXPECT_EQ(used(cache, 5, 0b0011), 0);
  EXPECT_EQ(used(cache, 5, 0b0110), 0b0011);
  EXPECT_EQ(used(cache, 5), 0b0111);
  EXPECT_EQ(used(cache, 6), 0);
}

TEST(SectoredCache, TheLineThatWasNotUsedForLongestMakesRoom) {
  SectoredCache cache(4 * kLineBytes, 4);  // one set
  for (std::uint64_t line = 0; line < 4; ++line) used(cache, line, kWhole, line == 1 ? 0b0110 : 0);
  used(cache, 0);
  int evicted = 0;
  used(cache, 9, kWhole, 0, &evicted);
  EXPECT_EQ(evicted, 2) << "line 1 had changed, and is the oldest";
  EXPECT_EQ(used(cache, 0), kWhole);
  EXPECT_EQ(used(cache, 1), 0);
}

TEST(SectoredCache, ForgetsEverythingAtOnce) {
  SectoredCache cache(4 * kLineBytes, 4);
  for (std::uint64_t line = 0; line < 4; ++line) used(cache, line, kWhole, kWhole);
  cache.clear();
  int evicted = 0;
  for (std::uint64_t line = 0; line < 4; ++line) EXPECT_EQ(used(cache, line, kWhole, 0, &evicted), 0);
  EXPECT_EQ(evicted, 0);
}

TEST(SectoredCache, HoldsWhatFillsThreeQuartersOfIt) {
  SectoredCache cache(1000 * 8 * kLineBytes, 8);
  for (std::uint64_t line = 0; line < 6000; ++line) used(cache, 123456789012 + line, kWhole);
  int there = 0;
  for (std::uint64_t line = 0; line < 6000; ++line) there += used(cache, 123456789012 + line) != 0;
  EXPECT_GT(there, 6000 * 9 / 10) << "where 1,024 lines begin is scattered: a few sets have too many";
}

TEST(SectoredCache, ColumnsOfAWideMatrixDoNotCrowd) {
  // A column of 4,096 rows, 32 KiB apart, is a quarter of this cache, and is there when the next column is read.
  SectoredCache cache(4 * 4096 * kLineBytes, 8);
  for (std::uint64_t row = 0; row < 4096; ++row) used(cache, row * 256, kWhole);
  int there = 0;
  for (std::uint64_t row = 0; row < 4096; ++row) there += used(cache, row * 256) != 0;
  EXPECT_GT(there, 4096 * 95 / 100);
}

/// A device with 64 KiB of second-level cache.
MemoryTraffic small_device() { return MemoryTraffic({2, 4096, 64 << 10, 64}); }

constexpr std::uint64_t kLines = 4096;  // 512 KiB: eight times as much

/// Every byte of a line.
constexpr std::uint32_t kAllBytes[4] = {~0u, ~0u, ~0u, ~0u};

TEST(MemoryTraffic, ACopyReadsAndWritesEveryByteOnce) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  for (std::uint64_t line = 0; line < kLines; ++line) {
    memory.load(line % 2, line, kWhole, false);
    memory.store({}, 100000 + line, kAllBytes);
  }
  const TrafficCounts counts = memory.counts();
  EXPECT_EQ(counts.dram_read_bytes, kLines * kLineBytes);
  EXPECT_EQ(counts.l2_read_sectors, kLines * 4);
  EXPECT_EQ(counts.l2_write_sectors, kLines * 4);
  EXPECT_EQ(counts.l2_hits, 0u);
  // What was written last is still in the cache.
  EXPECT_LE(counts.dram_write_bytes, kLines * kLineBytes - (16 << 10));
  EXPECT_GE(counts.dram_write_bytes, kLines * kLineBytes - (64 << 10));
}

TEST(MemoryTraffic, NeighboursThatAStencilReadsAgainAreInACache) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  for (std::uint64_t line = 1; line + 1 < kLines; ++line)
    for (const std::uint64_t neighbour : {line - 1, line, line + 1})
      memory.load(line / 16 % 2, neighbour, kWhole, false);
  EXPECT_EQ(memory.counts().dram_read_bytes, kLines * kLineBytes);
}

TEST(MemoryTraffic, TheFirstLevelIsOfOneMultiprocessor) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  memory.load(0, 7, kWhole, false);
  memory.load(0, 7, kWhole, false);  // there
  memory.load(1, 7, kWhole, false);  // the second level has it
  memory.load(0, 7, 0b0001, true);   // a volatile read goes there, too
  EXPECT_EQ(memory.counts().l2_read_sectors, 9u);
  EXPECT_EQ(memory.counts().l2_hits, 5u);
  EXPECT_EQ(memory.counts().dram_read_bytes, kLineBytes);
}

TEST(MemoryTraffic, ASectorBringsItsNeighbourAlong) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  memory.load(0, 7, 0b0100, true);
  EXPECT_EQ(memory.counts().dram_read_bytes, 64u);
  memory.load(0, 7, 0b1000, true);
  EXPECT_EQ(memory.counts().dram_read_bytes, 64u);
  EXPECT_EQ(memory.counts().l2_hits, 1u);
}

TEST(MemoryTraffic, AtomicsReadAndWrite) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  for (std::uint64_t line = 0; line < kLines; ++line) memory.atomic(line, 0b0001);
  EXPECT_EQ(memory.counts().dram_read_bytes, kLines * 64);
  EXPECT_GT(memory.counts().dram_write_bytes, (kLines - 512) * 32 - 1);
}

TEST(MemoryTraffic, ASectorThatIsNotWrittenAsAWholeIsReadBeforeItMakesRoom) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  constexpr std::uint32_t kOneWord[4] = {0, 0xF0, 0, 0};
  for (std::uint64_t line = 0; line < kLines; ++line) memory.store({}, line, kOneWord);
  const TrafficCounts counts = memory.counts();
  EXPECT_EQ(counts.dram_read_bytes, counts.dram_write_bytes);
  EXPECT_GE(counts.dram_read_bytes, (kLines - 512) * 32) << "the cache has 512 lines";
  EXPECT_LT(counts.dram_read_bytes, kLines * 32);
  EXPECT_EQ(counts.l2_write_sectors, kLines);
}

TEST(MemoryTraffic, ASectorThatIsWrittenBitByBitIsNotRead) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  for (std::uint64_t line = 0; line < kLines; ++line)
    for (std::uint32_t word = 0; word < 8; ++word) {
      const std::uint32_t bytes[4] = {0xFu << 4 * word, 0xFu << 4 * word, 0, 0};
      memory.store({}, line, bytes);
    }
  EXPECT_EQ(memory.counts().dram_read_bytes, 0u);
  memory.load(0, kLines - 1, 0b0011, true);
  EXPECT_EQ(memory.counts().l2_hits, 2u);
}

TEST(MemoryTraffic, AReadOfAPartOfASectorThatWasWrittenFetchesTheRest) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  constexpr std::uint32_t kOneWord[4] = {0xF, 0, 0, 0};
  memory.store({}, 7, kOneWord);
  memory.load(0, 7, 0b0001, true);
  EXPECT_EQ(memory.counts().dram_read_bytes, 64u);
  EXPECT_EQ(memory.counts().l2_hits, 0u);
}

/// Each of many sectors is written in eight pieces, one after the other, by warps of a block or by one.
TrafficCounts written_in_turns(std::uint32_t warps, std::uint64_t lines, double waves) {
  MemoryTraffic memory = small_device();
  memory.begin_launch();
  for (std::uint64_t line = 0; line < lines; ++line)
    for (std::uint32_t word = 0; word < 8; ++word) {
      const std::uint32_t bytes[4] = {0xFu << 4 * word, 0xFu << 4 * word, 0xFu << 4 * word, 0xFu << 4 * word};
      memory.store({static_cast<std::uint32_t>(line), word % warps}, line, bytes);
    }
  memory.end_launch(waves);
  return memory.counts();
}

TEST(MemoryTraffic, SectorsThatWarpsOfABlockWriteInTurnMakeRoomInBetweenAtTimes) {
  const TrafficCounts one_warp = written_in_turns(1, kLines, 100);
  EXPECT_EQ(one_warp.dram_read_bytes, 0u);
  const TrafficCounts long_waves = written_in_turns(8, kLines, 50), short_waves = written_in_turns(8, kLines, 100);
  EXPECT_EQ(long_waves.dram_read_bytes, long_waves.dram_write_bytes - one_warp.dram_write_bytes);
  // Of 4,096 lines all but 512 make others go: in a hundredth of the time that is 7 % of the cache.
  const double expected = 2. / 3 * 3584 / 100 / 512 * kLines * kLineBytes;
  EXPECT_NEAR(static_cast<double>(short_waves.dram_read_bytes), expected, expected / 100);
  EXPECT_NEAR(static_cast<double>(long_waves.dram_read_bytes), 2 * expected, expected / 100);
  EXPECT_EQ(written_in_turns(8, 500, 100).dram_read_bytes, 0u) << "everything fits into the cache";
}

TEST(MemoryTraffic, NoSectorMakesRoomMoreThanOnceBetweenTheWritesThatCompleteIt) {
  const std::uint64_t all = written_in_turns(1, kLines, 2).dram_write_bytes;
  const TrafficCounts few_waves = written_in_turns(8, kLines, 2);
  EXPECT_EQ(few_waves.dram_read_bytes, kLines * kLineBytes) << "a wave replaces several times what the cache holds";
  EXPECT_EQ(few_waves.dram_write_bytes, all + kLines * kLineBytes);
  EXPECT_EQ(written_in_turns(8, kLines, 1).dram_read_bytes, 0u) << "blocks that live as long as the launch";
}

TEST(MemoryTraffic, EveryLaunchBeginsWithEmptyCaches) {
  MemoryTraffic memory = small_device();
  for (int launch = 1; launch <= 2; ++launch) {
    memory.begin_launch();
    memory.load(0, 7, kWhole, false);
    EXPECT_EQ(memory.counts().dram_read_bytes, static_cast<std::uint64_t>(launch) * kLineBytes);
  }
}

TEST(CacheSizes, AreTheProfiles) {
  const CacheSizes sizes = cache_sizes_of(std::get<DeviceProfile>(load_profile("h200")));
  EXPECT_EQ(sizes.sm_count, 132u);
  EXPECT_EQ(sizes.l1_bytes, 128u << 10);
  EXPECT_EQ(sizes.l2_bytes, 26u << 20) << "less than there is: see the profile";
  EXPECT_EQ(sizes.l2_fetch_bytes, 64u);
}

TEST(MemoryTraffic, SaysWhereWhatIsReadWasFound) {
  MemoryTraffic memory({2, 1 << 14, 1 << 16, 64});
  memory.begin_launch();
  EXPECT_EQ(memory.load(0, 7, 0b0001, false), MemoryLevel::kDram);
  EXPECT_EQ(memory.load(0, 7, 0b0001, false), MemoryLevel::kL1);
  EXPECT_EQ(memory.load(1, 7, 0b0001, false), MemoryLevel::kL2);
  EXPECT_EQ(memory.load(1, 7, 0b0101, false), MemoryLevel::kDram) << "one of two sectors is";
  EXPECT_EQ(memory.atomic(7, 0b0001), MemoryLevel::kL2);
  EXPECT_EQ(memory.atomic(8, 0b0001), MemoryLevel::kDram);
}

TEST(MemoryTraffic, KnowsWhatALaunchBeforeHasLeft) {
  MemoryTraffic memory({2, 1 << 14, 1 << 16, 64});
  memory.begin_launch();
  memory.load(0, 7, kWhole, false);
  memory.atomic(8, 0b0001);
  const TrafficCounts first = memory.counts();
  EXPECT_EQ(first.left_sectors, 0u);
  EXPECT_EQ(first.changed_sectors, 1u);
  memory.end_launch(1);
  memory.begin_launch();
  EXPECT_EQ(memory.load(0, 7, kWhole, false), MemoryLevel::kLeft) << "the first level is empty, the second is not";
  EXPECT_EQ(memory.atomic(8, 0b0001), MemoryLevel::kLeft);
  EXPECT_EQ(memory.counts().dram_read_bytes, 2 * first.dram_read_bytes) << "counted as if it were empty";
  EXPECT_EQ(memory.counts().left_sectors * kSectorBytes, first.dram_read_bytes);
  EXPECT_EQ(memory.counts().changed_sectors, 1u) << "what was there makes nothing else make room";
  EXPECT_EQ(memory.counts().changed_again_sectors, 1u);
}

}  // namespace
}  // namespace vgpu
