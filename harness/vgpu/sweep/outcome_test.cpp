#include "harness/vgpu/sweep/outcome.h"

#include <gtest/gtest.h>

#include <csignal>

namespace vgpu::sweep {
namespace {

Ended exited(int code) { return {true, false, code << 8}; }

Outcome of(const Ended& ended, const std::string& report, const std::string& output = "") {
  return classify(ended, report.empty() ? "" : R"({"version": 1, "findings": )" + report + "}", output);
}

TEST(Outcome, RightOutputWithoutFindingsIsASurvivor) { EXPECT_FALSE(of(exited(0), "[]").is_found()); }

TEST(Outcome, WrongOutputIsFound) {
  const Outcome outcome = of(exited(1), "[]", "sums: element 3\nmore");
  EXPECT_TRUE(outcome.wrong_output);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(outcome.evidence, "sums: element 3");
}

TEST(Outcome, EachCheckerThatReportsIsNamed) {
  const Outcome outcome =
      of(exited(0), R"([{"tool": "racecheck", "line": 7, "kind": "read after write", "sentence": "s"},)"
                    R"({"tool": "memcheck", "line": 8}])");
  EXPECT_EQ(outcome.checkers, (std::set<std::string>{"memcheck", "racecheck"}));
  EXPECT_FALSE(outcome.wrong_output);
  EXPECT_EQ(outcome.evidence, "racecheck, line 7: read after write: s");
}

TEST(Outcome, WhatEndsAKernelIsNoWrongOutput) {
  const Outcome endless = of(exited(2), R"([{"tool": "runtime", "kind": "endless kernel"}])");
  EXPECT_TRUE(endless.stopped);
  EXPECT_FALSE(endless.wrong_output);
  EXPECT_TRUE(endless.checkers.empty());
  EXPECT_TRUE(of({true, false, SIGSEGV}, "[]").stopped);
  EXPECT_TRUE(of({true, true, 0}, "[]").stopped);
  EXPECT_FALSE(of({true, true, 0}, "[]").wrong_output);
}

TEST(Outcome, AProgramWithoutAReportDidNotRunOnTheVirtualGpu) { EXPECT_TRUE(of(exited(0), "").stopped); }

}  // namespace
}  // namespace vgpu::sweep
