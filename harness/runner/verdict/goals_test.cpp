// A goal is met or missed by one case's cost, and a missed one names the line to look at.
#include "harness/runner/verdict/goals.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TaskFile task(const std::string& counter, double at_most) {
  TaskFile file;
  file.goals.push_back({counter, "two million", at_most, 4, "Let neighbours read neighbours."});
  return file;
}

GoalVerdict measured(const TaskFile& file, const CounterReport& cost) {
  GoalVerdict verdict = unmeasured_goals(file, "not yet").front();
  measure_goal(file.goals[0], cost, verdict);
  return verdict;
}

CounterReport cost() {
  CounterReport report;
  report.lines = {{"scan.cu", 10, {{"global_load_requests", 100}, {"global_load_sectors", 400}}},
                  {"scan.cu", 24, {{"global_load_requests", 25}, {"global_load_sectors", 800}}},
                  {"scan.cu", 30, {{"executions", 5000}}}};
  report.sums = {{"global_load_requests", 125}, {"global_load_sectors", 1200}, {"executions", 6000}};
  return report;
}

TEST(Goals, AreUnmeasuredAtFirst) {
  const auto goals = unmeasured_goals(task("sectors_per_request.global_load", 4.5), "it does not compile");
  ASSERT_EQ(goals.size(), 1U);
  EXPECT_EQ(goals[0].heading, "sectors per request, global loads");
  EXPECT_EQ(goals[0].goal, "≤ 4.50");
  EXPECT_EQ(goals[0].case_name, "two million");
  EXPECT_FALSE(goals[0].is_measured);
  EXPECT_FALSE(goals[0].is_met);
  EXPECT_EQ(goals[0].max_points, 4);
  EXPECT_EQ(goals[0].sentence, "it does not compile");
}

TEST(Goals, AMissedRatioBlamesTheLineBeyondTheBound) {
  const GoalVerdict goal = measured(task("sectors_per_request.global_load", 4.5), cost());
  EXPECT_TRUE(goal.is_measured);
  EXPECT_FALSE(goal.is_met);
  EXPECT_EQ(goal.points, 0);
  EXPECT_EQ(goal.place.file, "scan.cu");
  EXPECT_EQ(goal.place.line, 24);
  EXPECT_EQ(goal.sentence, "sectors per request, global loads: 9.60, goal ≤ 4.50; 32.00 here");
}

TEST(Goals, AMissedSumBlamesTheLineWithMostOfIt) {
  const GoalVerdict goal = measured(task("instructions", 1000), cost());
  EXPECT_FALSE(goal.is_met);
  EXPECT_EQ(goal.place.line, 30);
  EXPECT_EQ(goal.sentence, "warp instructions: 6,000, goal ≤ 1,000; 5,000 of it here");
}

TEST(Goals, ALineWithAllOfItIsToldSo) {
  CounterReport report = cost();
  report.sums["executions"] = 5000;
  EXPECT_EQ(measured(task("instructions", 1000), report).sentence,
            "warp instructions: 5,000, goal ≤ 1,000; all of it here");
}

TEST(Goals, TheBoundItselfIsWithin) {
  const GoalVerdict goal = measured(task("sectors_per_request.global_load", 9.6), cost());
  EXPECT_TRUE(goal.is_met);
  EXPECT_EQ(goal.points, 4);
  EXPECT_EQ(goal.place.line, 0);
}

TEST(Goals, AHairBeyondTheBoundDoesNotReadAsWithin) {
  CounterReport report;
  report.sums = {{"executions", 1'700'400}};
  EXPECT_EQ(measured(task("instructions", 1.7e6), report).sentence,
            "warp instructions: just over 1.70 M, goal ≤ 1.70 M");
}

TEST(Goals, NothingIsWithinEveryBound) {
  EXPECT_TRUE(measured(task("sectors_per_request.local_load", 1), cost()).is_met);
  EXPECT_TRUE(measured(task("bank_conflicts.shared", 0), cost()).is_met);
}

TEST(Goals, OneThatComesAfterAMissedOneEarnsNothing) {
  TaskFile file = task("sectors_per_request.global_load", 4.5);
  file.goals.push_back({"bank_conflicts.shared", "two million", 0, 3, "Pad the tile.", file.goals[0].counter});
  std::vector<GoalVerdict> goals = unmeasured_goals(file, "");
  for (std::size_t i = 0; i < goals.size(); ++i) measure_goal(file.goals[i], cost(), goals[i]);
  EXPECT_EQ(goals[1].points, 3);
  hold_back_goals(file, goals);
  EXPECT_FALSE(goals[1].is_met);
  EXPECT_EQ(goals[1].points, 0);
  EXPECT_EQ(goals[1].hint, "") << "there is nothing to improve yet";
  EXPECT_EQ(
      goals[1].sentence,
      "bank conflicts, shared memory: 0, goal ≤ 0; counts once the goal for 'sectors per request, global loads' is "
      "met");

  file.goals[0].at_most = 100;
  for (std::size_t i = 0; i < goals.size(); ++i) measure_goal(file.goals[i], cost(), goals[i]);
  hold_back_goals(file, goals);
  EXPECT_EQ(goals[1].points, 3);
}

TEST(Goals, SomeCountersHaveNoLine) {
  CounterReport report = cost();
  report.sums["dram_read_bytes"] = 5000;
  const GoalVerdict goal = measured(task("dram_bytes", 1000), report);
  EXPECT_FALSE(goal.is_met);
  EXPECT_EQ(goal.place.line, 0);
  EXPECT_EQ(goal.sentence, "device memory: 5.00 kB, goal ≤ 1.00 kB");
}

}  // namespace
}  // namespace lanewise
