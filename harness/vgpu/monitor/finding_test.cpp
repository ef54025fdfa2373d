// Findings are said once, counted, and name arrays and threads as the program does.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/monitor/testing/watched_device.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(Findings, AreSaidOnceAndCounted) {
  WatchedDevice device;
  const U64 a = device.array("a", 10, 4), b = device.array("b", 10, 4);
  // Line 7: threads 10 to 39 behind the end of a. Line 8: of a again, and of b in the first 10 threads.
  const char* const kBody =
      "mul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd6, %rd5, %rd0;\nadd.u64 %rd7, %rd5, %rd1;\nst.global.u32 [%rd6], "
      "1;\n.loc "
      "1 8 0\nsetp.ge.u32 %p1, %r0, 10;\nselp.b64 %rd8, %rd6, %rd1, %p1;\n@!%p1 add.u64 %rd8, %rd8, 40;\nst.global.u32 "
      "[%rd8], 1;\n";
  device.launch(kBody, {a, b}, 40);
  ASSERT_EQ(device.findings.all().size(), 3u);
  const struct {
    U32 line;
    const char* array;
    U64 count;
  } kExpected[] = {{7, "a", 30}, {8, "b", 10}, {8, "a", 30}};
  for (const auto& row : kExpected) {
    int found = 0;
    for (const Finding& finding : device.findings.all())
      if (finding.line == row.line && finding.array == row.array) {
        ++found;
        EXPECT_EQ(finding.count, row.count) << row.array << " in line " << row.line;
      }
    EXPECT_EQ(found, 1) << row.array << " in line " << row.line;
  }
  EXPECT_EQ(device.findings.total(), 70u);
  device.launch(kBody, {a, b}, 40);  // the next launch is wrong in the same way
  EXPECT_EQ(device.findings.all().size(), 3u);
  EXPECT_EQ(device.findings.total(), 140u);
}

TEST(Findings, NameTheThreadThatWasFirst) {
  WatchedDevice device;
  const U64 a = device.array("a", 45, 4);
  device.launch("mul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd5, %rd5, %rd0;\nst.global.u32 [%rd5], 1;\n", {a}, 64);
  ASSERT_EQ(device.findings.all().size(), 1u);
  EXPECT_EQ(device.findings.all()[0].thread.x, 45u);
  EXPECT_EQ(device.findings.all()[0].kernel, "test");
  EXPECT_EQ(device.findings.all()[0].count, 19u);
}

TEST(Findings, CallArraysAsTheProgramDoes) {
  struct Case {
    const char* array;
    const char* body;
  };
  const Case kCases[] = {{"weights", "st.global.u32 [_ZN3net7weightsE+16], 1;\n"},
                         {"allocation#1", "st.global.u32 [%rd0+40], 1;\n"},
                         {"malloc#4",
                          "{\n.param .b64 n;\n.param .b64 p;\nst.param.b64 [n], 40;\ncall (p), malloc, "
                          "(n);\nld.param.b64 %rd5, [p];\n}\nst.global.u32 [%rd5+40], 1;\n"}};
  for (const Case& c : kCases) {
    WatchedDevice device;
    const U64 unnamed = device.memory->allocate(40, MemoryKind::kDevice);
    device.launch(c.body, {unnamed}, 1,
                  ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.global .align 4 .u32 _ZN3net7weightsE[4];\n");
    ASSERT_EQ(device.findings.all().size(), 1u) << c.array;
    EXPECT_EQ(device.findings.all()[0].array, c.array);
  }
}

TEST(FindingList, StopsCollectingWhereNobodyReadsAnyMoreButGoesOnCounting) {
  FindingList findings;
  for (U32 line = 0; line < 2 * FindingList::kMost; ++line)
    if (findings.is_new("kind", "file", line, "array", 1)) {
      Finding finding;
      finding.kind = "kind", finding.file = "file", finding.line = line, finding.array = "array";
      findings.add(finding);
    }
  EXPECT_EQ(findings.all().size(), FindingList::kMost);
  EXPECT_EQ(findings.total(), 2 * FindingList::kMost);
  findings.clear();
  EXPECT_TRUE(findings.empty());
  EXPECT_TRUE(findings.is_new("kind", "file", 0, "array", 1));
}

TEST(FindingList, TheFirstOfEveryKindIsKept) {
  FindingList findings;
  const auto find = [&](const char* kind, U32 line) {
    if (!findings.is_new(kind, "file", line, "", 1)) return;
    Finding finding;
    finding.kind = kind, finding.file = "file", finding.line = line;
    findings.add(finding);
  };
  for (U32 line = 0; line <= FindingList::kMost; ++line) find("one", line);
  find("another", 1), find("another", 2);
  EXPECT_EQ(findings.all().size(), FindingList::kMost + 1);
  EXPECT_EQ(findings.all().back().kind, "another");
}

}  // namespace
}  // namespace vgpu::test
