// What warps wait for, as time: the slowest of their reads, the warps beside them, other blocks.
#include <gtest/gtest.h>

#include <string>

#include "harness/vgpu/monitor/announcements.h"
#include "harness/vgpu/monitor/testing/timed_kernel.h"

namespace vgpu::test {
namespace {

/// Each block waits until the one before has written, by a read of that kind, and writes in turn.
CountedKernel chain_of_blocks(std::uint32_t blocks, const std::string& read) {
  const std::string body =
      "mov.u32 %r10, %ctaid.x;\nmul.wide.u32 %rd1, %r10, 4;\nadd.u64 %rd1, %rd1, %rd0;\nmov.u32 %r12, 1;\n"
      "setp.eq.u32 %p1, %r10, 0;\n@%p1 bra WRITE;\n"
      "WAIT:\nld." +
      read +
      ".global.u32 %r11, [%rd1];\nsetp.eq.u32 %p2, %r11, 0;\n@%p2 bra WAIT;\n"
      "WRITE:\nst.volatile.global.u32 [%rd1+4], %r12;\n";
  return {body, 32, blocks};
}

TEST(ModelledWaits, BlocksThatWaitForOneAnotherComeOneAfterTheOther) {
  for (const char* const read : {"volatile", "relaxed.gpu", "acquire.gpu"}) {
    const double few = clocks_of(time_of_kernel(chain_of_blocks(8, read)), Bound::kLatency);
    const double many = clocks_of(time_of_kernel(chain_of_blocks(100, read)), Bound::kLatency);
    const double link = (many - few) / (100 - 8);
    EXPECT_GT(link, h200().latency.l2) << read << ": to the second level and back at least";
    EXPECT_LT(link, 4 * h200().latency.l2) << read;
  }
}

TEST(ModelledWaits, BlocksAboutToWriteLetOthersLookFirst) {
  const auto link_of = [](const std::string& read) {
    const auto clocks = [&](std::uint32_t blocks) {
      CountedKernel kernel = chain_of_blocks(blocks, read);
      const std::string loop = "@%p2 bra WAIT;\n";
      kernel.body.replace(kernel.body.find(loop), loop.size(), "");
      return clocks_of(time_of_kernel(kernel), Bound::kLatency);
    };
    return (clocks(100) - clocks(8)) / (100 - 8);
  };
  EXPECT_NEAR(link_of("volatile"), 0, 0.1) << "who does not wait comes too early";
  EXPECT_NEAR(link_of("ca"), 0, 0.1);
}

TEST(ModelledWaits, ShortBlocksBeforeAChainDoNotHideIt) {
  constexpr std::uint32_t kLinks = 400;
  const auto at_scale = [](std::uint32_t short_blocks) {
    CountedKernel kernel = chain_of_blocks(short_blocks + kLinks, "volatile");
    const std::string number = "mov.u32 %r10, %ctaid.x;\n";
    kernel.body.insert(number.size(), "mov.u32 %r13, 0;\nsetp.ge.u32 %p3, %r10, " + std::to_string(short_blocks) +
                                          ";\n@%p3 bra CHAIN;\nAGAIN:\nadd.u32 %r13, %r13, 1;\n"
                                          "setp.lt.u32 %p3, %r13, 40;\n@%p3 bra AGAIN;\nret;\nCHAIN:\nsub.u32 "
                                          "%r10, %r10, " +
                                          std::to_string(short_blocks) + ";\n");
    return time_of_kernel(kernel).at_scale;
  };
  const std::uint32_t four_of_each_place = 4 * 8 * h200().sm_count;
  EXPECT_GT(at_scale(four_of_each_place), 0.9 * at_scale(0));
}

TEST(ModelledWaits, AnAtomicWhoseResultIsUsedLooksAsALoadDoes) {
  const auto link_of = [](const std::string& look, const std::string& tell) {
    const auto clocks = [&](std::uint32_t blocks) {
      CountedKernel kernel = chain_of_blocks(blocks, "volatile");
      const auto replace = [&](const std::string& what, const std::string& with) {
        kernel.body.replace(kernel.body.find(what), what.size(), with);
      };
      replace("ld.volatile.global.u32 %r11, [%rd1];\n", look);
      replace("st.volatile.global.u32 [%rd1+4], %r12;\n", tell);
      return clocks_of(time_of_kernel(kernel), Bound::kLatency);
    };
    return (clocks(100) - clocks(8)) / (100 - 8);
  };
  const std::string swap = "atom.global.exch.b32 %r13, [%rd1+4], %r12;\n";
  for (const char* const look :
       {"add.u32 %r11, [%rd1], 0", "or.b32 %r11, [%rd1], 0", "max.u32 %r11, [%rd1], 0", "and.b32 %r11, [%rd1], -1",
        "cas.b32 %r11, [%rd1], 7, 7", "cas.b32 %r11, [%rd1], 7, 8", "cas.b32 %r11, [%rd1], 1, 2"})
    EXPECT_GT(link_of("atom.global." + std::string(look) + ";\n", swap), h200().latency.l2) << look;
  EXPECT_GT(link_of("atom.global.add.u32 %r11, [%rd1], 0;\n", "red.global.add.u32 [%rd1+4], %r12;\n"),
            h200().latency.l2)
      << "by all lanes of both blocks";
  EXPECT_GT(link_of("ld.volatile.global.u32 %r11, [%rd1];\n",
                    "mov.u32 %r14, %laneid;\nmul.wide.u32 %rd2, %r14, 1024;\nadd.u64 %rd2, %rd2, %rd1;\n"
                    "setp.lt.u32 %p3, %r14, 2;\n@%p3 atom.global.cas.b32 %r13, [%rd2+4], 0, 1;\n"),
            h200().latency.l2)
      << "told by lanes that swap at different places";
}

/// Each block does `take`, adds to a word of all, and does `give`.
double clocks_a_block_holds(const std::string& take, const std::string& give) {
  const auto clocks = [&](std::uint32_t blocks) {
    const std::string work =
        "ld.global.u32 %r12, [%rd0+128];\nadd.u32 %r12, %r12, 1;\nst.global.u32 [%rd0+128], %r12;\nmembar.gl;\n"
        "ld.global.u32 %r12, [%rd0+128];\nst.global.u32 [%rd0+256], %r12;\nmembar.gl;\n";
    return clocks_of(time_of_kernel({take + work + give, 1, blocks}), Bound::kLatency);
  };
  return (clocks(100) - clocks(8)) / (100 - 8);
}

TEST(ModelledWaits, WhoHoldsALockKeepsOthersWaiting) {
  const std::string try_again = "setp.ne.u32 %p1, %r11, 0;\n@%p1 bra TRY;\n";
  const std::string free = "mov.u32 %r13, 0;\nst.release.gpu.global.u32 [%rd0], %r13;\n";
  const double least = 3 * h200().latency.l2;  // two reads, and the lock on its way to the next block
  EXPECT_GT(clocks_a_block_holds("TRY:\natom.acquire.gpu.global.cas.b32 %r11, [%rd0], 0, 1;\n" + try_again, free),
            least);
  EXPECT_GT(clocks_a_block_holds("TRY:\natom.acquire.gpu.global.exch.b32 %r11, [%rd0], 1;\n" + try_again, free), least);
  EXPECT_GT(clocks_a_block_holds("TRY:\natom.acquire.gpu.global.or.b32 %r11, [%rd0], 1;\n" + try_again, free), least);
  const std::string ticket = "atom.global.add.u32 %r10, [%rd0+4], 1;\n";
  EXPECT_GT(clocks_a_block_holds(ticket + "TRY:\nld.acquire.gpu.global.u32 %r11, [%rd0];\n"
                                          "setp.ne.u32 %p1, %r11, %r10;\n@%p1 bra TRY;\n",
                                 "add.u32 %r10, %r10, 1;\nst.release.gpu.global.u32 [%rd0], %r10;\n"),
            least);
  EXPECT_GT(clocks_a_block_holds("atom.global.add.u32 %r10, [%rd0], 1;\nand.b32 %r10, %r10, 0xFFFF;\n"
                                 "TRY:\nld.acquire.gpu.global.u32 %r11, [%rd0];\nshr.u32 %r11, %r11, 16;\n"
                                 "setp.ne.u32 %p1, %r11, %r10;\n@%p1 bra TRY;\n",
                                 "red.release.gpu.global.add.u32 [%rd0], 0x10000;\n"),
            least)
      << "both in one word";
  EXPECT_LT(clocks_a_block_holds(ticket, "st.global.u32 [%rd0+64], %r10;\n"), 20) << "tickets that nobody waits for";
}

TEST(ModelledWaits, WhatWasWrittenForOthersBeforeSaysNothingOfWhatTheyFind) {
  const auto link_of = [](const std::string& early) {
    const auto clocks = [&](std::uint32_t blocks) {
      CountedKernel kernel = chain_of_blocks(blocks, "volatile");
      const std::string test = "setp.eq.u32 %p2, %r11, 0;\n";
      kernel.body.replace(kernel.body.find(test), test.size(), "setp.ne.u32 %p2, %r11, 1;\n");
      kernel.body.insert(kernel.body.find("setp.eq.u32 %p1"), early);
      return clocks_of(time_of_kernel(kernel), Bound::kLatency);
    };
    return (clocks(100) - clocks(8)) / (100 - 8);
  };
  const double link = link_of("");
  EXPECT_GT(link, h200().latency.l2);
  EXPECT_NEAR(link_of("mov.u32 %r13, 2;\nst.volatile.global.u32 [%rd1+4], %r13;\n") / link, 1, 0.1);
}

TEST(ModelledWaits, WhatAWarpDoesBetweenTwoLooksIsNoWaiting) {
  const auto link_of = [](const std::string& held) {
    const auto clocks = [&](std::uint32_t blocks) {
      CountedKernel kernel = chain_of_blocks(blocks, "volatile");
      kernel.body.insert(kernel.body.find("WRITE:"), held);
      return clocks_of(time_of_kernel(kernel), Bound::kLatency);
    };
    return (clocks(100) - clocks(8)) / (100 - 8);
  };
  const std::string work =
      "mov.u32 %r13, 0;\nWORK:\nadd.u32 %r13, %r13, 1;\nsetp.lt.u32 %p2, %r13, 1000;\n@%p2 bra WORK;\n";
  const double link = link_of(work);
  EXPECT_GT(link, 1000);
  EXPECT_GE(link_of(work + "ld.volatile.global.u32 %r11, [%rd1];\n"), link) << "again at the same place";
  EXPECT_GE(link_of(work + "ld.volatile.global.u32 %r11, [%rd1+4096];\nld.volatile.global.u32 %r11, [%rd1];\n"
                           "ld.volatile.global.u32 %r11, [%rd1+4096];\nld.volatile.global.u32 %r11, [%rd1];\n"),
            link)
      << "at two in turn";
}

TEST(ModelledWaits, TheLastToComeWaitsForAllWhoCameBefore) {
  // At a barrier of the grid whose last block opens it, in rounds of which each is the work of another block.
  const auto clocks = [](std::uint32_t rounds) {
    const std::string body =
        "mov.u32 %r10, %ctaid.x;\nmov.u32 %r11, 0;\nROUND:\nsetp.ne.u32 %p1, %r10, %r11;\n"
        "@%p1 bra COME;\nmov.u32 %r12, 0;\nWORK:\nadd.u32 %r12, %r12, 1;\n"
        "setp.lt.u32 %p2, %r12, 1000;\n@%p2 bra WORK;\n"
        "COME:\natom.global.add.u32 %r13, [%rd0], 1;\nadd.u32 %r11, %r11, 1;\n"
        "mad.lo.u32 %r14, %r11, 16, -1;\nsetp.ne.u32 %p1, %r13, %r14;\n@%p1 bra WAIT;\n"
        "st.volatile.global.u32 [%rd0+64], %r11;\n"
        "WAIT:\nld.volatile.global.u32 %r13, [%rd0+64];\nsetp.lt.u32 %p1, %r13, %r11;\n"
        "@%p1 bra WAIT;\nsetp.lt.u32 %p1, %r11, " +
        std::to_string(rounds) + ";\n@%p1 bra ROUND;\n";
    return clocks_of(time_of_kernel({body, 1, 16}), Bound::kLatency);
  };
  EXPECT_GT((clocks(16) - clocks(4)) / 12, 1000) << "the work of a round";
}

TEST(ModelledWaits, AChainIsAsLongAtScaleBesideABlockThatTakesLonger) {
  const auto at_scale = [](std::uint32_t blocks) {
    CountedKernel kernel = chain_of_blocks(blocks, "volatile");
    kernel.body =
        "mov.u32 %r12, 0;\nmov.u32 %r10, %ctaid.x;\nsetp.ne.u32 %p3, %r10, 100;\n@%p3 bra CHAIN;\n"
        "WORK:\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p2, %r12, 20000;\n@%p2 bra WORK;\nbra END;\nCHAIN:\n" +
        kernel.body + "END:\n";
    return time_of_kernel(kernel).at_scale;
  };
  EXPECT_GT(at_scale(101) / at_scale(100), 0.99);
}

/// Each warp of a block waits for its turn, works for `clocks`, and hands on.
double clocks_of_turns(std::uint32_t warps, const std::string& wait, const std::string& hand_on) {
  std::string body =
      "mov.u32 %r9, turn;\nshr.u32 %r10, %r0, 5;\nand.b32 %r13, %r0, 31;\nsetp.ne.u32 %p3, %r0, 0;\n"
      "mov.u32 %r11, 0;\n@%p3 bra GO;\nst.shared.u32 [%r9], %r11;\nGO:\nbar.sync 0;\n" +
      wait +
      "mov.u32 %r12, 0;\nWORK:\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p2, %r12, 500;\n@%p2 bra WORK;\n"
      "add.u32 %r10, %r10, 1;\n" +
      hand_on;
  const CountedKernel kernel{body, 32 * warps, 1, ".shared .align 16 .b8 turn[16];"};
  return clocks_of(time_of_kernel(kernel), Bound::kLatency);
}

TEST(ModelledWaits, WarpsThatTakeTurnsByMemoryBarriersComeOneAfterTheOther) {
  for (const char* const arrive :
       {"mbarrier.arrive.shared.b64 %rd4, [%r9+8];\n", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9+8];\n"}) {
    const auto clocks = [&](std::uint32_t warps) {
      const std::string body =
          "mov.u32 %r9, turns;\nshr.u32 %r10, %r0, 5;\nand.b32 %r13, %r0, 31;\nmad.lo.u32 %r9, %r10, 8, %r9;\n"
          "setp.ne.u32 %p3, %r13, 0;\n@%p3 bra READY;\nmbarrier.init.shared.b64 [%r9], 32;\nREADY:\nbar.sync 0;\n"
          "setp.eq.u32 %p1, %r10, 0;\n@%p1 bra GO;\n"
          "TRY:\nmbarrier.test_wait.parity.shared.b64 %p2, [%r9], 0;\n@!%p2 bra TRY;\n"
          "GO:\nmov.u32 %r12, 0;\nWORK:\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p2, %r12, 500;\n@%p2 bra WORK;\n"
          "setp.eq.u32 %p1, %r10, " +
          std::to_string(warps - 1) + ";\n@%p1 bra END;\n" + arrive + "END:\n";
      return clocks_of(time_of_kernel({body, 32 * warps, 1, ".shared .align 16 .b8 turns[256];"}), Bound::kLatency);
    };
    EXPECT_GT((clocks(32) - clocks(4)) / (32 - 4), 3 * 500) << arrive;
  }
}

TEST(ModelledWaits, WarpsThatTakeTurnsByBulkCopiesComeOneAfterTheOther) {
  const auto clocks = [](std::uint32_t warps, const std::string& look) {
    const std::string body =
        "mov.u32 %r8, data;\nmov.u32 %r9, turns;\nshr.u32 %r10, %r0, 5;\nand.b32 %r13, %r0, 31;\n"
        "mad.lo.u32 %r8, %r10, 16, %r8;\nmad.lo.u32 %r9, %r10, 8, %r9;\nsetp.ne.u32 %p3, %r13, 0;\n@%p3 bra READY;\n"
        "st.shared.u32 [%r8], 0;\nmov.u32 %r12, 1;\nst.global.u32 [%rd0], %r12;\n"
        "mbarrier.init.shared.b64 [%r9], 1;\nmbarrier.arrive.expect_tx.shared.b64 %rd4, [%r9], 16;\n"
        "READY:\nbar.sync 0;\nsetp.eq.u32 %p1, %r10, 0;\n@%p1 bra GO;\n" +
        look +
        "GO:\nmov.u32 %r12, 0;\nWORK:\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p2, %r12, 500;\n@%p2 bra WORK;\n"
        "setp.ne.u32 %p1, %r13, 0;\n@%p1 bra END;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8+16], [%rd0], 16, [%r9+8];\nEND:\n";
    return clocks_of(
        time_of_kernel({body, 32 * warps, 1, ".shared .align 16 .b8 turns[512];\n.shared .align 16 .b8 data[1024];"}),
        Bound::kLatency);
  };
  for (const char* const look : {"TRY:\nmbarrier.test_wait.parity.shared.b64 %p2, [%r9], 0;\n@!%p2 bra TRY;\n",
                                 "TRY:\nld.volatile.shared.u32 %r11, [%r8];\nsetp.eq.u32 %p2, %r11, 0;\n"
                                 "@%p2 bra TRY;\n"})
    EXPECT_GT((clocks(32, look) - clocks(4, look)) / (32 - 4), 3 * 500 + h200().latency.l2) << look;
}

TEST(ModelledWaits, WhoWaitsForItsOwnBulkCopyWaitsAsForARead) {
  const std::string body =
      "mov.u32 %r8, data;\nmov.u32 %r9, turns;\nmov.u32 %r10, 0;\nmbarrier.init.shared.b64 [%r9], 1;\n"
      "LOOP:\nadd.u64 %rd0, %rd0, 256;\nand.b32 %r11, %r10, 1;\n"
      "mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r9], 16;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd0], 16, [%r9];\n"
      "TRY:\nmbarrier.test_wait.parity.shared.b64 %p2, [%r9], %r11;\n@!%p2 bra TRY;\n"
      "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 64;\n@%p1 bra LOOP;\n";
  const std::string variables = ".shared .align 16 .b8 turns[16];\n.shared .align 16 .b8 data[16];";
  EXPECT_GT(clocks_of(time_of_kernel({body, 1, 1, variables}), Bound::kLatency), 64 * h200().latency.l2);
}

TEST(ModelledWaits, WarpsThatTakeTurnsComeOneAfterTheOther) {
  const std::string again = "setp.ne.u32 %p1, %r11, %r10;\n@%p1 bra TRY;\n";
  const std::string by_load = "TRY:\nld.volatile.shared.u32 %r11, [%r9];\n" + again;
  const std::string by_atomic = "TRY:\natom.shared.add.u32 %r11, [%r9], 0;\n" + again;
  const std::string store = "st.volatile.shared.u32 [%r9], %r10;\n", swap = "atom.shared.exch.b32 %r11, [%r9], %r10;\n";
  const std::string global_load = "TRY:\nld.volatile.global.u32 %r11, [%rd0];\n" + again;
  const std::string global_store = "st.volatile.global.u32 [%rd0], %r10;\n";
  const auto link = [](const std::string& wait, const std::string& hand_on) {
    return (clocks_of_turns(32, wait, hand_on) - clocks_of_turns(4, wait, hand_on)) / (32 - 4);
  };
  const double least = 3 * 500;  // three dependent instructions, of a few clocks each
  EXPECT_GT(link(by_load, store), least);
  EXPECT_GT(link(by_atomic, store), least);
  EXPECT_GT(link(by_load, swap), least);
  EXPECT_GT(link(global_load, global_store), least);
  EXPECT_GT(link("TRY:\nst.volatile.shared.u8 [%r9+1], %r13;\nld.volatile.shared.u8 %r11, [%r9];\n" + again,
                 "st.volatile.shared.u8 [%r9], %r10;\n"),
            least)
      << "who waits writes beside it";
  EXPECT_LT(link("", ""), least) << "warps that do not wait share the schedulers";
}

TEST(ModelledWaits, WhoHoldsALockAndStoresIsNotTakenForOneThatPolls) {
  const std::string work =
      "mov.u32 %r14, 0;\nWORK:\nld.global.cg.u32 %r12, [%rd0+128];\nadd.u32 %r12, %r12, 1;\n"
      "st.global.u32 [%rd0+128], %r12;\nadd.u32 %r14, %r14, 1;\nsetp.lt.u32 %p2, %r14, 256;\n@%p2 bra WORK;\n";
  EXPECT_GT(clocks_a_block_holds("TRY:\natom.acquire.gpu.global.cas.b32 %r11, [%rd0], 0, 1;\n"
                                 "setp.ne.u32 %p1, %r11, 0;\n@%p1 bra TRY;\n" +
                                     work,
                                 "mov.u32 %r13, 0;\nst.release.gpu.global.u32 [%rd0], %r13;\n"),
            256 * h200().latency.l2)
      << "and all blocks end within their instructions";
}

TEST(ModelledWaits, ReleasingWaitsForTheSecondLevel) {
  const auto clocks = [](const std::string& store) {
    const std::string body =
        "mov.u32 %r10, 0;\nLOOP:\n" + store + "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 64;\n@%p1 bra LOOP;\n";
    return clocks_of(time_of_kernel({body, 32, 1}), Bound::kLatency) / 64;
  };
  const double l2 = h200().latency.l2;
  EXPECT_LT(clocks("st.relaxed.gpu.global.u32 [%rd0], %r10;\n"), l2 / 2);
  EXPECT_LT(clocks("st.release.cta.global.u32 [%rd0], %r10;\n"), l2 / 2) << "whose block waits for it";
  EXPECT_NEAR(clocks("st.release.gpu.global.u32 [%rd0], %r10;\n"), l2, l2 / 4);
  EXPECT_NEAR(clocks("atom.acq_rel.gpu.global.add.u32 %r11, [%rd0], 1;\nadd.u32 %r10, %r10, %r11;\n"
                     "sub.u32 %r10, %r10, %r11;\n"),
              2 * l2, l2 / 2)
      << "and for its own result";
}

/// 64 reads, each of which says where the next one is: here, nowhere else, or `apart` bytes further.
CountedKernel chase(int apart) {
  std::string body =
      "mov.u32 %r10, 0;\nLOOP:\nld.global.u64 %rd1, [%rd0];\nadd.u64 %rd0, %rd0, %rd1;\nadd.u64 %rd0, %rd0, " +
      std::to_string(apart) +
      ";\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 64;\n@%p1 bra LOOP;\nst.global.u64 [%rd0], %rd1;\n";
  return {body, 32, 1};
}

TEST(ModelledWaits, AReadTakesAsLongAsTheWayToWhereItFindsWhatItAsksFor) {
  const double near = clocks_of(time_of_kernel(chase(0)), Bound::kLatency);
  const double far = clocks_of(time_of_kernel(chase(256)), Bound::kLatency);
  const double apart = 63 * (static_cast<double>(h200().latency.dram) - h200().latency.l1);
  EXPECT_NEAR((far - near) / apart, 1, 0.05) << "all but the first are in the first level, or none is";
}

/// A warp copies a word, waits, works for `clocks`, 64 times over; each word is 256 bytes from the one before.
double clocks_of_copies(const std::string& wait, int clocks = 0) {
  std::string body =
      "mov.u32 %r10, 0;\nmov.u32 %r9, tile;\nLOOP:\nadd.u64 %rd0, %rd0, 256;\n"
      "cp.async.ca.shared.global [%r9], [%rd0], 4;\ncp.async.commit_group;\n" +
      wait;
  for (int n = 0; n < clocks / 4; ++n) body += "add.u32 %r11, %r11, %r10;\n";
  body += "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 64;\n@%p1 bra LOOP;\nst.global.u32 [%rd0], %r11;\n";
  return clocks_of(time_of_kernel({body, 32, 1, ".shared .align 16 .b8 tile[16];"}), Bound::kLatency);
}

TEST(ModelledWaits, ACopyTakesItsTimeHoweverItIsWaitedFor) {
  const double at_once = clocks_of_copies("cp.async.wait_group 0;\n");
  EXPECT_GT(at_once, 64 * h200().latency.l2);
  const std::string close = "cp.async.commit_group;\n", word = "cp.async.ca.shared.global [%r9+4], [%rd0], 4;\n";
  EXPECT_GT(clocks_of_copies(close + "cp.async.wait_group 1;\n"), 0.7 * at_once) << "behind an empty group";
  EXPECT_GT(clocks_of_copies(close + close + "cp.async.wait_group 2;\n"), 0.7 * at_once) << "behind two of them";
  EXPECT_GT(clocks_of_copies(word + close + "cp.async.wait_group 1;\n"), 0.7 * at_once) << "behind a small group";
}

TEST(ModelledWaits, WhatAWarpDoesWhileItsCopiesComeIsNotAddedToTheWait) {
  const std::string wait = "cp.async.wait_group 1;\n";  // for the copy of the turn before
  const double waiting = clocks_of_copies(wait), working = clocks_of_copies(wait, 1000);
  EXPECT_GT(waiting, 0.7 * 63 * h200().latency.l2);
  EXPECT_NEAR(working, 64 * 1000, 0.05 * 64 * 1000) << "long enough for any copy to come";
}

TEST(ModelledWaits, EachLineOfARequestTakesTheFirstLevelAClock) {
  const auto reads = [](int stride) {
    std::string body = "and.b32 %r5, %r0, 31;\n" + address(static_cast<std::uint32_t>(stride));
    for (int n = 0; n < 8; ++n) body += "ld.global.u32 %r11, [%rd1];\nadd.u32 %r12, %r12, %r11;\n";
    return clocks_of(time_of_kernel({body + "st.global.u32 [%rd0], %r12;\n", 1024, 1}), Bound::kL1);
  };
  const double requests = 8 * 32;
  EXPECT_GE(reads(128), 32 * requests) << "each lane has a line of its own";
  EXPECT_LT(reads(4), 3 * requests) << "a line, and one for the store";
}

TEST(ModelledWaits, ConstantsThatLanesWantDifferentOnesOfAreReadAsOtherMemoryIs) {
  const auto clocks = [](const std::string& offset) {
    std::string body =
        "mov.u64 %rd1, table;\nmov.u32 %r5, " + offset + ";\nmul.wide.u32 %rd2, %r5, 128;\nadd.u64 %rd1, %rd1, %rd2;\n";
    for (int n = 0; n < 8; ++n)
      body += "ld.const.u32 %r11, [%rd1+" + std::to_string(4 * n) + "];\nadd.u32 %r12, %r12, %r11;\n";
    return clocks_of(
        time_of_kernel({body + "st.global.u32 [%rd0], %r12;\n", 32, 1, ".const .align 4 .b8 table[4096];\n"}),
        Bound::kLatency);
  };
  EXPECT_GT(clocks("%tid.x"), clocks("%ctaid.x") + h200().latency.l2);
}

TEST(ModelledWaits, WarpsBetweenBarriersShareTheSchedulers) {
  std::string body;
  for (int n = 0; n < 400; ++n) body += "add.u32 %r" + std::to_string(10 + n % 16) + ", %r0, %r1;\n";
  body += "bar.sync 0;\nst.global.u32 [%rd0], %r10;\n";
  const double one = clocks_of(time_of_kernel({body, 32, 1}), Bound::kLatency);
  const double all = clocks_of(time_of_kernel({body, 1024, 1}), Bound::kLatency);
  EXPECT_GT(all - one, 400 * 32 / issues_per_clock(h200()) - 2 * 400) << "32 warps on four schedulers";
}

Announcement after(std::int64_t clocks) { return {{{}, {clocks}, {}}, 0}; }

TEST(Announcements, AreKeptOfManyPlacesButNotOfAllThatAKernelWrites) {
  Announcements announcements;
  announcements.begin_launch();
  constexpr std::uint64_t kMost = 1 << 18;
  for (std::uint64_t place = 0; place < kMost; ++place) announcements.tell(4 * place, after(0), false);
  EXPECT_NE(announcements.at(4 * (kMost - 1)), nullptr);
  EXPECT_EQ(announcements.at(4 * kMost), nullptr);
  announcements.tell(4 * kMost, after(7), false);
  announcements.tell(4 * kMost + 4, after(3), false);
  ASSERT_NE(announcements.at(4 * kMost + 4), nullptr);
  EXPECT_EQ(announcements.at(4 * kMost + 4)->by.reached.length(), 7) << "as late as any of the rest";
}

TEST(Announcements, WhatIsStoredIsAsLateAsItsWriterAndASumAsTheLastOfAllThatAdd) {
  Announcements announcements;
  announcements.begin_launch();
  for (const std::int64_t clocks : {5, 2}) announcements.tell(0, after(clocks), true);
  EXPECT_EQ(announcements.at(0)->by.reached.length(), 5);
  announcements.tell(0, after(3), false);
  EXPECT_EQ(announcements.at(0)->by.reached.length(), 3);
}

TEST(Announcements, InSharedMemoryAWarpDoesNotTellItself) {
  SharedAnnouncements announcements;
  announcements.tell(64, {5, 6, 1}, false);
  EXPECT_EQ(announcements.at(64, 1), nullptr);
  EXPECT_EQ(announcements.at(68, 2), nullptr);
  ASSERT_NE(announcements.at(64, 2), nullptr);
  EXPECT_EQ(announcements.at(64, 2)->reached, 6);
}

TEST(ModelledWaits, AWarpSleepsAsLongAsItsLongestLane) {
  const auto clocks = [](const std::string& sleep) {
    return clocks_of(time_of_kernel({"mul.lo.u32 %r10, %r0, 100;\nsetp.lt.u32 %p1, %r0, 8;\n" + sleep, 32, 1}),
                     Bound::kLatency);
  };
  const double awake = clocks("");
  EXPECT_NEAR(clocks("nanosleep.u32 %r10;\n") - awake, 3100 * h200().gigahertz(), 16);
  EXPECT_NEAR(clocks("@%p1 nanosleep.u32 %r10;\n") - awake, 700 * h200().gigahertz(), 16);
  EXPECT_NEAR(clocks("nanosleep.u32 2000000;\n") - awake, 1e6 * h200().gigahertz(), 16) << "a millisecond at most";
}

TEST(ModelledWaits, AMatchTakesOneDifferentValueAfterAnother) {
  const auto clocks = [](const char* value, std::uint32_t threads) {
    const std::string match = "match.any.sync.b32 %r9, %r8, -1;\n";
    return clocks_of(time_of_kernel({std::string(value) + match + match, threads}), Bound::kMatch);
  };
  const double alike = clocks("mov.u32 %r8, 7;\n", 32);
  EXPECT_NEAR(alike, 2 * h200().rates.match_clocks, 1e-6) << "two of them";
  EXPECT_NEAR(clocks("and.b32 %r8, %r0, 7;\n", 32), 8 * alike, 1e-6);
  EXPECT_NEAR(clocks("mov.u32 %r8, %r0;\n", 64), 64 * alike, 1e-6) << "of two warps on one multiprocessor";
}

/// 64 loads of constants one after the other, by 32 lanes that want `distinct` addresses so many bytes apart.
CountedKernel loads_of_constants(std::uint32_t warps, std::uint32_t distinct, std::uint32_t apart) {
  const std::string body = "and.b32 %r5, %r0, " + std::to_string(distinct - 1) + ";\nmul.lo.u32 %r5, %r5, " +
                           std::to_string(apart) +
                           ";\nmov.u32 %r6, 0;\nAGAIN:\nadd.u32 %r7, %r5, %r8;\nmov.u64 %rd2, table;\n"
                           "cvt.u64.u32 %rd3, %r7;\nadd.s64 %rd3, %rd2, %rd3;\nld.const.u32 %r8, [%rd3];\n"
                           "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 64;\n@%p1 bra AGAIN;\n";
  return {"mov.u32 %r8, 0;\n" + body, 32 * warps, 1, ".const .align 4 .b8 table[32768];\n"};
}

/// Two blocks of a cluster, in which each thread goes to the other's shared memory or to its own.
KernelTime time_in_cluster(bool is_own, std::uint32_t threads, const std::string& reads) {
  const std::string together = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  const std::string body = "mov.u32 %r8, tile;\nmov.u32 %r9, %cluster_ctarank;\nxor.b32 %r9, %r9, " +
                           std::string(is_own ? "0" : "1") +
                           ";\nmapa.shared::cluster.u32 %r8, %r8, %r9;\nshl.b32 %r10, %r0, 2;\n"
                           "add.u32 %r8, %r8, %r10;\n" +
                           together + reads + together;
  CountedKernel kernel{body, threads, 2, ".shared .align 16 .b8 tile[4096];\n"};
  kernel.blocks_of_cluster = 2;
  return time_of_kernel(kernel);
}

TEST(ModelledWaits, AnotherBlocksSharedMemoryIsFurtherAwayThanTheOwn) {
  std::string chain;
  for (int link = 0; link < 50; ++link)
    chain += "ld.shared::cluster.u32 %r11, [%r8];\nand.b32 %r11, %r11, 0;\nadd.u32 %r8, %r8, %r11;\n";
  const double clocks = clocks_of(time_in_cluster(false, 32, chain), Bound::kLatency);
  EXPECT_GT(clocks, 50 * 180.0);
  EXPECT_LT(clocks, 50 * 220.0);
}

TEST(ModelledWaits, TheWayToAnotherBlocksSharedMemoryIsNarrow) {
  for (const char* const state : {".shared::cluster", ""}) {
    std::string reads = *state != 0 ? "" : "cvt.u64.u32 %rd3, %r8;\ncvta.shared.u64 %rd3, %rd3;\n";
    for (int n = 0; n < 100; ++n)
      reads += "ld" + std::string(state) + ".u32 %r11, [" + (*state != 0 ? "%r8" : "%rd3") + "];\n";
    const double own = clocks_of(time_in_cluster(true, 1024, reads), Bound::kShared);
    const double others = clocks_of(time_in_cluster(false, 1024, reads), Bound::kShared);
    EXPECT_NEAR(own, 100 * 32, 10) << state;
    EXPECT_NEAR(others, own + 100.0 * 1024 / 4, 10) << state;
  }
}

TEST(ModelledWaits, ThreadsThatWantTheSameOfAnotherBlockHaveItSentOnce) {
  const std::string read = "ld.shared::cluster.u32 %r11, [%r8];\n";
  const double each = clocks_of(time_in_cluster(false, 1024, read), Bound::kShared);
  const double same = clocks_of(time_in_cluster(false, 1024, "sub.u32 %r8, %r8, %r10;\n" + read), Bound::kShared);
  EXPECT_NEAR(each - same, 2 * (128 - 32), 2);
}

TEST(ModelledWaits, ConstantsAtManyAddressesAreWaitedForOneAfterTheOther) {
  const auto wait = [](std::uint32_t distinct, std::uint32_t apart) {
    return clocks_of(time_of_kernel(loads_of_constants(1, distinct, apart)), Bound::kLatency) / 64;
  };
  EXPECT_NEAR(wait(8, 4) - wait(2, 4), 6 * 11, 6) << "77 on an H200: 119 - 42 for 7";
  EXPECT_NEAR(wait(32, 1024) - wait(2, 4), 30 * 11 + 32 * 82, 300) << "what does not fit into 2 KiB is fetched";
}

TEST(ModelledWaits, ConstantsAtManyAddressesKeepOthersWaiting) {
  const auto of_a_load = [](std::uint32_t distinct, std::uint32_t apart) {
    return clocks_of(time_of_kernel(loads_of_constants(32, distinct, apart)), Bound::kL1) / 64 / 32;
  };
  EXPECT_NEAR(of_a_load(32, 4), 64, 6) << "64 on an H200";
  EXPECT_NEAR(of_a_load(32, 1024), 593, 60) << "593 on an H200";
  EXPECT_LE(of_a_load(1, 4), 1);
}

}  // namespace
}  // namespace vgpu::test
