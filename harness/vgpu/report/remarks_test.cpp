// What is said of kernels whose faults are known, word for word; and that nothing is said of those without.
#include "harness/vgpu/report/remarks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/vgpu/report/access_words.h"
#include "harness/vgpu/report/testing/sample_documents.h"

namespace vgpu::report {
namespace {

Document parsed_report(const nlohmann::json& json) { return std::get<Document>(parse_document(json.dump())); }

Judgement judged(const nlohmann::json& json) { return judge(parsed_report(json).kernels.at(0)); }

Pattern parsed_pattern(const nlohmann::json& json) {
  nlohmann::json document = transpose_document("a.cu");
  document["kernels"][0]["patterns"] = nlohmann::json::array({json});
  return parsed_report(document).kernels[0].patterns[0];
}

// A kernel of full warps whose one line does something.
nlohmann::json kernel_of_one_line(nlohmann::json counters) {
  nlohmann::json document = transpose_document("a.cu");
  nlohmann::json& kernel = document["kernels"][0];
  kernel["patterns"] = nlohmann::json::array();
  kernel["totals"] = counters;
  counters["file"] = "a.cu";
  counters["line"] = 3;
  kernel["lines"] = nlohmann::json::array({counters});
  return document;
}

TEST(Remarks, AColumnOfStoresIsTheFaultOfATranspose) {
  const Judgement judgement = judged(transpose_document("transpose.cu"));
  ASSERT_EQ(judgement.remarks.size(), 1u);
  const Remark& remark = judgement.remarks[0];
  EXPECT_EQ(remark.kind, RemarkKind::kGlobalStore);
  EXPECT_EQ(remark.line, 6u);
  EXPECT_EQ(remark.pattern, 1u);
  EXPECT_EQ(remark.sentence,
            "32 sectors per request, where 4 would do: neighbouring threads write addresses 4,096 bytes apart");
  EXPECT_EQ(remark.why,
            "The 32 threads of a warp store together, in one request. Thread 0 writes d_out[0], thread 1 "
            "d_out[1024], thread 2 d_out[2048]. Memory moves whole sectors of 32 bytes: for the 128 bytes "
            "requested, 1,024 are moved.");
  EXPECT_EQ(remark.scale, "917,504 sectors are moved needlessly: 78 % of all that this kernel loads and stores.");
  EXPECT_NE(remark.advice.find("Let threadIdx.x run along a row"), std::string::npos);
}

TEST(Remarks, ATileReadByColumnsHasBankConflictsThatPaddingMends) {
  const Judgement judgement = judged(matmul_document("matmul.cu"));
  ASSERT_FALSE(judgement.remarks.empty());
  const Remark& remark = judgement.remarks[0];
  EXPECT_EQ(remark.kind, RemarkKind::kBankConflict);
  EXPECT_EQ(remark.line, 13u);
  EXPECT_EQ(remark.sentence,
            "16.5 turns per request on average, 32 at worst, where 1 would do: all 32 threads read words in the same "
            "bank of shared memory");
  EXPECT_EQ(remark.advice.find("Make each row one element longer: columns[...][33] instead of columns[...][32]."), 0u);
  EXPECT_EQ(judgement.remarks.size(), 1u) << "loads and stores of the tiles are as they should be";
}

TEST(Remarks, TheBranchIsBlamedForTheLinesBehindIt) {
  const Judgement judgement = judged(sum_document("sum.cu"));
  ASSERT_FALSE(judgement.remarks.empty());
  const Remark& remark = judgement.remarks[0];
  EXPECT_EQ(remark.kind, RemarkKind::kDivergence);
  EXPECT_EQ(remark.line, 8u);
  EXPECT_EQ(remark.sentence,
            "the threads of a warp diverge here 62 % of the time: what follows runs with 5.4 of 32 threads");
}

TEST(Remarks, ACleanKernelGetsOneCalmSentence) {
  const Judgement judgement = judged(kernel_of_one_line({{"executions", 1000},
                                                         {"thread_executions", 32000},
                                                         {"global_load_requests", 100},
                                                         {"global_load_sectors", 400},
                                                         {"global_load_ideal_sectors", 400},
                                                         {"shared_load_requests", 100},
                                                         {"shared_load_wavefronts", 100}}));
  EXPECT_TRUE(judgement.remarks.empty());
  EXPECT_EQ(judgement.calm, "nothing stands out: 32 of 32 threads active, no needless sectors, no bank conflicts");
}

TEST(Remarks, ARowThatBeginsOffASectorsBorderIsNotWorthAWord) {
  EXPECT_TRUE(judged(kernel_of_one_line({{"executions", 100},
                                         {"thread_executions", 3200},
                                         {"global_load_requests", 100},
                                         {"global_load_sectors", 500},
                                         {"global_load_ideal_sectors", 400}}))
                  .remarks.empty());
}

TEST(Remarks, WhatCostsLittleIsNotMentioned) {
  // The same bad store; once it is all that the kernel does, once a hundredth.
  nlohmann::json counters = {{"executions", 100},
                             {"thread_executions", 3200},
                             {"global_store_requests", 10},
                             {"global_store_sectors", 320},
                             {"global_store_ideal_sectors", 40}};
  EXPECT_EQ(judged(kernel_of_one_line(counters)).remarks.size(), 1u);
  counters["executions"] = 100000;
  counters["thread_executions"] = 3200000;
  EXPECT_TRUE(judged(kernel_of_one_line(counters)).remarks.empty());
}

TEST(Remarks, ManySmallFaultsOfOneKindAreToldByTheirWorst) {
  // None of 400 lines costs a twentieth of the kernel; silence would be wrong all the same.
  const Judgement judgement = judged(flood_document("flood.cu", 400));
  EXPECT_GE(judgement.remarks.size(), 3u);
  EXPECT_LE(judgement.remarks.size(), 20u);
  EXPECT_TRUE(std::is_sorted(judgement.remarks.begin(), judgement.remarks.end(),
                             [](const Remark& a, const Remark& b) { return a.cost > b.cost; }));
}

TEST(Remarks, AtomicsOnOneAddressTakeTurns) {
  const Judgement judgement = judged(kernel_of_one_line({{"executions", 100},
                                                         {"thread_executions", 3200},
                                                         {"global_atomic_requests", 10},
                                                         {"global_atomic_sectors", 10},
                                                         {"global_atomic_depth", 320},
                                                         {"global_atomic_max_depth", 32}}));
  ASSERT_EQ(judgement.remarks.size(), 1u);
  EXPECT_EQ(judgement.remarks[0].sentence, "32 threads of a warp update the same address at once: they take turns");
}

TEST(Remarks, ABlockThatEndsInANearlyEmptyWarpIsNotCalledDivergent) {
  nlohmann::json json = kernel_of_one_line(
      {{"executions", 200}, {"thread_executions", 3300}, {"branches", 20}, {"divergent_branches", 1}});
  json["kernels"][0]["block"] = {33, 1, 1};
  const Judgement judgement = judged(json);
  ASSERT_EQ(judgement.remarks.size(), 1u);
  EXPECT_EQ(judgement.remarks[0].kind, RemarkKind::kBlockShape);
  EXPECT_EQ(judgement.remarks[0].sentence,
            "a block of 33 threads takes 2 warps of 32, so 48 % of the lanes have no thread");
}

TEST(Remarks, LowOccupancyNamesWhatRunsOutFirst) {
  nlohmann::json json = kernel_of_one_line({{"executions", 200}, {"thread_executions", 6400}});
  json["kernels"][0]["registers"] = 168;
  json["kernels"][0]["occupancy"] = {
      {"blocks_per_sm", 1}, {"warps_per_sm", 8}, {"max_warps_per_sm", 64}, {"limiter", "registers"}};
  const Judgement judgement = judged(json);
  ASSERT_EQ(judgement.remarks.size(), 1u);
  EXPECT_EQ(judgement.remarks[0].sentence, "only 8 of 64 warps fit on a multiprocessor, limited by registers");
  EXPECT_EQ(judgement.remarks[0].advice.find("A thread uses 168 registers"), 0u);
}

TEST(Remarks, WarpsThatWaitForASingleOneAreNoticed) {
  nlohmann::json json = kernel_of_one_line({{"executions", 1000}, {"thread_executions", 32000}, {"barriers", 8}});
  nlohmann::json& kernel = json["kernels"][0];
  for (const int waited : {500, 1000}) {  // steps, where 1,000 were worked
    kernel["totals"]["barrier_wait"] = kernel["lines"][0]["barrier_wait"] = waited;
    const Judgement judgement = judged(json);
    ASSERT_EQ(judgement.remarks.size(), waited == 1000 ? 1u : 0u);
    if (waited != 1000) continue;
    EXPECT_EQ(judgement.remarks[0].sentence,
              "warps spend 50 % of their time waiting for others of their block, longest here: a few have more work "
              "than the rest");
  }
}

TEST(Remarks, WhatALibraryDoesComesAfterWhatCanBeMended) {
  nlohmann::json json = transpose_document("a.cu");
  nlohmann::json& kernel = json["kernels"][0];
  nlohmann::json library = kernel["lines"][3];
  library["file"] = "/usr/local/cuda/include/cccl/cub/block.cuh";
  library["global_store_sectors"] = 5000000;
  kernel["lines"].push_back(library);
  kernel["totals"]["global_store_sectors"] = 6048576;
  const Judgement judgement = judged(json);
  ASSERT_EQ(judgement.remarks.size(), 2u);
  EXPECT_EQ(judgement.remarks[0].file, "a.cu");
  EXPECT_GT(judgement.remarks[1].cost, judgement.remarks[0].cost);
  EXPECT_EQ(judgement.remarks[1].advice.find("This line belongs to a library."), 0u);
}

TEST(Remarks, TheCostliestKernelComesFirst) {
  nlohmann::json json = transpose_document("a.cu");
  json["kernels"].push_back(matmul_document("b.cu")["kernels"][0]);
  const std::vector<RankedKernel> ranked = rank(parsed_report(json));
  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0].kernel, 1u);
}

TEST(AccessWords, TellStridesRunsAndScatter) {
  const auto words = [](int bytes, const std::function<std::int64_t(int)>& address) {
    return words_for_distance(parsed_pattern(pattern("a.cu", 1, "global", "load", bytes, address)));
  };
  EXPECT_EQ(words(4, [](int lane) { return lane * 12; }), "neighbouring threads read addresses 12 bytes apart");
  EXPECT_EQ(words(8, [](int lane) { return 100000 - lane * 512; }),
            "neighbouring threads read addresses 512 bytes apart");
  // Two rows of a 16 × 2 block.
  EXPECT_EQ(words(4, [](int lane) { return lane % 16 * 4096 + lane / 16 * 4; }),
            "neighbouring threads read addresses 4,096 bytes apart");
  EXPECT_EQ(words(4, [](int lane) { return lane / 2 * 4096 + lane % 2 * 4; }),
            "only runs of 2 threads read consecutive addresses");
  EXPECT_EQ(words(4, [](int lane) { return 2 + lane * 4; }),
            "the addresses are consecutive, but do not begin at a sector boundary");
  EXPECT_EQ(words(4, [](int lane) { return lane * lane * 64; }), "neighbouring threads read scattered addresses");
  EXPECT_EQ(words(4, [](int lane) { return lane == 5 ? 64 : -1; }), "a single thread reads");
}

TEST(AccessWords, AdviceFitsTheShape) {
  const auto advice = [](int bytes, const std::function<std::int64_t(int)>& address) {
    return advice_for_global(parsed_pattern(pattern("a.cu", 1, "global", "load", bytes, address)));
  };
  EXPECT_EQ(advice(1, [](int lane) { return 20 + lane; }).find("Let rows begin at a multiple of 32 bytes"), 0u);
  EXPECT_EQ(advice(4, [](int lane) { return lane * 16; }).find("Let neighbouring threads take neighbouring elements"),
            0u);
  EXPECT_EQ(advice(4, [](int lane) { return lane * 4096; }).find("Let threadIdx.x run along a row"), 0u);
  EXPECT_EQ(advice(4, [](int lane) { return lane * lane * 64; }).find("If you can choose the order"), 0u);
}

TEST(AccessWords, ElementsOfArraysWithoutANameInTheSourceAreSpelledOut) {
  nlohmann::json json = pattern("a.cu", 1, "global", "load", 4, [](int lane) { return lane * 400; });
  json["array"] = "allocation#2";
  json["first_index"] = 7;
  EXPECT_EQ(words_for_first_elements(parsed_pattern(json)),
            "Thread 0 reads element 7 of the program's allocation no. 2, thread 1 element 107, thread 2 element 207.");
  json["array"] = "";
  EXPECT_EQ(words_for_first_elements(parsed_pattern(json)), "");
}

TEST(AccessWords, BanksAreCounted) {
  const auto words = [](int stride) {
    return words_for_banks(
        parsed_pattern(pattern("a.cu", 1, "shared", "load", 4, [=](int lane) { return lane * stride * 4; })));
  };
  EXPECT_EQ(words(32), "all 32 threads read words in the same bank of shared memory");
  EXPECT_EQ(words(2), "32 threads read words in 16 of the 32 banks of shared memory");
}

}  // namespace
}  // namespace vgpu::report
