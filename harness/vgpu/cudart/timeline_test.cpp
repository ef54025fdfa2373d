// Order of work: nothing before somebody waits, everything before what has to come after it.
#include "harness/vgpu/cudart/timeline.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/cudart/memory_pool.h"

namespace vgpu::cudart {
namespace {

class TimelineTest : public testing::Test {
 protected:
  std::shared_ptr<Operation> put(StreamState& stream, char name) {
    return timeline.enqueue(stream, [this, name] { log += name; });
  }

  Timeline timeline;
  std::string log;
};

TEST_F(TimelineTest, NothingRunsBeforeSomebodyWaits) {
  put(timeline.legacy(), 'a');
  EXPECT_EQ(log, "");
  timeline.finish(timeline.legacy());
  EXPECT_EQ(log, "a");
}

TEST_F(TimelineTest, AStreamRunsInOrderAndOnlyAsFarAsWaitedFor) {
  StreamState& stream = timeline.create(false, 0, 0);
  put(stream, 'a');
  const auto second = put(stream, 'b');
  put(stream, 'c');
  timeline.finish(second);
  EXPECT_EQ(log, "ab");
}

TEST_F(TimelineTest, NonBlockingStreamsDoNotWaitForEachOther) {
  StreamState& one = timeline.create(false, 0, 0);
  StreamState& two = timeline.create(false, 0, 0);
  put(one, 'a');
  put(two, 'b');
  timeline.finish(two);
  EXPECT_EQ(log, "b");
  timeline.finish_all();
  EXPECT_EQ(log, "ba");
}

TEST_F(TimelineTest, OneOrderIsWhatAChainHas) {
  StreamState& one = timeline.create(false, 0, 0);
  StreamState& two = timeline.create(false, 0, 0);
  EXPECT_TRUE(timeline.has_one_order());
  const auto first = put(one, 'a');
  two.awaits.push_back(first);
  put(two, 'b');
  EXPECT_TRUE(timeline.has_one_order());
  put(one, 'c');
  EXPECT_FALSE(timeline.has_one_order());
  timeline.run_all();
  EXPECT_EQ(log, "abc");
  EXPECT_EQ(timeline.now(), 0) << "the host has not waited";
  EXPECT_TRUE(timeline.is_idle());
}

TEST_F(TimelineTest, WhatNothingOrdersRunsAsQueuedOrWithASeedInAnyOrder) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    timeline.set_schedule_seed(seed);
    log.clear();
    StreamState& one = timeline.create(false, 0, 0);
    StreamState& two = timeline.create(false, 0, 0);
    put(one, 'a');
    put(two, 'x');
    put(one, 'b');
    put(two, 'y');
    timeline.finish_all();
    EXPECT_TRUE(seed != 0 || log == "axby") << log;
    EXPECT_LT(log.find('a'), log.find('b')) << log;
    EXPECT_LT(log.find('x'), log.find('y')) << log;
    orders.insert(log);
  }
  EXPECT_GE(orders.size(), 4U) << "of six";
}

TEST_F(TimelineTest, WithASeedTheRestMayBeOverWhenTheHostHasWaitedForOneStream) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    timeline.set_schedule_seed(seed);
    log.clear();
    StreamState& one = timeline.create(false, 0, 0);
    StreamState& two = timeline.create(false, 0, 0);
    put(one, 'a');
    put(one, 'b');
    put(two, 'x');
    put(two, 'y');
    timeline.finish(one);
    orders.insert(log);
    timeline.finish(two);
    EXPECT_EQ(log.size(), 4U);
  }
  for (const char* const order : {"ab", "axb", "xab", "xyab"}) EXPECT_EQ(orders.count(order), 1U) << order;
}

TEST_F(TimelineTest, AStreamThatIsDestroyedIsNotWaitedForButItsWorkIsDone) {
  StreamState& blocking = timeline.create(true, 0, 0);
  put(blocking, 'a');
  timeline.destroy(blocking);
  EXPECT_EQ(log, "");
  EXPECT_FALSE(timeline.owns(&blocking));
  put(timeline.legacy(), 'b');
  timeline.finish(timeline.legacy());
  EXPECT_EQ(log, "ab") << "the default stream comes after it all the same";
}

TEST_F(TimelineTest, KnowsWhetherItHasHadWorkThatNothingOrders) {
  StreamState& blocking = timeline.create(true, 0, 0);
  StreamState& free = timeline.create(false, 0, 0);
  put(timeline.legacy(), 'a');
  put(blocking, 'b');
  put(timeline.legacy(), 'c');
  timeline.finish_all();
  const auto recorded = put(free, 'd');
  blocking.awaits.push_back(recorded);
  put(blocking, 'e');
  timeline.finish(blocking);
  EXPECT_FALSE(timeline.has_unordered_work()) << "the default stream, an event, or the host has ordered everything";
  put(free, 'f');
  put(blocking, 'g');
  EXPECT_TRUE(timeline.has_unordered_work());
}

TEST_F(TimelineTest, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  StreamState& blocking = timeline.create(true, 0, 0);
  StreamState& free = timeline.create(false, 0, 0);
  put(free, 'x');
  put(blocking, 'a');
  put(timeline.legacy(), 'b');
  put(blocking, 'c');
  timeline.finish(blocking);
  EXPECT_EQ(log, "abc");
}

TEST_F(TimelineTest, AnAwaitedOperationComesFirst) {
  StreamState& one = timeline.create(false, 0, 0);
  StreamState& two = timeline.create(false, 0, 0);
  two.awaits.push_back(put(one, 'a'));
  put(two, 'b');
  timeline.finish(two);
  EXPECT_EQ(log, "ab");
}

TEST_F(TimelineTest, WhatTheDefaultStreamAwaitsComesBeforeTheWorkOfBlockingStreamsAndTheOtherWayRound) {
  StreamState& blocking = timeline.create(true, 0, 0);
  StreamState& free = timeline.create(false, 0, 0);
  timeline.legacy().awaits.push_back(put(free, 'a'));
  put(blocking, 'b');
  timeline.finish(blocking);
  EXPECT_EQ(log, "ab");
  timeline.finish_all();
  blocking.awaits.push_back(put(free, 'c'));
  timeline.finish(put(timeline.legacy(), 'd'));
  EXPECT_EQ(log, "abcd");
}

TEST_F(TimelineTest, WhatAnOperationQueuesIsDoneAsAPartOfIt) {
  StreamState& one = timeline.create(false, 0, 0);
  StreamState& two = timeline.create(false, 0, 0);
  put(two, 'a');
  timeline.enqueue(one, [&] {
    log += '(';
    EXPECT_TRUE(put(two, 'b')->done);
    log += ')';
  });
  put(one, 'c');
  timeline.finish(one);
  EXPECT_EQ(log, "(b)c") << "although another operation of the stream is pending";
  timeline.finish_all();
  EXPECT_EQ(log, "(b)ca");
}

TEST_F(TimelineTest, LongQueuesAreRunDownAndLongChainsNeedNoDeepStack) {
  StreamState& stream = timeline.create(true, 0, 0);
  for (int i = 0; i < 200000; ++i) put(stream, '.');
  EXPECT_GT(log.size(), 100000u);
  timeline.finish(stream);
  EXPECT_EQ(log.size(), 200000u);
}

// --- time ---

class TimelineTimeTest : public testing::Test {
 protected:
  std::shared_ptr<Operation> put(StreamState& stream, Busy kind, double nanoseconds) {
    return timeline.enqueue(stream, [this, kind, nanoseconds] { timeline.takes(kind, {nanoseconds, nanoseconds}); });
  }

  Timeline timeline;
  StreamState& one = timeline.create(false, 0, 0);
  StreamState& two = timeline.create(false, 0, 0);
};

TEST_F(TimelineTimeTest, WorkOfOneStreamAddsUp) {
  put(one, Busy::kKernel, 5);
  put(one, Busy::kCopyOut, 7);
  timeline.finish_all();
  EXPECT_EQ(timeline.latest().nanoseconds, 12);
}

TEST_F(TimelineTimeTest, CopiesAndKernelsOfTwoStreamsGoOnAtTheSameTime) {
  put(one, Busy::kCopyIn, 5);
  put(one, Busy::kKernel, 5);
  put(two, Busy::kCopyOut, 8);
  timeline.finish_all();
  EXPECT_EQ(timeline.latest().nanoseconds, 10);
  EXPECT_EQ(timeline.busy()[static_cast<std::size_t>(Busy::kCopyOut)].nanoseconds, 8);
}

TEST_F(TimelineTimeTest, OneEngineDoesOneThingAtATime) {
  put(one, Busy::kCopyIn, 5);
  put(two, Busy::kCopyIn, 5);
  timeline.finish_all();
  EXPECT_EQ(timeline.latest().nanoseconds, 10);
}

// Three pieces in two streams: whichever stream the host waits for first, the second piece is copied in before the
// third.
TEST_F(TimelineTimeTest, TheOrderOfWaitingDoesNotDecideWhatAnEngineServesFirst) {
  for (const bool first_is_waited_for_first : {true, false}) {
    Timeline timeline;
    StreamState* const streams[] = {&timeline.create(false, 0, 0), &timeline.create(false, 0, 0)};
    for (int piece = 0; piece < 3; ++piece)
      for (const Busy kind : {Busy::kCopyIn, Busy::kKernel, Busy::kCopyOut})
        timeline.enqueue(*streams[piece % 2], [&timeline, kind] { timeline.takes(kind, {10, 5}); });
    timeline.finish(*streams[first_is_waited_for_first ? 0 : 1]);
    timeline.finish(*streams[first_is_waited_for_first ? 1 : 0]);
    EXPECT_EQ(timeline.latest().nanoseconds, 60) << "the third piece comes after the first, whose stream it is in";
    EXPECT_EQ(timeline.latest().at_scale, 30);
    EXPECT_EQ(timeline.now(), 60);
    EXPECT_EQ(timeline.host_waits(), first_is_waited_for_first ? 1U : 2U);
    std::vector<double> copies_in;
    for (const Activity& activity : timeline.activities().listed())
      if (activity.kind == Busy::kCopyIn) copies_in.push_back(activity.begin);
    EXPECT_EQ(copies_in, (std::vector<double>{0, 10, 30}));
  }
}

TEST_F(TimelineTimeTest, WhoeverIsReadyFirstIsServedFirstThoughAskedForLater) {
  put(one, Busy::kKernel, 50);
  const auto copied_late = put(one, Busy::kCopyOut, 10);
  const auto copied = put(two, Busy::kCopyOut, 10);
  timeline.finish(one);
  timeline.finish(two);
  EXPECT_EQ(copied->ends.nanoseconds, 10);
  EXPECT_EQ(copied_late->ends.nanoseconds, 60);
}

TEST_F(TimelineTimeTest, AHostThatHasWaitedAsksLaterThough) {
  put(one, Busy::kKernel, 10);
  put(two, Busy::kCopyOut, 100);
  timeline.finish(one);
  timeline.takes(Busy::kLaunching, {3, 3});
  const auto late = put(one, Busy::kKernel, 5);
  timeline.finish_all();
  EXPECT_EQ(late->begins.nanoseconds, 13);
  EXPECT_EQ(timeline.now(), 100);
  EXPECT_EQ(timeline.host_waits(), 2U);
}

TEST_F(TimelineTimeTest, WhatIsNotTimedAgainYetIsListedAsItWasTimedAtFirst) {
  put(one, Busy::kCopyIn, 10);
  put(two, Busy::kCopyIn, 10);
  timeline.finish(two);
  ASSERT_EQ(timeline.activities().listed().size(), 2U) << "a copy, and a wait";
  EXPECT_EQ(timeline.activities().listed()[0].begin, 0);
  timeline.finish_all();
  ASSERT_EQ(timeline.activities().listed().size(), 3U) << "the host has waited long enough";
  EXPECT_EQ(timeline.activities().listed()[1].stream, two.id);
  EXPECT_EQ(timeline.activities().listed()[1].begin, 10) << "the other copy was asked for first";
}

TEST_F(TimelineTimeTest, WhatIsAwaitedIsOverBeforeTheRestBegins) {
  const auto first = put(one, Busy::kCopyIn, 5);
  two.awaits.push_back(first);
  put(two, Busy::kKernel, 3);
  timeline.finish_all();
  EXPECT_EQ(timeline.latest().nanoseconds, 8);
}

TEST_F(TimelineTimeTest, AHostThatWaitedAsksForNothingEarlier) {
  put(one, Busy::kKernel, 5);
  timeline.finish(one);
  EXPECT_EQ(timeline.now(), 5);
  put(two, Busy::kCopyIn, 2);
  timeline.finish_all();
  EXPECT_EQ(timeline.latest().nanoseconds, 7);
}

TEST_F(TimelineTimeTest, AHostThatDoesNotWaitGoesOn) {
  put(one, Busy::kKernel, 50);
  timeline.takes(Busy::kPinning, {20, 20});
  EXPECT_EQ(timeline.now(), 20);
  put(two, Busy::kCopyIn, 10);
  timeline.finish(two);
  EXPECT_EQ(timeline.now(), 30) << "the kernel is still running";
  timeline.finish_all();
  EXPECT_EQ(timeline.now(), 50);
}

TEST_F(TimelineTimeTest, WhatOverlapsAtScaleNeedNotOverlapInTheCall) {
  const auto put_both = [&](StreamState& stream, Busy kind, const TimeSpan& time) {
    timeline.enqueue(stream, [this, kind, time] { timeline.takes(kind, time); });
  };
  put_both(one, Busy::kKernel, {10, 1});
  put_both(two, Busy::kCopyOut, {3, 7});
  put_both(two, Busy::kKernel, {5, 2});
  timeline.finish_all();
  EXPECT_EQ(timeline.latest().nanoseconds, 15) << "the second kernel waits for the first";
  EXPECT_EQ(timeline.latest().at_scale, 9) << "here it waits for the copy";
}

TEST_F(TimelineTimeTest, WhatIsPaidOnceHardlyCountsAtScale) {
  timeline.takes(Busy::kLaunching, once(2560));
  EXPECT_EQ(timeline.latest().nanoseconds, 2560);
  EXPECT_EQ(timeline.latest().at_scale, 2560 / kScale);
}

TEST_F(TimelineTimeTest, ListsWhatWentOnInWhichStreamAndForHowLongTheHostWaited) {
  timeline.takes(Busy::kLaunching, {3, 3}, {"copy", 64});
  put(one, Busy::kCopyIn, 10);
  put(one, Busy::kKernel, 5);
  put(two, Busy::kCopyIn, 10);
  timeline.finish(one);
  timeline.finish_all();
  struct Expected {
    Busy kind;
    std::uint64_t stream;
    double begin, end;
  };
  const std::vector<Expected> expected = {{Busy::kLaunching, 0, 0, 3},     {Busy::kCopyIn, one.id, 3, 13},
                                          {Busy::kCopyIn, two.id, 13, 23},  // beside the kernel
                                          {Busy::kKernel, one.id, 13, 18}, {Busy::kWaiting, 0, 3, 18},
                                          {Busy::kWaiting, 0, 18, 23}};
  const std::vector<Activity>& listed = timeline.activities().listed();
  ASSERT_EQ(listed.size(), expected.size());
  for (std::size_t n = 0; n < listed.size(); ++n) {
    EXPECT_EQ(listed[n].kind, expected[n].kind) << n;
    EXPECT_EQ(listed[n].stream, expected[n].stream) << n;
    EXPECT_EQ(listed[n].begin, expected[n].begin) << n;
    EXPECT_EQ(listed[n].end, expected[n].end) << n;
  }
  EXPECT_EQ(listed[0].what.name, "copy");
  EXPECT_EQ(listed[0].what.bytes, 64U);
}

TEST_F(TimelineTimeTest, CountsWhatTheHostAskedForAndHowOftenItStoodStill) {
  for (int n = 0; n < 3; ++n) timeline.takes(Busy::kLaunching, {2, 2});
  put(one, Busy::kKernel, 1);  // is over at 7
  timeline.takes(Busy::kAllocating, {50, 50});
  timeline.finish(one);
  EXPECT_EQ(timeline.host_waits(), 0U) << "what is over needs no waiting";
  put(one, Busy::kKernel, 100);
  timeline.finish(one);
  timeline.finish_all();
  EXPECT_EQ(timeline.host_waits(), 1U);
  EXPECT_EQ(timeline.host_requests(), 3U);
}

TEST_F(TimelineTimeTest, WhatIsNotListedIsCountedAndAddedUp) {
  constexpr std::size_t kLaunches = Activities::kMostListed + 7;
  for (std::size_t n = 0; n < kLaunches; ++n) timeline.takes(Busy::kLaunching, {2, 2});
  EXPECT_EQ(timeline.activities().listed().size(), Activities::kMostListed);
  EXPECT_EQ(timeline.activities().left_out(), 7U);
  EXPECT_EQ(timeline.activities().spans(Share::kRequesting).length(), 2.0 * kLaunches);
}

TEST(Spans, CountAMomentOnce) {
  Spans spans;
  for (const auto& [begin, end] : {std::pair(10.0, 20.0), {30.0, 40.0}, {50.0, 60.0}, {5.0, 5.0}})
    spans.add(begin, end);
  EXPECT_EQ(spans.length(), 30);
  spans.add(15, 35);  // joins two
  EXPECT_EQ(spans.length(), 40);
  spans.add(0, 2);
  spans.add(2, 10);  // touches both of its neighbours
  EXPECT_EQ(spans.length(), 50);
  Spans others;
  others.add(35, 55);
  others.add(70, 71);
  spans.add(others);
  EXPECT_EQ(spans.length(), 61);
}

TEST(MemoryPool, MapsWhatItHoldsNotAndMayNotKeep) {
  MemoryPool pool;
  EXPECT_EQ(pool.unmapped_by(100), 100U);
  pool.take(100);
  EXPECT_EQ(pool.unmapped_by(50), 50U) << "beside what is in use";
  pool.give_back(100);
  EXPECT_EQ(pool.unmapped_by(100), 100U) << "nothing may be kept, so that it is mapped anew";
  pool.release_threshold = 80;
  EXPECT_EQ(pool.unmapped_by(100), 20U);
}

TEST_F(TimelineTimeTest, TheOrderOfRunningDownChangesNothingBetweenEngines) {
  put(one, Busy::kKernel, 6);
  put(two, Busy::kCopyOut, 9);
  timeline.finish(two);
  timeline.finish(one);
  EXPECT_EQ(timeline.latest().nanoseconds, 9);
}

}  // namespace
}  // namespace vgpu::cudart
