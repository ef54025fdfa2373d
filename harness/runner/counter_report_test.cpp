// Counters of several kernels are added up; texts that are no report are refused.
#include "harness/runner/counter_report.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

constexpr const char* kTwoKernels = R"({"schema": "lanewise-vgpu-report", "version": 1, "findings": [], "kernels": [
  {"name": "small", "launches": 2, "registers": 16, "static_shared_bytes": 0, "dynamic_shared_bytes": 0,
   "occupancy": {"blocks_per_sm": 8, "warps_per_sm": 64, "max_warps_per_sm": 64},
   "totals": {"executions": 10, "global_atomic_max_depth": 7}, "memory": {"dram_read_bytes": 64},
   "operations": {"fp32": 5}},
  {"name": "large", "launches": 1, "registers": 40, "static_shared_bytes": 1024, "dynamic_shared_bytes": 512,
   "occupancy": {"blocks_per_sm": 3, "warps_per_sm": 24, "max_warps_per_sm": 64},
   "totals": {"executions": 100, "global_atomic_max_depth": 5}, "memory": {"dram_read_bytes": 32},
   "operations": {"fp32": 1}}]})";

TEST(CounterReport, KernelsAreAddedUp) {
  const auto sums = read_counters(kTwoKernels);
  ASSERT_TRUE(sums) << sums.sentence();
  EXPECT_EQ(sums->at("executions"), 110U);
  EXPECT_EQ(sums->at("launches"), 3U);
  EXPECT_EQ(sums->at("dram_read_bytes"), 96U);
  EXPECT_EQ(sums->at("fp32"), 6U);
}

TEST(CounterReport, MaximaStayMaxima) { EXPECT_EQ(read_counters(kTwoKernels)->at("global_atomic_max_depth"), 7U); }

TEST(CounterReport, ResourcesAreThoseOfTheKernelThatExecutedMost) {
  const auto sums = read_counters(kTwoKernels);
  EXPECT_EQ(sums->at("registers"), 40U);
  EXPECT_EQ(sums->at("shared_bytes"), 1536U);
  EXPECT_EQ(sums->at("warps_per_sm"), 24U);
}

TEST(CounterReport, NoKernelsAreNoCounts) {
  const auto sums = read_counters(R"({"schema": "lanewise-vgpu-report", "kernels": []})");
  ASSERT_TRUE(sums);
  EXPECT_TRUE(sums->empty());
}

TEST(CounterReport, OtherTextsAreRefused) {
  for (const char* text : {"", "[]", "{}", R"({"schema": "other", "kernels": []})", R"({"schema": 5, "kernels": []})",
                           R"({"schema": "lanewise-vgpu-report", "findings": []})", "{\"schema\": \"lanewise-vgpu-rep"})
    EXPECT_FALSE(read_counters(text)) << text;
}

}  // namespace
}  // namespace lanewise
