// Clocks of warps, and accesses folded into 64 bits.
#include "harness/vgpu/monitor/happens_before.h"

#include <gtest/gtest.h>

#include "harness/vgpu/monitor/access_record.h"

namespace vgpu {
namespace {

TEST(AccessRecord, KeepsEveryFieldAtItsLimits) {
  const AccessRecord r =
      AccessRecord::of(AccessRecord::kBlocks - 1, 31, 31, AccessRecord::kLastEpoch, AccessRecord::kSites - 1, true);
  EXPECT_EQ(r.block(), AccessRecord::kBlocks - 1);
  EXPECT_EQ(r.warp(), 31U);
  EXPECT_EQ(r.first_lane(), 31);
  EXPECT_EQ(r.lane_count(), 1);
  EXPECT_EQ(r.epoch(), AccessRecord::kLastEpoch);
  EXPECT_EQ(r.site(), AccessRecord::kSites - 1);
  EXPECT_TRUE(r.strong());
  EXPECT_FALSE(r.empty());
  EXPECT_TRUE(AccessRecord().empty());
}

TEST(AccessRecord, FoldsLanesIntoTheSmallestAlignedSet) {
  for (int a = 0; a < kLanes; ++a) {
    for (int b = 0; b < kLanes; ++b) {
      const AccessRecord both = AccessRecord::of(0, 3, a, 1, 0, false).with(AccessRecord::of(0, 3, b, 2, 0, false), 0);
      int size = 1;
      while (a / size != b / size) size *= 2;
      EXPECT_EQ(both.lane_count(), size) << a << ", " << b;
      EXPECT_EQ(both.first_lane(), a / size * size) << a << ", " << b;
      EXPECT_EQ(both.epoch(), 2U);
      EXPECT_EQ(both.warp(), 3U);
      EXPECT_TRUE(AccessRecord::of(0, 3, a, 1, 0, false).with_lanes(AccessRecord::set_of_lanes(a, b)) ==
                  AccessRecord::of(0, 3, a, 1, 0, false).with(AccessRecord::of(0, 3, b, 1, 0, false), 0))
          << a << ", " << b;
    }
  }
}

TEST(AccessRecord, FoldsWarpsIntoTheBlockAndBlocksIntoTheGrid) {
  const AccessRecord one = AccessRecord::of(5, 0, 0, 9, 1, true);
  const AccessRecord block = one.with(AccessRecord::of(5, 1, 7, 4, 2, false), 0);
  EXPECT_EQ(block.by(), AccessRecord::By::kBlock);
  EXPECT_EQ(block.block(), 5U);
  EXPECT_EQ(block.epoch(), 9U);
  EXPECT_FALSE(block.strong()) << "one weak access makes the lot of them weak";
  const AccessRecord grid = block.with(AccessRecord::of(6, 1, 7, 4, 2, false), 1234567);
  EXPECT_EQ(grid.by(), AccessRecord::By::kGrid);
  EXPECT_EQ(grid.time(), 1234567U);
  EXPECT_EQ(grid.readers(), 0U);
  EXPECT_EQ(grid.with_readers(AccessRecord::kReaderSets).readers(), AccessRecord::kReaderSets);
  EXPECT_EQ(grid.with_readers(AccessRecord::kReaderSets).time(), 1234567U);
}

TEST(AccessRecord, IncludesWhatFoldingWouldNotChange) {
  const AccessRecord lane = AccessRecord::of(1, 2, 5, 7, 3, false);
  const AccessRecord half = lane.with_lanes(AccessRecord::set_of_lanes(0, 15));
  EXPECT_TRUE(half.includes(lane, 0));
  EXPECT_FALSE(half.includes(AccessRecord::of(1, 2, 16, 7, 3, false), 0));
  EXPECT_FALSE(half.includes(AccessRecord::of(1, 2, 5, 8, 3, false), 0)) << "a later epoch";
  EXPECT_FALSE(half.includes(AccessRecord::of(1, 3, 5, 7, 3, false), 0)) << "another warp";
  EXPECT_FALSE(AccessRecord::of(1, 2, 5, 7, 3, true).includes(lane, 0)) << "it would become weak";
}

TEST(WarpClock, BarrierOrdersAllWarpsThatArrive) {
  WarpClock a(0, 3), b(1, 3), c(2, 3);
  const Epoch before = a.now();
  EXPECT_FALSE(b.knows(0).covers(before, 0));
  WarpClock::barrier_opens({&a, &b});
  EXPECT_TRUE(b.knows(0).covers(before, 0));
  EXPECT_TRUE(a.knows(1).covers(before, 31));
  EXPECT_FALSE(c.knows(0).covers(before, 0)) << "it did not arrive";
  EXPECT_FALSE(b.knows(0).covers(a.now(), 0)) << "what comes after the barrier";
  EXPECT_TRUE(a.lane_knows(0, 31, before));
  WarpClock::barrier_opens({&b, &c});
  EXPECT_TRUE(c.knows(0).covers(before, 0)) << "by way of b";
}

TEST(WarpClock, WhoGoesOnAtABarrierHandsOnWhatItHasDoneAndLearnsNothing) {
  WarpClock a(0, 3), b(1, 3), c(2, 3);
  const Epoch of_a = a.now(), of_b = b.now();
  const WarpClock::Arrival arrival = a.arrive();
  const Epoch later = a.now();
  WarpClock::barrier_opens({&b, &c}, {arrival});
  EXPECT_TRUE(c.knows(0).covers(of_a, 0));
  EXPECT_FALSE(c.knows(0).covers(later, 0));
  EXPECT_FALSE(a.knows(1).covers(of_b, 0));
  WarpClock::barrier_opens({}, {arrival});  // nobody waits
}

TEST(WarpClock, SyncwarpOrdersTheLanesItNames) {
  WarpClock warp(0, 1);
  const Epoch before = warp.now();
  warp.lanes_meet(0x0000FFFF, kAllLanes);
  EXPECT_TRUE(warp.lane_knows(0, 15, before));
  EXPECT_FALSE(warp.lane_knows(0, 16, before));
  EXPECT_FALSE(warp.lane_knows(16, 0, before));
  warp.lanes_meet(0x00018000, kAllLanes);  // lanes 15 and 16
  EXPECT_TRUE(warp.lane_knows(16, 0, before)) << "lane 15 knew";
  EXPECT_FALSE(warp.lane_knows(0, 16, before));
  warp.lanes_meet(kAllLanes, kAllLanes);
  EXPECT_TRUE(warp.lane_knows(0, 16, before));
}

TEST(WarpClock, LanesThatEndedNeedNotMeet) {
  WarpClock warp(0, 1);
  const Epoch before = warp.now();
  warp.lanes_meet(0xFF, 0xFF);
  EXPECT_TRUE(warp.lane_knows(7, 0, before));
}

TEST(WarpClock, FenceOfOneLaneVouchesForThatLane) {
  WarpClock writer(0, 1), reader(0, 1);
  const Epoch before = writer.now();
  writer.fence(1u << 3, 10, true, 1);
  reader.learn(kAllLanes, 11, writer.fenced().grid, writer.fenced().time);
  const BlockProgress* const known = reader.grid().of(10);
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE((*known)[0].covers(before, 3));
  EXPECT_FALSE((*known)[0].covers(before, 4));
  EXPECT_FALSE((*known)[0].covers(writer.now(), 3)) << "what comes after the fence";
}

TEST(WarpClock, LanesThatPublishOneByOneAreAllKnown) {
  // As under a lock that lanes of two warps take in turn, beside other things that they publish.
  WarpClock writer(0, 2), reader(1, 2);
  const Epoch before = writer.now();
  writer.fence(1u << 3, 10, false, 1);
  const auto third = writer.fenced().block;
  writer.fence(1u << 9, 10, false, 2);
  const auto ninth = writer.fenced().block;
  reader.learn(1, *ninth);
  EXPECT_TRUE(reader.knows(0).covers(before, 9));
  EXPECT_FALSE(reader.knows(0).covers(before, 3)) << "lane 9 did not know of it";
  reader.learn(1, *third);
  EXPECT_TRUE(reader.knows(0).covers(before, 9));
  EXPECT_TRUE(reader.knows(0).covers(before, 3));
  EXPECT_FALSE(reader.knows(0).covers(before, 4));
}

TEST(WarpClock, LanePublishesBehindItsOwnFenceWhateverOthersDo) {
  // As when a lock's holder has had its fence, and another lane has one before the holder opens the lock.
  WarpClock writer(0, 2), reader(1, 2);
  const Epoch before = writer.now();
  writer.fence(1u << 3, 10, false, 1);
  writer.fence(1u << 9, 10, false, 2);
  writer.fence(1u << 11, 10, false, 3);
  reader.learn(1, *writer.fenced(1u << 3).block);
  EXPECT_TRUE(reader.knows(0).covers(before, 3));
  EXPECT_FALSE(reader.knows(0).covers(before, 9));
  reader.learn(1, *writer.fenced(1u << 9).block);
  EXPECT_TRUE(reader.knows(0).covers(before, 9));
  EXPECT_FALSE(reader.knows(0).covers(before, 11));
  writer.fence(1u << 9, 10, true, 4);
  writer.fence(1u << 3, 10, true, 5);
  writer.fence(1u << 9, 10, false, 6);
  EXPECT_EQ(writer.fenced(1u << 9).time, 4u) << "lane 3 has had a later one for the device, but not lane 9";
  const Epoch then = writer.now();
  writer.fence(kAllLanes, 10, false, 7);
  reader.learn(1, *writer.fenced(1u << 3).block);
  EXPECT_TRUE(reader.knows(0).covers(then - 1, 5)) << "its latest fence was that of all lanes";
}

TEST(WarpClock, LanePassesOnWhatItHasLearntOfOthers) {
  WarpClock writer(0, 2), reader(1, 2);
  const Epoch before = writer.now();
  writer.fence(1u << 3, 10, false, 1);
  writer.learn(1u << 9, *writer.fenced().block);  // lane 9 reads what lane 3 published
  writer.fence(1u << 9, 10, false, 2);
  reader.learn(1, *writer.fenced().block);
  EXPECT_TRUE(reader.knows(0).covers(before, 3));
  EXPECT_TRUE(reader.knows(0).covers(before, 9));
  EXPECT_FALSE(reader.knows(0).covers(before, 4));
}

TEST(WarpClock, FenceAfterABarrierVouchesForTheBlock) {
  WarpClock a(0, 2), b(1, 2), reader(0, 2);
  const Epoch before = b.now();
  WarpClock::barrier_opens({&a, &b});
  a.fence(1, 10, true, 1);
  reader.learn(1, 11, a.fenced().grid, a.fenced().time);
  EXPECT_TRUE((*reader.grid().of(10))[1].covers(before, 17));
}

TEST(WarpClock, WordTellsOfTheReadsBeforeIt) {
  WarpClock teller(0, 2), reader(0, 1);
  const Epoch before = teller.now();
  const auto told = teller.tell_of_reads(1u << 3 | 1u << 9, 10);
  EXPECT_EQ(reader.reads(), nullptr);
  reader.learn_of_reads(told);
  const BlockProgress* const known = reader.reads()->of(10);
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE((*known)[0].covers(before, 3));
  EXPECT_TRUE((*known)[0].covers(before, 9));
  EXPECT_FALSE((*known)[0].covers(before, 4)) << "a lane that told nothing";
  EXPECT_FALSE((*known)[0].covers(teller.now(), 3)) << "what comes after the word";
  EXPECT_FALSE((*known)[1].covers(before, 3)) << "another warp";
  EXPECT_EQ(reader.grid().of(10), nullptr) << "of writes it tells nothing";
}

TEST(WarpClock, WordTellsOfWhatABarrierFenceOrAnotherWordToldBefore) {
  WarpClock a(0, 2), b(1, 2), fenced(0, 1), told(0, 1), reader(0, 1);
  const Epoch before = b.now();
  fenced.fence(1, 11, true, 1);
  a.learn(1, 10, fenced.fenced().grid, 1);
  b.learn_of_reads(told.tell_of_reads(1, 12));
  WarpClock::barrier_opens({&a, &b});
  reader.learn_of_reads(a.tell_of_reads(1, 10));
  EXPECT_TRUE((*reader.reads()->of(10))[1].covers(before, 17)) << "the other warp, by the barrier";
  EXPECT_TRUE((*reader.reads()->of(11))[0].covers(before, 0)) << "what a fence told one warp";
  EXPECT_TRUE((*reader.reads()->of(12))[0].covers(before, 0)) << "what a word told the other";
  EXPECT_EQ(reader.reads()->of(13), nullptr);
}

TEST(WarpClock, KnowledgeIsPassedOn) {
  // A chain of blocks, each of which has heard of the one before only: 100 needs more than one branch of the tree.
  constexpr std::uint32_t kLength = 100;
  GridProgress published;
  std::uint32_t time = 0;
  for (std::uint32_t block = 0; block < kLength; ++block) {
    WarpClock warp(0, 1);
    warp.learn(1, block, published, time);
    for (std::uint32_t earlier = 0; earlier < block; ++earlier)
      ASSERT_TRUE(warp.grid().of(earlier) != nullptr && (*warp.grid().of(earlier))[0].covers(1, 0)) << earlier;
    EXPECT_EQ(warp.grid().of(block), nullptr);
    warp.fence(1, block, true, ++time);
    published = warp.fenced().grid;
  }
}

}  // namespace
}  // namespace vgpu
