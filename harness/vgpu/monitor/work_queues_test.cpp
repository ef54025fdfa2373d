// Work queues in modelled time: blocks and warps share out tiles as they become free.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/vgpu/monitor/testing/timed_kernel.h"

namespace vgpu::test {
namespace {

struct Queue {
  std::uint32_t tiles;
  std::string rounds;  ///< %r22 = how long tile %r21 takes
  std::string done;    ///< with a tile
  std::string before;  ///< the first tile
};

/// The first lane of each warp takes a tile for all of them.
std::string queue_of(const Queue& queue) {
  return queue.before +
         "and.b32 %r19, %r0, 31;\nTAKE:\nmov.u32 %r21, 0;\nsetp.ne.u32 %p1, %r19, 0;\n"
         "@%p1 bra SHARE;\natom.global.add.u32 %r21, [%rd0], 1;\nSHARE:\nshfl.sync.idx.b32 %r21, %r21, 0, 31, -1;\n"
         "setp.ge.u32 %p2, %r21, " +
         std::to_string(queue.tiles) + ";\n@%p2 bra END;\n" + queue.rounds +
         "mov.u32 %r20, 0;\nWORK:\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p3, %r20, %r22;\n@%p3 bra WORK;\n" +
         queue.done + "bra TAKE;\nEND:\n";
}

/// Modelled clocks of `rounds` of work in one warp.
double work_of(std::uint32_t rounds) {
  const Queue one{1, "mov.u32 %r22, " + std::to_string(rounds) + ";\n", "", ""};
  return clocks_of(time_of_kernel({queue_of(one), 32, 1}), Bound::kLatency);
}

TEST(WorkQueues, OfWarpsWithLongTilesAreSharedByAllBlocks) {
  const Queue queue{64, "mul.lo.u32 %r22, %r21, 2654435761;\nshr.u32 %r22, %r22, 20;\nadd.u32 %r22, %r22, 2952;\n", "",
                    ""};
  const double all = clocks_of(time_of_kernel({queue_of(queue), 128, 4}), Bound::kLatency);
  EXPECT_LT(all, 1.5 * 64 / 16 * work_of(5000)) << "4 tiles of 5,000 rounds for each of 16 warps, on average";
}

TEST(WorkQueues, WhoHasALongTileTakesNoFurtherOneBeforeOthersDo) {
  // As many short tiles between long ones as there are others to take them in turn.
  const Queue queue{96, "and.b32 %r22, %r21, 15;\nsetp.eq.u32 %p3, %r22, 0;\nselp.u32 %r22, 16000, 100, %p3;\n", "",
                    ""};
  const double all = clocks_of(time_of_kernel({queue_of(queue), 32, 16}), Bound::kLatency);
  EXPECT_LT(all, 1.5 * work_of(16000)) << "six long tiles for 16 blocks";
}

TEST(WorkQueues, AreSharedWhileOthersPollForWhatTheyGive) {
  // The first block waits until all tiles are done.
  const Queue queue{32, "mov.u32 %r22, 4000;\n", "@%p1 bra TAKE;\nred.release.gpu.global.add.u32 [%rd0+128], 1;\n",
                    "mov.u32 %r10, %ctaid.x;\nsetp.ne.u32 %p4, %r10, 0;\n@%p4 bra WORKER;\n"
                    "POLL:\nld.acquire.gpu.global.u32 %r11, [%rd0+128];\nsetp.lt.u32 %p4, %r11, 32;\n@%p4 bra POLL;\n"
                    "bra END;\nWORKER:\n"};
  const double all = clocks_of(time_of_kernel({queue_of(queue), 32, 9}), Bound::kLatency);
  EXPECT_GT(all, 0.9 * 4 * work_of(4000));
  EXPECT_LT(all, 1.2 * 4 * work_of(4000)) << "four tiles for each of eight blocks";
}

TEST(WorkQueues, OrderWhoTakesALockThatIsHeldLong) {
  // The warp that is furthest behind comes first, and every warp gets the lock: none waits for another that waits for
  // it.
  const std::string body =
      "mov.u32 %r10, %ctaid.x;\nmul.lo.u32 %r22, %r10, 700;\nmov.u32 %r20, 0;\nWORK:\nadd.u32 %r20, %r20, 1;\n"
      "setp.lt.u32 %p3, %r20, %r22;\n@%p3 bra WORK;\nTRY:\natom.acquire.gpu.global.cas.b32 %r11, [%rd0], 0, 1;\n"
      "setp.ne.u32 %p1, %r11, 0;\n@%p1 bra TRY;\nmov.u32 %r20, 0;\nHOLD:\nadd.u32 %r20, %r20, 1;\n"
      "setp.lt.u32 %p3, %r20, 2000;\n@%p3 bra HOLD;\nmov.u32 %r13, 0;\nst.release.gpu.global.u32 [%rd0], %r13;\n";
  const double all = clocks_of(time_of_kernel({body, 1, 8}), Bound::kLatency);
  EXPECT_GT(all, 8 * work_of(2000) - 8000) << "one after another";
  EXPECT_LT(all, 1.5 * 8 * work_of(2000));
}

}  // namespace
}  // namespace vgpu::test
