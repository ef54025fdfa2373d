// Counters of several kernels are added up; texts that are no report are refused.
#include "harness/runner/session/counter_report.h"

#include <gtest/gtest.h>

#include <string>

namespace lanewise {
namespace {

constexpr const char* kTwoKernels = R"({"schema": "lanewise-vgpu-report", "version": 2, "findings": [], "kernels": [
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

/// A call of two kernels and what else it did, in nanoseconds.
std::string modelled_report(int all, int first, int second, const std::string& others) {
  const auto kernel = [](int nanoseconds, const char* bound, const char* counter) {
    return R"({"modelled": {"nanoseconds": )" + std::to_string(nanoseconds) + R"(, "bound_by": ")" + bound +
           R"(", "bound_counter": )" + counter + R"(, "at_scale": {"nanoseconds": )" +
           std::to_string(1000 - nanoseconds) + R"(, "bound_by": ")" + bound + R"( at scale", "bound_counter": )" +
           counter + "}}}";
  };
  return R"({"schema": "lanewise-vgpu-report", "version": 2, "device": {"name": "NVIDIA H200",
    "reached_dram_bytes_per_second": 4300000000000, "fp32_flops_per_second": 66900000000000}, "kernels": [)" +
         kernel(first, "memory", R"("global_load_sectors")") + ", " + kernel(second, "shared memory", "null") +
         R"(], "modelled": {"nanoseconds": )" + std::to_string(all) + R"(, "kernels": )" +
         std::to_string(first + second) + others +
         R"(, "at_scale": {"nanoseconds": 1300, "kernels": 1200}, "scale": 256, "serial": 450, "serial_kernels": 440, "longest_serial_kernel": 240, "host_requests": 5, "host_waits": 2, "device_span": 640, "host_bytes": 8192, "copied_sectors": 12}})";
}

TEST(CounterReport, ACallIsBoundByWhatItsLongestKernelWaitsFor) {
  const auto report = read_counters(modelled_report(900, 500, 300, ""));
  EXPECT_EQ(report->host_bytes, 8192U);
  EXPECT_EQ(report->sums.at("copied_sectors"), 12U);
  const ModelledTime& time = report->modelled;
  EXPECT_EQ(time.call.nanoseconds, 900);
  EXPECT_EQ(time.call.bound_by, "memory");
  EXPECT_EQ(time.call.bound_counter, "global_load_sectors");
  EXPECT_EQ(time.at_scale.nanoseconds, 1300);
  EXPECT_EQ(time.scale, 256);
  EXPECT_EQ(time.serial, 450);
  EXPECT_EQ(time.serial_kernels, 440);
  EXPECT_EQ(time.longest_serial_kernel, 240);
  EXPECT_EQ(time.at_scale.bound_by, "shared memory at scale") << "there the other kernel takes longer";
  EXPECT_EQ(time.device, "NVIDIA H200");
  EXPECT_EQ(time.bytes_per_second, 4.3e12);
  EXPECT_EQ(time.flops_per_second, 6.69e13);
  EXPECT_EQ(read_counters(modelled_report(900, 300, 500, ""))->modelled.call.bound_by, "shared memory");
  EXPECT_EQ(read_counters(modelled_report(900, 500, 300, ""))->sums.at("modelled_nanoseconds"), 900U);
}

TEST(CounterReport, WhatTheHostAsksForAndWhenTheDeviceWorksIsOfTheWholeCall) {
  const CounterSums sums = read_counters(modelled_report(900, 500, 300, ""))->sums;
  EXPECT_EQ(sums.at("host_requests"), 5U);
  EXPECT_EQ(sums.at("host_waits"), 2U);
  EXPECT_EQ(sums.at("device_span"), 640U);
}

TEST(CounterReport, ACallMayBeBoundByWhatIsNoKernel) {
  const auto bound = [](int all, const char* others) {
    return read_counters(modelled_report(all, 500, 300, others))->modelled.call.bound_by;
  };
  EXPECT_EQ(bound(2000, R"(, "copies_in": 700, "copies_out": 500)"), "copies between host and device");
  EXPECT_EQ(bound(2000, R"(, "fills": 1200)"), "memsets");
  EXPECT_EQ(bound(2000, ""), "launches and allocations") << "for more than half of the time the device does nothing";
  EXPECT_EQ(bound(1500, ""), "memory");
}

TEST(CounterReport, WithoutAModelThereIsNoTime) { EXPECT_EQ(read_counters(kTwoKernels)->modelled.call.nanoseconds, 0); }

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
