// Counters of several kernels are added up; texts that are no report are refused.
#include "harness/runner/counter_report.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

constexpr const char* kTwoKernels = R"({"schema": "lanewise-vgpu-report", "version": 1, "findings": [], "kernels": [
  {"name": "small", "launches": 2, "registers": 16, "static_shared_bytes": 0, "dynamic_shared_bytes": 0,
   "occupancy": {"blocks_per_sm": 8, "warps_per_sm": 64, "max_warps_per_sm": 64},
   "totals": {"executions": 10, "global_atomic_max_depth": 7},
   "lines": [{"file": "/a/scan.cu", "line": 7, "executions": 6}, {"file": "", "line": 0, "executions": 4}], "memory": {"dram_read_bytes": 64},
   "operations": {"fp32": 5}},
  {"name": "large", "launches": 1, "registers": 40, "static_shared_bytes": 1024, "dynamic_shared_bytes": 512,
   "occupancy": {"blocks_per_sm": 3, "warps_per_sm": 24, "max_warps_per_sm": 64},
   "totals": {"executions": 100, "global_atomic_max_depth": 5},
   "lines": [{"file": "/a/scan.cu", "line": 3, "executions": 60}, {"file": "/a/scan.cu", "line": 7, "executions": 40}], "memory": {"dram_read_bytes": 32},
   "operations": {"fp32": 1}}]})";

TEST(CounterReport, KernelsAreAddedUp) {
  const auto sums = read_counters(kTwoKernels);
  ASSERT_TRUE(sums) << sums.sentence();
  EXPECT_EQ(sums->sums.at("executions"), 110U);
  EXPECT_EQ(sums->sums.at("launches"), 3U);
  EXPECT_EQ(sums->sums.at("dram_read_bytes"), 96U);
  EXPECT_EQ(sums->sums.at("fp32"), 6U);
}

TEST(CounterReport, MaximaStayMaxima) { EXPECT_EQ(read_counters(kTwoKernels)->sums.at("global_atomic_max_depth"), 7U); }

TEST(CounterReport, ResourcesAreThoseOfTheKernelThatExecutedMost) {
  const auto sums = read_counters(kTwoKernels);
  EXPECT_EQ(sums->sums.at("registers"), 40U);
  EXPECT_EQ(sums->sums.at("shared_bytes"), 1536U);
  EXPECT_EQ(sums->sums.at("warps_per_sm"), 24U);
}

TEST(CounterReport, LinesAreAddedUpOverKernels) {
  const auto report = read_counters(kTwoKernels);
  ASSERT_TRUE(report) << report.sentence();
  ASSERT_EQ(report->lines.size(), 2U);
  EXPECT_EQ(report->lines[0].file, "scan.cu");
  EXPECT_EQ(report->lines[0].line, 3);
  EXPECT_EQ(report->lines[1].line, 7);
  EXPECT_EQ(report->lines[1].sums.at("executions"), 46U);
}

TEST(CounterReport, NoKernelsAreNoCounts) {
  const auto sums = read_counters(R"({"schema": "lanewise-vgpu-report", "kernels": []})");
  ASSERT_TRUE(sums);
  EXPECT_TRUE(sums->sums.empty());
}

TEST(CounterReport, OtherTextsAreRefused) {
  for (const char* text : {"", "[]", "{}", R"({"schema": "other", "kernels": []})", R"({"schema": 5, "kernels": []})",
                           R"({"schema": "lanewise-vgpu-report", "findings": []})", "{\"schema\": \"lanewise-vgpu-rep"})
    EXPECT_FALSE(read_counters(text)) << text;
}

}  // namespace
}  // namespace lanewise
