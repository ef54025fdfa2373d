// The first thing to do is the one that most likely puts the others right, too.
#include "harness/report/next_step.h"

#include <gtest/gtest.h>

#include "harness/report/finding_groups.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

TaskVerdict task() { return sample_verdict().tasks[0]; }

TEST(NextStep, ANamedMisconceptionComesFirst) {
  const auto step = next_step(task());
  ASSERT_TRUE(step);
  EXPECT_EQ(step->advice, task().cases[1].hint);
  EXPECT_EQ(step->place.line, 0) << "the race was seen in another case, and may be another mistake";
  EXPECT_TRUE(step->is_mistake);
}

TEST(NextStep, WhatWasFoundInItsCaseGivesItsLine) {
  TaskVerdict found = task();
  found.findings[0].case_name = "a million";
  EXPECT_EQ(next_step(found)->place.line, 3);
}

TEST(NextStep, AFindingComesBeforeACaseOfUnknownCause) {
  TaskVerdict unknown = task();
  for (CaseVerdict& verdict : unknown.cases) verdict.misconception = verdict.hint = "";
  EXPECT_EQ(next_step(unknown)->place.line, 3);
  EXPECT_EQ(next_step(unknown)->problem, unknown.findings[0].sentence);
  EXPECT_EQ(next_step(unknown)->advice, unknown.findings[0].advice);
  unknown.findings[0].kind = "leak";
  EXPECT_EQ(next_step(unknown)->problem,
            "block + 1 (n = 1025): out[1024] is 1, expected 513; 1 of 1,025 wrong, the last element")
      << "a leak makes no value wrong";
  unknown.findings[0].kind = "write of the same value after write in line 3";
  EXPECT_EQ(next_step(unknown)->place.line, unknown.cases[1].place.line) << "nor do writes of one value";
}

TEST(NextStep, ABarrierThatSomeMissComesBeforeTheRacesItCauses) {
  TaskVerdict diverged = task();
  for (CaseVerdict& verdict : diverged.cases) verdict.misconception = verdict.hint = "";
  diverged.findings.push_back(diverged.findings[0]);
  diverged.findings[1].tool = "synccheck";
  diverged.findings[1].place.line = 7;
  EXPECT_EQ(next_step(diverged)->place.line, 7);
  EXPECT_EQ(group_findings(diverged.findings).front().shown, &diverged.findings[1]);
}

TEST(NextStep, CompileErrorsNameTheirLineInBothCompilersWords) {
  TaskVerdict broken = task();
  broken.state = TaskState::kCompileError;
  for (const char* message :
       {"scan.cu(31): error: expected a \";\"\n  int i\n", "/tmp/x/scan.cu:31:5: error: expected a \";\"",
        "In file included from scan.cu:1:\nscan.cu(31): error: expected a \";\""}) {
    broken.message = message;
    EXPECT_EQ(next_step(broken)->place.file, "scan.cu") << message;
    EXPECT_EQ(next_step(broken)->place.line, 31) << message;
    EXPECT_EQ(next_step(broken)->problem, "error: expected a \";\"") << message;
  }
  broken.message = "scan.cu(31): error: no instance of \"cudaMalloc\"\n\ncudaMalloc stores an address.";
  EXPECT_EQ(next_step(broken)->advice, "cudaMalloc stores an address.") << "what the runner adds comes last";
  broken.message = "no compiler";
  EXPECT_EQ(next_step(broken)->problem, "no compiler");
}

TEST(NextStep, WhereAllIsRightTheFirstMissedGoalIsNext) {
  TaskVerdict right = sample_with_goals().tasks[0];
  right.cases.resize(1);
  right.findings.clear();
  EXPECT_EQ(next_step(right)->advice, "Let neighbouring threads read neighbouring elements.");
  EXPECT_EQ(next_step(right)->place.line, 3);
  EXPECT_FALSE(next_step(right)->is_mistake);
}

TEST(NextStep, ThenWhatTakesTheTime) {
  TaskVerdict slow = sample_with_speed().tasks[0];
  slow.cases.resize(1);
  slow.findings.clear();
  slow.parts = {slow.parts[2]};
  EXPECT_EQ(next_step(slow)->place.line, 4);
  slow.parts[0].points = slow.parts[0].max_points;
  EXPECT_FALSE(next_step(slow)) << "nothing is lost";
}

TEST(NextStep, NothingIsSaidOfWhatWasNotStarted) { EXPECT_FALSE(next_step(sample_verdict().tasks[1])); }

}  // namespace
}  // namespace lanewise
