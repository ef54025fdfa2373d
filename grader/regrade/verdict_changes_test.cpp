// The lines of a difference add up to it, and name what changed and nothing else.
#include "grader/regrade/verdict_changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/runner/verdict/score.h"

namespace lanewise::regrade_test {
namespace {

using Lines = std::vector<std::string>;

constexpr double kPart = 60;

CaseVerdict a_case(const std::string& name, double max_points, bool is_right) {
  CaseVerdict verdict;
  verdict.name = name;
  verdict.max_points = max_points;
  verdict.points = is_right ? max_points : 0;
  verdict.outcome = is_right ? CaseOutcome::kRight : CaseOutcome::kWrong;
  verdict.judgement.compared = 1;
  return verdict;
}

// As the harness scores it.
Verdict verdict_of(const std::vector<CaseVerdict>& cases, double correct = kPart,
                   const std::vector<GoalVerdict>& goals = {}, const std::vector<Marked>& marks = {}) {
  PartPoints points;
  points.correct = correct;
  points.efficient = goals.empty() ? 0 : 10;
  points.understood = marks.empty() ? 0 : 10;
  Understanding understanding;
  understanding.has_key = true;
  understanding.questions = marks.size();
  understanding.marks = marks;
  Verdict verdict;
  TaskVerdict& task = verdict.tasks.emplace_back();
  task.task = "add";
  task.state = TaskState::kGraded;
  task.cases = cases;
  task.goals = goals;
  task.marks = marks;
  task.parts = score_task(points, cases, {}, true, understanding, goals, {});
  sum_parts(task);
  sum_tasks(verdict);
  return verdict;
}

Lines told(const Verdict& before, const Verdict& after) {
  Lines lines;
  double sum = 0;
  for (const PointChange& change : verdict_changes(before, after)) {
    lines.push_back(fmt::format("{:+.2f} {} {}: {}", change.moved, change.part, change.what, change.why));
    sum += change.moved;
  }
  EXPECT_NEAR(sum, after.points - before.points, 0.02) << "the lines add up";
  return lines;
}

TEST(VerdictChanges, EqualVerdictsHaveNone) {
  const Verdict verdict = verdict_of({a_case("a", 1, true), a_case("b", 2, false)});
  EXPECT_EQ(told(verdict, verdict), Lines{});
}

TEST(VerdictChanges, ACaseThatTurnsRightIsNamed) {
  EXPECT_EQ(told(verdict_of({a_case("a", 1, true), a_case("b", 2, false)}),
                 verdict_of({a_case("a", 1, true), a_case("b", 2, true)})),
            Lines{"+40.00 correct case b: wrong before, right now"});
}

TEST(VerdictChanges, OtherPointsOfACaseMoveWhoeverHasItWrongAndNobodyElse) {
  const auto with = [](double points, bool is_right) {
    return verdict_of({a_case("a", 2, true), a_case("b", points, is_right)});
  };
  EXPECT_EQ(told(with(1, true), with(4, true)), Lines{}) << "all of it is all of it";
  EXPECT_EQ(told(with(1, false), with(4, false)), Lines{"-20.00 correct case b: wrong; worth 4, not 1"});
}

TEST(VerdictChanges, WhatWeighsLessBesideTheOthersIsOneLine) {
  const auto with = [](double points) {
    return verdict_of({a_case("a", points, true), a_case("b", 1, false), a_case("c", 1, false)});
  };
  EXPECT_EQ(told(with(2), with(4)),
            Lines{"+10.00 correct others: losses there now weigh more or less relative to the rest"});
}

TEST(VerdictChanges, NewCasesAndThoseTakenOutAreToldByWhatTheyCost) {
  const Verdict without = verdict_of({a_case("a", 3, true)});
  EXPECT_EQ(told(without, verdict_of({a_case("a", 3, true), a_case("b", 1, false)})),
            Lines{"-15.00 correct case b: new: wrong"});
  EXPECT_EQ(told(without, verdict_of({a_case("a", 3, true), a_case("b", 1, true)})), Lines{});
  EXPECT_EQ(told(verdict_of({a_case("a", 3, true), a_case("b", 1, false)}), without),
            Lines{"+15.00 correct case b: removed; it was wrong"});
}

TEST(VerdictChanges, WeightOfAPartIsARule) {
  EXPECT_EQ(told(verdict_of({a_case("a", 1, true)}, 60), verdict_of({a_case("a", 1, true)}, 50)),
            Lines{"-10.00 correct : worth 50, not 60"});
}

TEST(VerdictChanges, RulesThatNoItemExplainsAreTheRest) {
  CaseVerdict empty = a_case("nothing", 1, true);
  empty.judgement.compared = 0;
  // The only case with anything to compute turns wrong: the empty one earns nothing any more, though it is right.
  EXPECT_EQ(told(verdict_of({empty, a_case("a", 2, true)}), verdict_of({empty, a_case("a", 2, false)})),
            (Lines{"-40.00 correct case a: right before, wrong now",
                   "-20.00 correct : 2 of 2 cases right before, 1 of 2 cases right, none of which has anything to "
                   "compute now"}));
}

TEST(VerdictChanges, GoalsAndQuestionsAreNamed) {
  GoalVerdict missed;
  missed.counter = "dram_bytes.read";
  missed.goal = "≤ 17 MB";
  missed.max_points = 4;
  GoalVerdict met = missed;
  met.is_met = true;
  met.points = 4;
  met.goal = "≤ 20 MB";
  const std::vector<CaseVerdict> right = {a_case("a", 1, true)};
  EXPECT_EQ(told(verdict_of(right, kPart, {missed}), verdict_of(right, kPart, {met})),
            Lines{"+10.00 efficient goal dram_bytes.read: missed, goal ≤ 17 MB before, met, goal ≤ 20 MB now"});
  const Marked wrong{"n", Marked::Result::kWrong, 0, 1};
  const Marked waits{"why", Marked::Result::kWaiting, 0, 3, "Why?", "so", ""};
  const Marked marked{"why", Marked::Result::kByHand, 3, 3, "Why?", "so", "good"};
  EXPECT_EQ(told(verdict_of(right, kPart, {}, {wrong, waits}), verdict_of(right, kPart, {}, {wrong, marked})),
            Lines{"+7.50 understood others: losses there now weigh more or less relative to the rest"});
  const Marked half{"why", Marked::Result::kByHand, 1, 3, "Why?", "so", "more"};
  EXPECT_EQ(told(verdict_of(right, kPart, {}, {waits}), verdict_of(right, kPart, {}, {half})),
            Lines{"+3.33 understood : scored now: 3.33 of 10"});
  EXPECT_EQ(told(verdict_of(right, kPart, {}, {marked}), verdict_of(right, kPart, {}, {half})),
            Lines{"-6.67 understood question why: 3 of 3 · good before, 1 of 3 · more now"});
}

TEST(VerdictChanges, TasksThatComeAndGo) {
  const Verdict verdict = verdict_of({a_case("a", 1, true)});
  EXPECT_EQ(told({}, verdict), Lines{"+60.00 correct : scored now: 60 of 60"});
  EXPECT_EQ(told(verdict, {}), Lines{"-60.00 task : no longer graded"});
}

}  // namespace
}  // namespace lanewise::regrade_test
