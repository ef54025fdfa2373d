// What is said to be fixed was run and is right; what is said to be new was not there before.
#include "harness/report/changes.h"

#include <gtest/gtest.h>

#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

TaskVerdict before() { return sample_verdict().tasks[0]; }  // "block + 1" and "a million" fail; racecheck on d_out

TEST(Changes, NameWhatIsFixedAndNewAndCountTheRest) {
  TaskVerdict now = before();
  now.cases[1].outcome = CaseOutcome::kRight;
  now.findings[0].tool = "memcheck";
  EXPECT_EQ(changes_text(changes_since(before(), now)),
            "fixed: block + 1, racecheck on d_out; new: memcheck on d_out; 1 still there");
}

TEST(Changes, AMovedLineIsTheSameFinding) {
  TaskVerdict now = before();
  now.findings[0].place.line = 99;
  now.findings[0].kind = "read after write in line 100";
  EXPECT_EQ(changes_text(changes_since(before(), now)), "fixed: none; new: none; 3 still there");
}

TEST(Changes, WhatWasNotRunIsNotFixed) {
  TaskVerdict now = before();
  now.cases[1].outcome = CaseOutcome::kNotRun;
  now.cases[2].outcome = CaseOutcome::kLeftOut;
  EXPECT_EQ(changes_text(changes_since(before(), now)), "fixed: none; new: none; 1 still there");
}

TEST(Changes, ACompileErrorSaysNothingOfTheCases) {
  TaskVerdict broken = before();
  broken.state = TaskState::kCompileError;
  broken.cases.clear();
  broken.findings.clear();
  EXPECT_EQ(changes_text(changes_since(before(), broken)), "fixed: none; new: the compile error");
  EXPECT_EQ(changes_text(changes_since(broken, before())), "fixed: the compile error; new: none");
}

TEST(Changes, NothingIsSaidWhereNothingWasWrong) {
  TaskVerdict right = before();
  right.cases.resize(1);
  right.findings.clear();
  EXPECT_EQ(changes_text(changes_since(right, right)), "");
}

TEST(Changes, ManyNamesAreCounted) {
  TaskVerdict right = before();
  right.cases.resize(1);
  right.findings.clear();
  EXPECT_EQ(changes_text(changes_since(before(), right)), "fixed: block + 1, a million and 1 more; new: none");
}

}  // namespace
}  // namespace lanewise
