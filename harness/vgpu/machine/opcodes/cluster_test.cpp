// Thread block clusters: where a block is in its cluster, the cluster's barrier, and the ways into other blocks' shared
// memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;

const char* const kSync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
const char* const kTile = ".shared .align 16 .b32 tile[1024];\n.shared .align 8 .b64 bar;";

Program program_of_clusters(const std::string& body, U32 blocks, U32 threads, U32 cluster) {
  Program program;
  program.ptx = kernel_with(1, body, kTile);
  program.shape = {{blocks, 1, 1}, {threads, 1, 1}, 0, false, true, {cluster, 1, 1}};
  program.options.resident_blocks = 2 * cluster;
  return program;
}

/// Rank of the next block of the cluster in %r10.
const std::string kNextRank =
    "mov.u32 %r10, %cluster_ctarank;\nadd.u32 %r10, %r10, 1;\nmov.u32 %r11, %cluster_nctarank;\nrem.u32 %r10, %r10, "
    "%r11;\n";

TEST(Clusters, BlocksKnowWhereTheyAre) {
  const char* const kNames[] = {"%clusterid.x",     "%clusterid.y",      "%clusterid.z",        "%nclusterid.x",
                                "%nclusterid.y",    "%nclusterid.z",     "%cluster_ctaid.x",    "%cluster_ctaid.y",
                                "%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y",   "%cluster_nctaid.z",
                                "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster"};
  constexpr U32 kCount = sizeof kNames / sizeof kNames[0];
  std::string body =
      "mov.u32 %r5, %ctaid.z;\nmov.u32 %r6, %ctaid.y;\nmad.lo.u32 %r5, %r5, 4, %r6;\nmov.u32 %r6, %ctaid.x;\n"
      "mad.lo.u32 %r5, %r5, 6, %r6;\nmul.wide.u32 %rd5, %r5, " +
      std::to_string(4 * kCount) + ";\nadd.u64 %rd5, %rd5, %rd0;\n";
  for (U32 i = 0; i < kCount; ++i)
    body += std::string("mov.u32 %r8, ") + kNames[i] + ";\nst.global.u32 [%rd5+" + std::to_string(4 * i) + "], %r8;\n";
  Program program;
  program.ptx = kernel_with(1, body);
  program.shape = {{6, 4, 2}, {1, 1, 1}, 0, false, true, {3, 2, 1}};
  for (const std::uint64_t seed : {0, 5}) {
    program.options.schedule_seed = seed;
    const std::vector<U32> got = results_of<U32>(program, 48 * kCount);
    for (U32 block = 0; block < 48; ++block) {
      const U32 x = block % 6, y = block / 6 % 4, z = block / 24;
      const std::vector<U32> expected{x / 3, y / 2, z, 2, 2, 2, x % 3, y % 2, 0, 3, 2, 1, x % 3 + 3 * (y % 2), 6, 1};
      const auto* const at = &got[block * kCount];
      ASSERT_EQ(std::vector<U32>(at, at + kCount), expected) << "block " << block << ", schedule seed " << seed;
    }
  }
}

/// Every thread writes its number in the grid, waits, and reads what the thread with its number in the next block
/// wrote.
TEST(Clusters, TheBarrierHoldsEveryThreadOfEveryBlock) {
  const std::string write = "mov.u32 %r9, tile;\nmad.lo.u32 %r6, %r0, 4, %r9;\nst.shared.u32 [%r6], %r1;\n";
  const char* const barriers[] = {"barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                                  "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n",
                                  "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;\n"};
  const char* const reads[] = {
      "mapa.shared::cluster.u32 %r7, %r6, %r10;\nld.shared::cluster.u32 %r5, [%r7];\n",
      "cvt.u64.u32 %rd5, %r6;\nmapa.shared::cluster.u64 %rd5, %rd5, %r10;\nld.shared::cluster.u32 %r5, [%rd5];\n",
      "cvt.u64.u32 %rd5, %r6;\ncvta.shared.u64 %rd5, %rd5;\nmapa.u64 %rd5, %rd5, %r10;\nld.u32 %r5, [%rd5];\n",
      "mapa.shared::cluster.u32 %r7, tile, %r10;\nmad.lo.u32 %r7, %r0, 4, %r7;\ncvt.u64.u32 %rd5, %r7;\n"
      "cvta.shared::cluster.u64 %rd5, %rd5;\nld.u32 %r5, [%rd5];\n"};
  for (const char* const barrier : barriers)
    for (const char* const read : reads)
      for (const U32 size : {1u, 2u, 3u, 8u, 16u})
        for (const U32 threads : {1u, 33u, 96u})
          for (const std::uint64_t seed : {0, 1, 77}) {
            std::string body = write;
            body.append(barrier).append(kNextRank).append(read).append(kStoreResult).append(barrier);
            Program program = program_of_clusters(body, 3 * size, threads, size);
            program.options.schedule_seed = seed;
            program.watch = seed == 1 ? Watch::kEverything : Watch::kNobody;
            const std::vector<U32> got = results_of<U32>(program, std::size_t{3} * size * threads);
            for (U32 i = 0; i < got.size(); ++i) {
              const U32 block = i / threads, next = block / size * size + (block + 1) % size;
              ASSERT_EQ(got[i], next * threads + i % threads)
                  << barrier << read << "clusters of " << size << ", " << threads << " threads, seed " << seed;
            }
          }
}

TEST(Clusters, ThreadsThatHaveEndedAreNotWaitedFor) {
  // All threads of odd blocks and half of those of even ones return at once.
  Program program = program_of_clusters(
      "mov.u32 %r10, %cluster_ctarank;\nand.b32 %r10, %r10, 1;\nsetp.eq.u32 %p1, "
      "%r10, 1;\n@%p1 ret;\nsetp.ge.u32 %p2, %r0, 40;\n@%p2 ret;\n" +
          std::string(kSync) + "mov.u32 %r5, 7;\n" + kStoreResult,
      4, 80, 4);
  for (const std::uint64_t seed : {0, 1, 2}) {
    program.options.schedule_seed = seed;
    const std::vector<U32> got = results_of<U32>(program, 320);
    for (U32 i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i / 80 % 2 == 0 && i % 80 < 40 ? 7u : 0u) << i;
  }
}

TEST(Clusters, AddressesTellWhoseTheyAre) {
  Program program = program_of_clusters(
      kNextRank +
          "mapa.shared::cluster.u32 %r12, tile, %r10;\ngetctarank.shared::cluster.u32 %r20, %r12;\n"
          "mov.u32 %r13, tile;\ngetctarank.shared::cluster.u32 %r21, %r13;\n"
          "cvt.u64.u32 %rd5, %r12;\ncvta.shared::cluster.u64 %rd5, %rd5;\ngetctarank.u64 %r22, %rd5;\n"
          "isspacep.shared::cta %p1, %rd5;\nselp.u32 %r23, 1, 0, %p1;\n"
          "isspacep.shared::cluster %p1, %rd5;\nselp.u32 %r24, 1, 0, %p1;\n"
          "mapa.u64 %rd6, %rd5, %cluster_ctarank;\nisspacep.shared %p1, %rd6;\nselp.u32 %r25, 1, 0, %p1;\n"
          "mul.wide.u32 %rd9, %r1, 32;\nadd.u64 %rd9, %rd9, %rd0;\nst.global.v4.u32 [%rd9], {%r20, %r21, %r22, %r23};\n"
          "st.global.v2.u32 [%rd9+16], {%r24, %r25};\n",
      4, 1, 4);
  const std::vector<U32> got = results_of<U32>(program, 32);
  for (U32 block = 0; block < 4; ++block) {
    const U32 next = (block + 1) % 4;
    EXPECT_EQ(std::vector<U32>(&got[8 * block], &got[8 * block + 6]), (std::vector<U32>{next, block, next, 0, 1, 1}));
  }
}

/// Lanes of one instruction reach several blocks, and their own by a mapped address.
TEST(Clusters, AnInstructionMayReachSeveralBlocks) {
  const char* const changes[] = {
      "red.shared::cluster.add.u32 [%r7], 1;\n", "atom.shared::cluster.add.u32 %r8, [%r7], 1;\n",
      "cvt.u64.u32 %rd5, %r7;\ncvta.shared::cluster.u64 %rd5, %rd5;\nred.add.u32 [%rd5], 1;\n",
      "cvt.u64.u32 %rd5, %r7;\ncvta.shared::cluster.u64 %rd5, %rd5;\natom.add.u32 %r8, "
      "[%rd5], 1;\n"};
  for (const char* const change : changes)
    for (const std::uint64_t seed : {0, 3}) {
      Program program = program_of_clusters(
          "mov.u32 %r9, tile;\nmad.lo.u32 %r6, %r0, 4, %r9;\nst.shared.u32 [%r6], 0;\n" + std::string(kSync) +
              "and.b32 %r10, %r0, 3;\nmapa.shared::cluster.u32 %r7, tile, %r10;\n" + change + kSync +
              "ld.shared.u32 %r5, [%r6];\n" + kStoreResult,
          4, 64, 4);
      program.options.schedule_seed = seed;
      program.watch = seed == 3 ? Watch::kEverything : Watch::kNobody;
      const std::vector<U32> got = results_of<U32>(program, 256);
      for (U32 i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i % 64 == 0 ? 64u : 0u) << change << i;
    }
}

TEST(Clusters, VectorsAreStoredInAnotherBlock) {
  Program program = program_of_clusters(
      kNextRank +
          "mapa.shared::cluster.u32 %r7, tile, %r10;\nmad.lo.u32 %r7, %r0, 16, %r7;\nadd.u32 %r12, %r1, 1000;\n"
          "st.shared::cluster.v4.u32 [%r7], {%r1, %r12, %r1, %r12};\n" +
          kSync +
          "mov.u32 %r9, tile;\nmad.lo.u32 %r6, %r0, 16, %r9;\nld.shared.v4.u32 {%r13, %r14, %r15, %r16}, "
          "[%r6];\nadd.u32 "
          "%r5, %r13, %r14;\nadd.u32 %r5, %r5, %r15;\nadd.u32 %r5, %r5, %r16;\n" +
          kStoreResult,
      2, 64, 2);
  const std::vector<U32> got = results_of<U32>(program, 128);
  for (U32 i = 0; i < 128; ++i) EXPECT_EQ(got[i], 4 * ((i + 64) % 128) + 2000) << i;
}

/// One thread of each block sends 64 bytes to the next block, which waits for them at its mbarrier.
std::string sends(const std::string& how) {
  return kNextRank +
         "mov.u32 %r20, bar;\nmov.u32 %r21, tile;\nmad.lo.u32 %r22, %r0, 4, %r21;\nst.shared.u32 [%r22+64], %r1;\n"
         "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 1;\n"
         "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\nfence.mbarrier_init.release.cluster;\nREADY:\n" +
         kSync + "mapa.shared::cluster.u32 %r23, %r20, %r10;\nmapa.shared::cluster.u32 %r24, %r21, %r10;\n" + how +
         "WAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra WAIT;\n"
         "ld.shared.u32 %r5, [%r22];\n" +
         kStoreResult + kSync;
}

TEST(Clusters, AsynchronousStoresAndCopiesArriveInAnotherBlock) {
  const char* const ways[] = {
      "mad.lo.u32 %r24, %r0, 4, %r24;\nst.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r24], %r1, "
      "[%r23];\n",
      "and.b32 %r25, %r0, 1;\nsetp.ne.u32 %p2, %r25, 0;\nadd.u32 %r26, %r1, 1;\nmad.lo.u32 %r24, %r0, 4, %r24;\n"
      "@!%p2 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r24], {%r1, %r26}, [%r23];\n",
      "@!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r24], [tile+64], 64, [%r23];\n"};
  for (const char* const way : ways)
    for (const std::uint64_t seed : {0, 1, 77}) {
      Program program = program_of_clusters(sends(way), 6, 16, 3);
      program.options.schedule_seed = seed;
      program.watch = seed == 1 ? Watch::kEverything : Watch::kNobody;
      const std::vector<U32> got = results_of<U32>(program, 96);
      for (U32 i = 0; i < 96; ++i) {
        const U32 block = i / 16, before = block / 3 * 3 + (block + 2) % 3;
        ASSERT_EQ(got[i], before * 16 + i % 16) << way << "seed " << seed;
      }
    }
}

TEST(Clusters, ThreadsArriveAtAnotherBlocksMbarrier) {
  // Block 0 waits until all 3 x 32 threads of the others have arrived there.
  const std::string body =
      "mov.u32 %r10, %cluster_ctarank;\nsetp.ne.u32 %p1, %r10, 0;\nsetp.ne.u32 %p2, %r0, 0;\nmov.u32 %r20, bar;\n"
      "@%p1 bra READY;\n@%p2 bra READY;\nmbarrier.init.shared.b64 [bar], 96;\nREADY:\n" +
      std::string(kSync) +
      "mapa.shared::cluster.u32 %r21, %r20, 0;\n@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r21];\n"
      "@%p1 bra DONE;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n@!%p3 bra WAIT;\nDONE:\n"
      "mov.u32 %r5, 3;\n" +
      kStoreResult + kSync;
  for (const std::uint64_t seed : {0, 1, 2}) {
    Program program = program_of_clusters(body, 4, 32, 4);
    program.options.schedule_seed = seed;
    for (const U32 got : results_of<U32>(program, 128)) ASSERT_EQ(got, 3u) << seed;
  }
}

TEST(Clusters, WhatGoesWrongIsAFault) {
  const std::string peer = "mapa.shared::cluster.u32 %r7, tile, 1;\n",
                    first = "mov.u32 %r10, %cluster_ctarank;\nsetp.ne.u32 %p1, %r10, 0;\n";
  const struct {
    std::string body;
    FaultKind kind;
    const char* words;
  } rows[] = {
      {peer + "ld.shared::cluster.u32 %r5, [%r7+8192];\n" + kSync, FaultKind::kIllegalAddress,
       "bytes of shared memory"},
      {peer + "ld.shared::cluster.u32 %r5, [%r7+2];\n" + kSync, FaultKind::kMisalignedAddress, "multiple of 4"},
      {peer + "cp.async.ca.shared.global [%r7], [%rd0], 4;\ncp.async.wait_all;\n" + kSync, FaultKind::kIllegalAddress,
       "shared memory"},  // this copy is to the block's own
      {"mapa.shared::cluster.u32 %r7, tile, 2;\nld.shared::cluster.u32 %r5, [%r7];\n", FaultKind::kIllegalAddress,
       "rank 2 of the cluster, which has 2 blocks"},
      {"mapa.shared::cluster.u32 %r7, tile, -1;\nst.shared::cluster.u32 [%r7], 1;\n", FaultKind::kIllegalAddress,
       "which has 2 blocks"},
      // Block 1 waits for block 0 and then some; that one has ended by then.
      {first + "@!%p1 bra TELL;\nWAIT:\nld.volatile.global.u32 %r6, [%rd0];\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra "
               "WAIT;\nmov.u32 %r8, 0;\nMORE:\nnanosleep.u32 1000;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p2, %r8, "
               "20;\n@%p2 bra MORE;\nmapa.shared::cluster.u32 %r7, tile, 0;\nred.shared::cluster.add.u32 [%r7], "
               "1;\nret;\nTELL:\nst.volatile.global.u32 [%rd0], 1;\n",
       FaultKind::kIllegalAddress, "rank 0 of the cluster, which has already ended"},
      {"barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n", FaultKind::kTrap,
       "arrives at its cluster's barrier again"},
      {first + "@%p1 bra SKIP;\nbarrier.cluster.arrive;\nSKIP:\nbarrier.cluster.wait;\n", FaultKind::kClusterDeadlock,
       "2 threads of 2 blocks are at the cluster's barrier in"},
  };
  for (const auto& row : rows)
    for (const std::uint64_t seed : {0, 1}) {
      Program program = program_of_clusters(row.body, 2, 1, 2);
      program.options.schedule_seed = seed;
      const Fault fault = run(program, {Bytes(64)}).outcome.fault;
      EXPECT_EQ(fault.kind, row.kind) << row.body << fault.sentence;
      EXPECT_NE(fault.sentence.find(row.words), std::string::npos) << row.body << fault.sentence;
    }
}

TEST(Clusters, ABlockThatNeverArrivesShowsWhereTheOthersWait) {
  Program program = program_of_clusters(
      "mov.u32 %r10, %cluster_ctarank;\nsetp.eq.u32 %p1, %r10, 0;\n@%p1 bra "
      "ARRIVE;\nSPIN:\natom.shared.add.u32 %r6, [tile], 1;\nsetp.ne.u32 %p2, %r6, "
      "77;\nbra SPIN;\nARRIVE:\n" +
          std::string(kSync),
      2, 1, 2);
  program.options.instruction_budget = 100'000;
  for (const std::uint64_t seed : {0, 1}) {
    program.options.schedule_seed = seed;
    const LaunchOutcome outcome = run(program, {Bytes(64)}).outcome;
    EXPECT_EQ(outcome.fault.kind, FaultKind::kBudget);
    EXPECT_NE(outcome.whereabouts.find("1 thread of block (0,0,0) is at the cluster's barrier in"), std::string::npos)
        << outcome.whereabouts;
  }
}

TEST(Clusters, WhatIsNotThereIsRefused) {
  const char* const multicast =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%rd0], 16, [%r6], "
      "%h1;";
  for (const char* instruction :
       {"barrier.cluster.sync;", "mapa.u32 %r5, %r6, %r7;", "getctarank.u32 %r5, %r6;",
        "st.async.global.mbarrier::complete_tx::bytes.u32 [%rd0], %r5, [%r6];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], %r6, [%r7];",
        multicast}) {
    Program program;
    program.ptx = kernel_with(1, instruction);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
