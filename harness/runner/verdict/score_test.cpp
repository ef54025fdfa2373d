// The scoring rules, one property each.
#include "harness/runner/verdict/score.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lanewise {
namespace {

const PartPoints kPoints{55, 15, 10, 10, 10};

CaseVerdict a_case(CaseOutcome outcome, double max_points) {
  CaseVerdict verdict;
  verdict.outcome = outcome;
  verdict.max_points = max_points;
  verdict.points = outcome == CaseOutcome::kRight ? max_points : 0;
  verdict.judgement.compared = 100;
  return verdict;
}

CaseVerdict case_of_size_0() {
  CaseVerdict verdict = a_case(CaseOutcome::kRight, 1);
  verdict.judgement.compared = 0;
  return verdict;
}

PartScore part(const char* name, const std::vector<CaseVerdict>& cases, const std::vector<Finding>& findings = {},
               bool has_checkers = true, const Understanding& understanding = {},
               const std::vector<GoalVerdict>& goals = {}) {
  for (const PartScore& score : score_task(kPoints, cases, findings, has_checkers, understanding, goals, {}))
    if (score.name == name) return score;
  ADD_FAILURE() << "no part " << name;
  return {};
}

Finding a_finding(const char* checker, int line) {
  Finding finding;
  finding.tool = checker;
  finding.place = {"scan.cu", line};
  return finding;
}

/// The score of one right case with these findings.
PartScore clean(const std::vector<Finding>& findings) {
  return part("clean", {a_case(CaseOutcome::kRight, 1)}, findings);
}

TEST(Score, CorrectIsTheShareOfCasePoints) {
  const PartScore score = part("correct", {a_case(CaseOutcome::kRight, 3), a_case(CaseOutcome::kWrong, 1)});
  EXPECT_DOUBLE_EQ(score.points, 55 * 0.75);
  EXPECT_EQ(score.evidence, "1 of 2 cases right");
}

TEST(Score, EverythingRightIsFullMarksToTheLastBit) {
  // 49 * p / p falls below 49 for some of these.
  PartPoints points = kPoints;
  Understanding understanding;
  understanding.has_key = true;
  understanding.questions = 1;
  for (int tenths = 1; tenths <= 200; ++tenths) {
    for (int max_points = 1; max_points <= 100; ++max_points) {
      points.correct = points.understood = max_points;
      const double share = tenths / 10.0;
      understanding.marks = {{"a", Marked::Result::kRight, share, share}};
      for (const PartScore& score :
           score_task(points, {a_case(CaseOutcome::kRight, share)}, {}, true, understanding, {}, {}))
        if (score.scored && score.name != "clean") {
          ASSERT_EQ(score.points, max_points) << share;
        }
    }
  }
}

TEST(Score, CasesLeftOutCountNeitherWay) {
  const PartScore score = part("correct", {a_case(CaseOutcome::kRight, 3), a_case(CaseOutcome::kLeftOut, 50)});
  EXPECT_DOUBLE_EQ(score.points, 55);
}

TEST(Score, CasesNotRunAreLost) {
  EXPECT_DOUBLE_EQ(part("correct", {a_case(CaseOutcome::kRight, 1), a_case(CaseOutcome::kNotRun, 1)}).points, 27.5);
}

TEST(Score, WithoutACaseCorrectIsNotScored) {
  EXPECT_FALSE(part("correct", {a_case(CaseOutcome::kLeftOut, 5)}).scored);
}

TEST(Score, WithoutACaseThatRanCleanIsNotScored) {
  EXPECT_FALSE(part("clean", {a_case(CaseOutcome::kLeftOut, 5), a_case(CaseOutcome::kLeftOut, 0)}).scored);
  EXPECT_FALSE(part("clean", {}).scored);
  EXPECT_TRUE(part("clean", {a_case(CaseOutcome::kLeftOut, 5), a_case(CaseOutcome::kWrong, 1)}).scored);
}

TEST(Score, EachCheckerWithFindingsTakesHalfOfClean) {
  const std::vector<const char*> checkers = {"racecheck", "memcheck", "initcheck"};
  const std::vector<double> points = {10, 5, 0, 0};
  for (std::size_t count = 0; count <= checkers.size(); ++count) {
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < count; ++i) findings.push_back(a_finding(checkers[i], 1));
    EXPECT_DOUBLE_EQ(clean(findings).points, points[count]) << count;
  }
}

// Neither writing a kernel into one line, which joins findings, nor unrolling a loop, which may repeat them, pays.
TEST(Score, CleanDoesNotDependOnTheLinesThatFindingsAreIn) {
  const PartScore one_line = clean({a_finding("memcheck", 31), a_finding("racecheck", 31)});
  const PartScore many_lines =
      clean({a_finding("memcheck", 31), a_finding("memcheck", 32), a_finding("racecheck", 33)});
  EXPECT_DOUBLE_EQ(one_line.points, many_lines.points);
  EXPECT_EQ(many_lines.evidence, "3 findings of memcheck, racecheck");
}

TEST(Score, DoingNothingIsNotCleanWork) {
  EXPECT_DOUBLE_EQ(part("clean", {a_case(CaseOutcome::kWrong, 1)}).points, 0);
  EXPECT_DOUBLE_EQ(part("clean", {case_of_size_0(), a_case(CaseOutcome::kWrong, 1)}).points, 0);
}

TEST(Score, CaseOfSize0CountsOnceAnotherIsRight) {
  EXPECT_DOUBLE_EQ(part("correct", {case_of_size_0(), a_case(CaseOutcome::kWrong, 1)}).points, 0);
  EXPECT_DOUBLE_EQ(part("correct", {case_of_size_0(), a_case(CaseOutcome::kRight, 1)}).points, 55);
}

TEST(Score, WithoutCheckersCleanIsNotScored) {
  EXPECT_FALSE(part("clean", {a_case(CaseOutcome::kRight, 1)}, {}, false).scored);
}

TEST(Score, UnderstoodIsTheShareOfQuestionPoints) {
  Understanding understanding;
  understanding.has_key = true;
  understanding.questions = 2;
  understanding.marks = {{"a", Marked::Result::kRight, 3, 3}, {"b", Marked::Result::kUnanswered, 0, 1}};
  const PartScore score = part("understood", {}, {}, true, understanding);
  EXPECT_DOUBLE_EQ(score.points, 7.5);
  EXPECT_EQ(score.evidence, "1 of 2 questions answered, 1 right");
}

TEST(Score, WhatWaitsForAHumanCountsNeitherWay) {
  Understanding understanding;
  understanding.has_key = true;
  understanding.questions = 3;
  understanding.marks = {{"a", Marked::Result::kRight, 1, 1},
                         {"b", Marked::Result::kUnanswered, 0, 1},
                         {"c", Marked::Result::kWaiting, 0, 8}};
  PartScore score = part("understood", {}, {}, true, understanding);
  EXPECT_DOUBLE_EQ(score.points, 5);
  EXPECT_EQ(score.evidence, "2 of 3 questions answered, 1 right; 1 awaits marking");
  understanding.marks.erase(understanding.marks.begin(), understanding.marks.begin() + 2);
  score = part("understood", {}, {}, true, understanding);
  EXPECT_FALSE(score.scored);
  EXPECT_EQ(score.evidence, "1 of 1 questions answered; 1 awaits marking");
}

TEST(Score, MarksGivenByHandAreScoredAnew) {
  TaskVerdict task;
  task.parts = {{"correct", 40, 55, true, ""}, {"understood", 0, 10, false, "waits"}};
  task.marks = {{"a", Marked::Result::kRight, 1, 1}, {"b", Marked::Result::kByHand, 1.5, 3}};
  score_marks(task);
  EXPECT_TRUE(task.parts[1].scored);
  EXPECT_DOUBLE_EQ(task.parts[1].points, 10 * 2.5 / 4);
  EXPECT_EQ(task.parts[1].evidence, "2 of 2 questions answered, 1 right, 1 marked by hand");
  EXPECT_DOUBLE_EQ(task.points, 46.25);
  EXPECT_DOUBLE_EQ(task.max_points, 65);
}

TEST(Score, WithoutAKeyUnderstoodIsLeftToTheInstructor) {
  Understanding understanding;
  understanding.questions = 2;
  understanding.answered = 2;
  const PartScore score = part("understood", {}, {}, true, understanding);
  EXPECT_FALSE(score.scored);
  EXPECT_EQ(score.evidence, "2 of 2 questions answered; marked by your instructor");
}

TEST(Score, UnreadableAnswersGetNothingAndSayWhy) {
  Understanding understanding;
  understanding.has_key = true;
  understanding.questions = 2;
  understanding.trouble = "answers.toml:3: ...";
  const PartScore score = part("understood", {}, {}, true, understanding);
  EXPECT_TRUE(score.scored);
  EXPECT_EQ(score.points, 0);
  EXPECT_EQ(score.evidence, "answers.toml:3: ...");
}

TEST(Score, SumsCountScoredPartsOnly) {
  TaskVerdict task;
  task.parts = {{"correct", 50, 55, true, ""}, {"fast", 0, 15, false, ""}, {"clean", 7, 10, true, ""}};
  sum_parts(task);
  EXPECT_DOUBLE_EQ(task.points, 57);
  EXPECT_DOUBLE_EQ(task.max_points, 65);
  Verdict verdict;
  verdict.tasks = {task, task};
  sum_tasks(verdict);
  EXPECT_DOUBLE_EQ(verdict.points, 114);
  EXPECT_DOUBLE_EQ(verdict.max_points, 130);
}

GoalVerdict a_goal(bool is_met, double points, bool is_left_out = false) {
  GoalVerdict goal;
  goal.is_measured = !is_left_out;
  goal.is_met = is_met;
  goal.is_left_out = is_left_out;
  goal.max_points = points;
  goal.points = is_met ? points : 0;
  return goal;
}

TEST(Score, EfficientIsTheShareOfGoalPoints) {
  const PartScore score = part("efficient", {a_case(CaseOutcome::kRight, 1)}, {}, true, {},
                               {a_goal(true, 4), a_goal(false, 2), a_goal(true, 2), a_goal(false, 9, true)});
  EXPECT_TRUE(score.scored);
  EXPECT_DOUBLE_EQ(score.points, 7.5);
  EXPECT_EQ(score.evidence, "2 of 3 goals met");
}

TEST(Score, EfficientCountsOnceACaseIsRight) {
  const PartScore score = part("efficient", {a_case(CaseOutcome::kWrong, 1)}, {}, true, {}, {a_goal(true, 4)});
  EXPECT_TRUE(score.scored);
  EXPECT_EQ(score.points, 0);
  EXPECT_EQ(score.evidence, "counts once a case is right");
}

TEST(Score, EfficientIsNotScoredWithoutGoalsCountersOrTheirCases) {
  EXPECT_FALSE(part("efficient", {a_case(CaseOutcome::kRight, 1)}).scored);
  EXPECT_FALSE(part("efficient", {a_case(CaseOutcome::kRight, 1)}, {}, false, {}, {a_goal(true, 4)}).scored);
  EXPECT_FALSE(part("efficient", {a_case(CaseOutcome::kRight, 1)}, {}, true, {}, {a_goal(false, 4, true)}).scored);
}

// The naive step takes 12 ms, the reference 1 ms: full points up to 1.2 ms.
SpeedVerdict a_speed(double milliseconds) {
  SpeedVerdict speed;
  speed.is_known = speed.is_gradable = speed.is_modelled = true;
  speed.device = "H200";
  speed.time = {milliseconds, milliseconds, milliseconds};
  speed.ratio = speed.time;
  speed.baseline = 12;
  speed.reference = 1;
  return speed;
}

PartScore fast(const SpeedVerdict& speed, const std::vector<CaseVerdict>& cases = {a_case(CaseOutcome::kRight, 1)},
               const std::vector<Finding>& findings = {}) {
  for (const PartScore& score : score_task(kPoints, cases, findings, true, {}, {}, speed))
    if (score.name == "fast") return score;
  ADD_FAILURE() << "no part fast";
  return {};
}

TEST(ScoreFast, IsFullNearTheReferenceAndNothingAtTheNaiveStep) {
  EXPECT_EQ(fast(a_speed(0.5)).points, 15);
  EXPECT_EQ(fast(a_speed(1.2)).points, 15);
  EXPECT_EQ(fast(a_speed(12)).points, 0);
  EXPECT_EQ(fast(a_speed(100)).points, 0);
  EXPECT_TRUE(fast(a_speed(100)).scored);
}

TEST(ScoreFast, IsLinearInTheLogarithmBetween) {
  EXPECT_NEAR(fast(a_speed(std::sqrt(12 * 1.2))).points, 7.5, 1e-12);
  EXPECT_NEAR(fast(a_speed(12 / std::pow(10, 0.2))).points, 3, 1e-12);
}

TEST(ScoreFast, NeedsEveryCaseRight) {
  const PartScore score = fast(a_speed(1), {a_case(CaseOutcome::kRight, 1), a_case(CaseOutcome::kWrong, 0)});
  EXPECT_TRUE(score.scored);
  EXPECT_EQ(score.points, 0);
  EXPECT_EQ(score.evidence, "timed once every case is right");
  EXPECT_EQ(fast(a_speed(1), {a_case(CaseOutcome::kNotRun, 1)}).points, 0);
  EXPECT_EQ(fast(a_speed(1), {case_of_size_0()}).points, 0) << "right for whoever does nothing";
  EXPECT_EQ(fast(a_speed(1), {a_case(CaseOutcome::kRight, 1), a_case(CaseOutcome::kLeftOut, 1)}).points, 15);
}

TEST(ScoreFast, UnderReviewEarnsNothingAndSaysWhy) {
  SpeedVerdict speed = a_speed(1);
  speed.review = "two clocks disagree";
  const PartScore score = fast(speed);
  EXPECT_TRUE(score.scored);
  EXPECT_EQ(score.points, 0);
  EXPECT_NE(score.evidence.find("under review: two clocks disagree"), std::string::npos) << score.evidence;
}

TEST(ScoreFast, AModelledTimeCountsOnceNoThreadsRace) {
  const std::vector<CaseVerdict> right = {a_case(CaseOutcome::kRight, 1)};
  const PartScore score = fast(a_speed(1), right, {a_finding("racecheck", 31)});
  EXPECT_TRUE(score.scored);
  EXPECT_EQ(score.points, 0);
  EXPECT_NE(score.evidence.find("counts once no threads race"), std::string::npos) << score.evidence;
  EXPECT_EQ(fast(a_speed(1), right, {a_finding("memcheck", 31)}).points, 15);
  SpeedVerdict measured = a_speed(1);
  measured.is_modelled = false;
  EXPECT_EQ(fast(measured, right, {a_finding("racecheck", 31)}).points, 15);
}

TEST(ScoreFast, WithoutATimeForTheSubmissionsOwnFaultEarnsNothing) {
  SpeedVerdict speed = a_speed(0);
  speed.is_known = false;
  speed.sentence = "no kernel ran in the case 'large'";
  const PartScore score = fast(speed);
  EXPECT_TRUE(score.scored);
  EXPECT_EQ(score.points, 0);
  EXPECT_EQ(score.evidence, speed.sentence);
}

TEST(ScoreFast, IsNotScoredWhereNothingCanBeComparedWith) {
  SpeedVerdict speed = a_speed(1);
  speed.is_gradable = false;
  speed.baseline = speed.reference = 0;
  speed.ratio = {};
  speed.sentence = "the reference is not here";
  const PartScore score = fast(speed);
  EXPECT_FALSE(score.scored);
  EXPECT_EQ(score.evidence, "modelled 1.00 ms on H200; the reference is not here");
}

}  // namespace
}  // namespace lanewise
