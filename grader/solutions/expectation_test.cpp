// The first line of a file in wrong/ means what it says.
#include "grader/solutions/expectation.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TaskVerdict graded(const std::vector<CaseOutcome>& outcomes) {
  TaskVerdict verdict;
  verdict.state = TaskState::kGraded;
  for (const CaseOutcome outcome : outcomes) verdict.cases.emplace_back().outcome = outcome;
  return verdict;
}

TEST(Expectation, ClausesAreRead) {
  const auto expectation =
      parse_expectation("// expect: blur: wrong; memcheck; misconception = \"rows; and columns swapped\"");
  ASSERT_TRUE(expectation) << expectation.sentence();
  EXPECT_EQ(expectation->task, "blur");
  EXPECT_EQ(expectation->outline.worst, Worst::kWrong);
  EXPECT_EQ(expectation->outline.tools, std::set<std::string>{"memcheck"});
  EXPECT_EQ(expectation->outline.misconceptions, std::set<std::string>{"rows; and columns swapped"});
}

TEST(Expectation, SpeedCanBeDeclared) {
  const auto expectation =
      parse_expectation("// expect: blur: right; no points of fast; no points of efficient; under review");
  ASSERT_TRUE(expectation) << expectation.sentence();
  EXPECT_EQ(expectation->unearned, (std::set<std::string>{"efficient", "fast"}));
  EXPECT_TRUE(expectation->outline.is_reviewed);
  EXPECT_EQ(describe(expectation->outline), "right; under review");
  TaskVerdict verdict = graded({CaseOutcome::kRight});
  EXPECT_FALSE(outline_of(verdict) == expectation->outline);
  verdict.speed.review = "two clocks disagree";
  EXPECT_TRUE(outline_of(verdict) == expectation->outline);
}

TEST(Expectation, WhatOnlyTheVirtualGpuCountsCanBeDeclared) {
  const auto expectation = parse_expectation("// expect: vec_add: wrong; right on a GPU");
  ASSERT_TRUE(expectation) << expectation.sentence();
  EXPECT_TRUE(expectation->is_right_on_gpu);
  EXPECT_EQ(describe(expectation->outline), "wrong");
}

TEST(Expectation, EveryEndingHasAName) {
  for (const char* words : {"right", "wrong", "cuda error", "crash", "exit", "time limit", "compile error",
                            "refused by audit", "missing", "not started"}) {
    const auto expectation = parse_expectation(std::string("// expect: blur: ") + words);
    ASSERT_TRUE(expectation) << words;
    EXPECT_EQ(describe(expectation->outline), words);
  }
}

TEST(Expectation, MistakesAreNotOverlooked) {
  for (const char* line : {"", "// blur", "// expect: wrong", "// expect: blur: wronng", "// expect: blur: memcheck",
                           "// expect: blur: wrong; crash", "// expect: blur: wrong; misconception = swapped",
                           "// expect: blur: wrong;", "// expect: blur: right; memchek"})
    EXPECT_FALSE(parse_expectation(line)) << line;
}

TEST(Outline, WorstCaseDecides) {
  EXPECT_EQ(outline_of(graded({CaseOutcome::kRight, CaseOutcome::kLeftOut})).worst, Worst::kRight);
  EXPECT_EQ(outline_of(graded({CaseOutcome::kRight, CaseOutcome::kWrong})).worst, Worst::kWrong);
  EXPECT_EQ(outline_of(graded({CaseOutcome::kCrashed, CaseOutcome::kWrong})).worst, Worst::kCrashed);
  EXPECT_EQ(outline_of(graded({CaseOutcome::kTimedOut, CaseOutcome::kNotRun})).worst, Worst::kTimedOut);
}

TEST(Outline, EqualOnlyIfExactlyAsDeclared) {
  TaskVerdict verdict = graded({CaseOutcome::kWrong});
  const auto wrong = parse_expectation("// expect: blur: wrong");
  const auto with_tool = parse_expectation("// expect: blur: wrong; memcheck");
  const auto with_name = parse_expectation("// expect: blur: wrong; misconception = \"swapped\"");
  EXPECT_TRUE(outline_of(verdict) == wrong->outline);
  EXPECT_FALSE(outline_of(verdict) == with_tool->outline);
  verdict.findings.emplace_back().tool = "memcheck";
  EXPECT_TRUE(outline_of(verdict) == with_tool->outline);
  EXPECT_FALSE(outline_of(verdict) == wrong->outline);
  verdict.findings.clear();
  verdict.cases[0].misconception = "swapped";
  EXPECT_TRUE(outline_of(verdict) == with_name->outline);
  EXPECT_FALSE(outline_of(verdict) == wrong->outline);
}

}  // namespace
}  // namespace lanewise
