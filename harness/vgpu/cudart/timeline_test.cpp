// Order of work: nothing before somebody waits, everything before what has to come after it.
#include "harness/vgpu/cudart/timeline.h"

#include <gtest/gtest.h>

#include <string>

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

TEST_F(TimelineTest, LongQueuesAreRunDownAndLongChainsNeedNoDeepStack) {
  StreamState& stream = timeline.create(true, 0, 0);
  for (int i = 0; i < 200000; ++i) put(stream, '.');
  EXPECT_GT(log.size(), 100000u);
  timeline.finish(stream);
  EXPECT_EQ(log.size(), 200000u);
}

TEST_F(TimelineTest, DestroyingAStreamFinishesIt) {
  StreamState& stream = timeline.create(true, 0, 0);
  put(stream, 'a');
  timeline.destroy(stream);
  EXPECT_EQ(log, "a");
  EXPECT_FALSE(timeline.owns(&stream));
}

}  // namespace
}  // namespace vgpu::cudart
