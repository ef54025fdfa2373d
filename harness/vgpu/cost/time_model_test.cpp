// The time model: what a made-up launch waits for is what it was made to wait for, more work never takes less time.
#include "harness/vgpu/cost/time_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/cost/memory_traffic.h"

namespace vgpu {
namespace {

DeviceProfile h200() { return std::get<DeviceProfile>(load_profile("h200")); }

/// Blocks that do nothing, four times as many as fit at once.
LaunchWork idle_blocks() {
  LaunchWork work;
  work.resident_blocks = 132 * 8;
  work.blocks = 4 * work.resident_blocks;
  return work;
}

/// `warps` warps each of which reads, computes and writes 16 bytes a lane: 20 instructions and one wait.
LaunchWork streaming(std::uint64_t warps) {
  LaunchWork work = idle_blocks();
  work.blocks = warps / 8;
  work.issues = 20 * warps;
  work.unit_uses[static_cast<std::size_t>(Unit::kInteger)] = 10 * warps;
  work.unit_uses[static_cast<std::size_t>(Unit::kMemory)] = 2 * warps;
  work.l1_wavefronts = 8 * warps;
  work.load_sectors = work.l2_read_sectors = 16 * warps;
  work.l2_write_sectors = 16 * warps;
  work.dram_bytes = 1024 * warps;
  work.longest_path = work.furthest_path = {60, 0, 1};
  const auto blocks = static_cast<std::int64_t>(work.blocks);
  work.sum_of_paths = {60 * blocks, 0, blocks};
  return work;
}

TEST(TimeModel, ACopyIsBoundByMemory) {
  const LaunchWork work = streaming(1 << 22);
  const LaunchTime time = time_of(work, h200());
  EXPECT_EQ(time.bound, Bound::kDram);
  const double bytes_per_nanosecond = static_cast<double>(work.dram_bytes) / time.nanoseconds;
  EXPECT_GT(bytes_per_nanosecond, 4000) << "an H200 reaches 4.3 TB/s";
  EXPECT_LT(bytes_per_nanosecond, 4814) << "and no more than its bus carries";
}

/// `times` as much for as many blocks, each with a path as many times as long.
LaunchWork for_the_same_blocks(LaunchWork work, std::uint64_t times) {
  const auto longer = [times](WarpPath& path) {
    path.clocks *= static_cast<std::int64_t>(times), path.global_waits *= static_cast<std::int64_t>(times);
  };
  work.issues *= times, work.l1_wavefronts *= times, work.load_sectors *= times, work.l2_read_sectors *= times;
  work.l2_write_sectors *= times, work.dram_bytes *= times;
  longer(work.longest_path), longer(work.furthest_path), longer(work.sum_of_paths);
  return work;
}

TEST(TimeModel, MoreBlocksLeaveSerialTimeAndLongerOnesDoNot) {
  const double one = time_of(streaming(1 << 14), h200()).serial;
  EXPECT_DOUBLE_EQ(time_of(streaming(1 << 16), h200()).serial, one);
  const double launch = h200().rates.launch_nanoseconds;
  const double block = h200().latency.block / h200().gigahertz();
  const double four = time_of(for_the_same_blocks(streaming(1 << 14), 4), h200()).serial;
  EXPECT_NEAR(four - launch - block, 4 * (one - launch - block), 1e-6);
}

TEST(TimeModel, ABlockTakesAtLeastWhatItsMultiprocessorNeedsForIt) {
  LaunchWork work = streaming(8);
  const double with_little = time_of(work, h200()).serial;
  work.issues += 1'000'000;  // that no warp waits for
  EXPECT_GT(time_of(work, h200()).serial, with_little + 1e5);
}

TEST(TimeModel, ACopyWithFewBytesOnTheirWayIsBoundByLatency) {
  LaunchWork work = streaming(1 << 22);
  work.l1_wavefronts /= 4, work.load_sectors /= 4, work.l2_read_sectors /= 4, work.l2_write_sectors /= 4;
  work.dram_bytes /= 4;
  const LaunchTime time = time_of(work, h200());
  EXPECT_EQ(time.bound, Bound::kLatency);
  EXPECT_LT(time.nanoseconds, 2 * time.parts[static_cast<std::size_t>(Bound::kDram)]);
}

TEST(TimeModel, MultiplyAddsAreBoundByInstructions) {
  LaunchWork work = streaming(1 << 16);
  work.issues += 10000 << 16;
  work.unit_uses[static_cast<std::size_t>(Unit::kFp32)] += 10000 << 16;
  const LaunchTime time = time_of(work, h200());
  EXPECT_TRUE(time.bound == Bound::kIssue || time.bound == Bound::kArithmetic) << name_of(time.bound);
  work.unit_uses[static_cast<std::size_t>(Unit::kFp64)] += 10000 << 16;
  EXPECT_EQ(time_of(work, h200()).bound, Bound::kArithmetic) << "in double precision, half as many a clock";
}

TEST(TimeModel, BankConflictsAreBoundBySharedMemory) {
  LaunchWork work = streaming(1 << 18);
  work.shared_wavefronts = std::uint64_t{32} * 4 << 18;
  EXPECT_EQ(time_of(work, h200()).bound, Bound::kShared);
}

TEST(TimeModel, ConflictsOfSharedAtomicsAreToldFromThoseOfOtherAccesses) {
  LaunchWork work = streaming(1 << 18);
  work.shared_atomic_wavefronts = std::uint64_t{32} * 4 << 18;
  EXPECT_EQ(time_of(work, h200()).bound, Bound::kSharedAtomics);
}

TEST(TimeModel, ScatteredReadsThatTheCacheHoldsAreBoundByIt) {
  LaunchWork work = streaming(1 << 18);
  work.load_sectors = work.l2_read_sectors = work.l2_hits = std::uint64_t{64} << 18;
  EXPECT_EQ(time_of(work, h200()).bound, Bound::kL2);
  work.l2_read_sectors = work.l2_hits = 4 << 18;
  work.l1_wavefronts = std::uint64_t{64} << 18;
  EXPECT_EQ(time_of(work, h200()).bound, Bound::kL1);
}

TEST(TimeModel, AtomicsOnOneAddressQueue) {
  LaunchWork spread = streaming(1 << 18);
  spread.atomic_turns = std::uint64_t{32} << 18;
  LaunchWork at_one = spread;
  at_one.hottest_turns = at_one.atomic_turns;
  EXPECT_EQ(time_of(at_one, h200()).bound, Bound::kAtomics);
  EXPECT_GT(time_of(at_one, h200()).nanoseconds, 10 * time_of(spread, h200()).nanoseconds);
}

TEST(TimeModel, ALongChainInFewBlocksIsBoundByLatency) {
  LaunchWork work;
  work.resident_blocks = 1056;
  work.blocks = 3;
  work.issues = 5000;
  work.longest_path = work.furthest_path = {20000, 100, 50};
  work.sum_of_paths = {30000, 150, 60};
  EXPECT_EQ(time_of(work, h200()).bound, Bound::kLatency);
}

TEST(TimeModel, AnEmptyKernelIsAllLaunch) {
  LaunchWork work;
  work.resident_blocks = 1056;
  work.blocks = 1;
  const LaunchTime time = time_of(work, h200());
  EXPECT_EQ(time.bound, Bound::kLaunch);
  EXPECT_LT(time.nanoseconds, 2 * time.parts[static_cast<std::size_t>(Bound::kLaunch)]);
}

TEST(TimeModel, MoreWorkNeverTakesLessTime) {
  const auto profile = h200();
  constexpr double kRounding = 1 - 1e-9;
  std::uint64_t LaunchWork::*const counters[] = {
      &LaunchWork::issues,        &LaunchWork::shared_wavefronts, &LaunchWork::shared_atomic_wavefronts,
      &LaunchWork::l1_wavefronts, &LaunchWork::l2_write_sectors,  &LaunchWork::dram_bytes,
      &LaunchWork::atomic_turns,  &LaunchWork::hottest_turns,     &LaunchWork::match_turns,
      &LaunchWork::host_bytes};
  const std::vector<LaunchWork> launches = {idle_blocks(), streaming(1 << 10), streaming(1 << 20)};
  for (const LaunchWork& work : launches) {
    for (const auto counter : counters) {
      double before = 0;
      for (std::uint64_t more = 1; more < std::uint64_t{1} << 40; more *= 4) {
        LaunchWork grown = work;
        grown.*counter += more;
        const double now = time_of(grown, profile).nanoseconds;
        EXPECT_GE(now, before * kRounding);
        before = now;
      }
    }
    for (std::size_t unit = 1; unit < kUnits; ++unit) {
      LaunchWork grown = work;
      grown.unit_uses[unit] += std::uint64_t{1} << 36;
      EXPECT_GT(time_of(grown, profile).nanoseconds, time_of(work, profile).nanoseconds) << unit;
    }
  }
}

TEST(TimeModel, FewerBlocksAtATimeNeverTakeLessTime) {
  LaunchWork work = streaming(1 << 16);
  double before = 0;
  for (std::uint64_t resident = 132 * 32; resident >= 132; resident /= 2) {
    work.resident_blocks = resident;
    const double now = time_of(work, h200()).nanoseconds;
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(TimeModel, OneBlockTooManyIsAnotherRound) {
  LaunchWork work = idle_blocks();
  work.blocks = 132;
  work.resident_blocks = 132;
  work.issues = 132 * 100000;
  work.sum_of_paths = {132 * 25000, 0, 0};
  work.longest_path = work.furthest_path = {25000, 0, 0};
  LaunchWork more = work;
  more.blocks = 133;
  more.issues = 133 * 100000;
  more.sum_of_paths = {133 * 25000, 0, 0};
  const double launch = h200().rates.launch_nanoseconds;
  EXPECT_GT(time_of(more, h200()).nanoseconds - launch, 1.9 * (time_of(work, h200()).nanoseconds - launch));
}

TEST(TimeModel, AtScaleSmallAndLargeProblemsTakeAsLongForEachBlock) {
  LaunchWork small = streaming(1 << 5), large = streaming(1 << 22);
  const double share = static_cast<double>(small.blocks) / static_cast<double>(large.blocks);
  const LaunchTime one = time_of(small, h200()), other = time_of(large, h200());
  const double launch = h200().rates.launch_nanoseconds / kScale;
  EXPECT_NEAR((one.at_scale - launch) / (share * (other.at_scale - launch)), 1, 1e-6);
  EXPECT_GT(one.nanoseconds, 10 * one.at_scale) << "four blocks leave most of the device idle";
  EXPECT_NEAR(other.at_scale / other.nanoseconds, 1, 0.05) << "what fills the device takes as long as it does";
}

TEST(TimeModel, AtScaleOneBlockInManyThatTakesLongerCountsByTheRootOfThem) {
  LaunchWork work = streaming(1 << 16);
  const double even = time_of(work, h200()).at_scale;
  work.longest_path.clocks += 100'000'000;
  work.furthest_path.clocks += 100'000'000;
  work.sum_of_paths.clocks += 100'000'000;
  const LaunchTime uneven = time_of(work, h200());
  EXPECT_GT(uneven.at_scale, 100 * even);
  EXPECT_NEAR(uneven.at_scale * std::sqrt(kScale) / uneven.nanoseconds, 1, 0.05);
}

TEST(TimeModel, AtScaleAChainFromBlockToBlockIsAsManyTimesAsLong) {
  LaunchWork work = streaming(1 << 16);
  work.furthest_path.clocks += 100'000'000;
  work.chain.clocks = 100'000'000;
  const LaunchTime chained = time_of(work, h200());
  EXPECT_NEAR(chained.at_scale / chained.nanoseconds, 1, 0.01);
  EXPECT_EQ(chained.bound_at_scale, Bound::kLatency);
}

TEST(TimeModel, AtScaleNothingIsLeftInTheSecondLevel) {
  LaunchWork work = streaming(1 << 18);
  const double at_scale = time_of(work, h200()).at_scale;
  work.left_hits = work.l2_hits = work.l2_read_sectors;
  work.left_bytes = work.dram_bytes;
  work.dram_bytes = 0;
  const LaunchTime left = time_of(work, h200());
  EXPECT_NE(left.bound, Bound::kDram);
  EXPECT_EQ(left.bound_at_scale, Bound::kDram);
  EXPECT_DOUBLE_EQ(left.at_scale, at_scale);
}

TEST(TimeModel, DifferentValuesOfAMatchTakeTurns) {
  LaunchWork work = streaming(1 << 18);
  work.match_turns = std::uint64_t{32} << 20;
  EXPECT_EQ(time_of(work, h200()).bound, Bound::kMatch);
}

TEST(TimeModel, MemoryOfTheHostIsAsFarAwayAsTheBusIsSlow) {
  LaunchWork work = streaming(1 << 18);
  work.host_bytes = std::uint64_t{64} << 20;
  const LaunchTime time = time_of(work, h200());
  EXPECT_EQ(time.bound, Bound::kHost);
  EXPECT_EQ(time.bound_at_scale, Bound::kHost);
  EXPECT_NEAR(static_cast<double>(work.host_bytes) / time.nanoseconds, 50, 1) << "bytes per nanosecond";
}

TEST(TimeModel, AKernelIsBoundByWhatMostOfItsTimeIsSpentOn) {
  KernelTime kernel;
  LaunchWork empty;
  empty.blocks = 1;
  for (int n = 0; n < 3; ++n) kernel.add(time_of(empty, h200()));
  EXPECT_EQ(kernel.bound(), Bound::kLaunch);
  kernel.add(time_of(streaming(1 << 22), h200()));
  EXPECT_EQ(kernel.bound(), Bound::kDram) << "one long launch outweighs three short ones";
}

TEST(TimeModel, HasWordsForEveryBound) {
  for (std::size_t bound = 0; bound < kBounds; ++bound)
    EXPECT_NE(name_of(static_cast<Bound>(bound)), std::string()) << bound;
}

TEST(TimeModel, FasterDevicesAreFaster) {
  const auto time_on = [](const char* profile, const LaunchWork& work) {
    return time_of(work, std::get<DeviceProfile>(load_profile(profile))).nanoseconds;
  };
  const LaunchWork copy = streaming(1 << 22);
  EXPECT_LT(time_on("h200", copy), time_on("a100", copy));
  EXPECT_LT(time_on("a100", copy), time_on("rtx4090", copy));
  EXPECT_LT(time_on("rtx4090", copy), time_on("t4", copy));
}

}  // namespace
}  // namespace vgpu
