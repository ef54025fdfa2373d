// The rules that a lab's points are held to: each is kept by a sound ladder, and broken by one thing that is wrong.
#include "grader/bench/ladder_order.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

/// A ladder of three steps, each faster than the one before, at two race cases; the last one meets its only goal.
class LadderOrders : public ::testing::Test {
 protected:
  LadderOrders() {
    task_.name = "scan";
    task_.baseline = "1.cu";
    task_.reference = "3.cu";
    task_.points.fast = 15;
    task_.speed.modelled_case = "small";
    task_.speed.race_case = "race";
    task_.goals.push_back({"barriers", "small", 5, 10, ""});
    modelled_.scored_case = "small";
    modelled_.steps = {{"1.cu", 900, 800, "memory", 800, {}},
                       {"2.cu", 500, 400, "memory", 400, {}},
                       {"3.cu", 300, 100, "memory", 100, {"barriers, small"}}};
    for (const char* where : {"race", "another race"}) {
      measure("1.cu", where, 8);
      measure("2.cu", where, 4);
      measure("3.cu", where, 1);
    }
  }

  void measure(const std::string& step, const std::string& where, double milliseconds) {
    for (MeasuredTime& time : race_.times)
      if (time.step == step && time.case_name == where) {
        time.milliseconds = milliseconds;
        return;
      }
    MeasuredTime& time = race_.times.emplace_back();
    time.step = step;
    time.case_name = where;
    time.milliseconds = milliseconds;
  }

  LadderOrder order() const { return ladder_order(task_, {"1.cu", "2.cu", "3.cu"}, &modelled_, &race_); }
  std::string broken() const {
    std::string all;
    for (const std::string& sentence : order().broken) all += sentence + "\n";
    return all;
  }

  TaskFile task_;
  ModelledTask modelled_;
  MeasuredTask race_;
};

TEST_F(LadderOrders, ASoundLadderBreaksNoRule) {
  const LadderOrder found = order();
  EXPECT_EQ(broken(), "");
  EXPECT_DOUBLE_EQ(found.correlation, 1);
  ASSERT_EQ(found.steps.size(), 3U);
  EXPECT_EQ(found.steps[0].points, 0);
  EXPECT_GT(found.steps[1].points, 4);
  EXPECT_EQ(found.steps[2].points, 15);
  EXPECT_EQ(found.steps[1].milliseconds, 4);
}

TEST_F(LadderOrders, ANextStepThatLosesPointsIsFoundUnlessItIsALoss) {
  modelled_.steps[0].scored = 300, modelled_.steps[1].scored = 390;
  task_.baseline = "2.cu";
  measure("1.cu", "race", 3), measure("2.cu", "race", 4);
  EXPECT_EQ(broken(), "scan: 2.cu earns 0.0 points for fast, 1.cu before it 3.3: the next step must not lose points\n");
  task_.ladder.losses = {"2.cu"};
  EXPECT_EQ(broken(), "");
}

TEST_F(LadderOrders, AnOtherOrderThanThatOfMeasuredTimesIsFound) {
  measure("1.cu", "race", 2), measure("2.cu", "race", 1), measure("3.cu", "race", 8);
  EXPECT_EQ(broken(),
            "scan: modelled times rank its steps differently from the race case 'race': the rank correlation "
            "is -0.50\n");
  task_.ladder.by_size = {"3.cu"};
  measure("1.cu", "race", 9);
  EXPECT_EQ(broken(), "") << "the order of the others is right";
  task_.ladder.by_size = {};
  measure("1.cu", "race", 2);
  for (ModelledStep& step : modelled_.steps) step.bound_by = "copies between host and device";
  EXPECT_EQ(broken(), "") << "of the host's memory no model tells the order";
}

TEST_F(LadderOrders, ADeclaredNameThatIsNoStepIsFound) {
  task_.ladder.by_size = {"9.cu"};
  EXPECT_EQ(broken(), "scan: 'by_size' in [task.ladder] names 9.cu, which is no step of the ladder\n");
}

TEST_F(LadderOrders, ALossThatGainsIsFound) {
  task_.ladder.losses = {"2.cu"};
  EXPECT_EQ(broken(), "scan: 2.cu is declared a loss, but is faster than 1.cu in every race case\n");
  measure("2.cu", "another race", 9);
  EXPECT_EQ(broken(), "");
}

TEST_F(LadderOrders, AGoalThatASlowerKernelWinsIsFound) {
  modelled_.steps[1].goals = {"barriers, small"};
  EXPECT_EQ(broken(), "");
  modelled_.steps[0].scored = 410;  // modelled alike, so that only the goal says which is better
  measure("2.cu", "race", 8.1), measure("2.cu", "another race", 8.1);
  EXPECT_EQ(broken(),
            "scan: 2.cu is the first to meet the goal 'barriers, small', but is slower than 1.cu in every race case\n");
  modelled_.steps[1].goals = modelled_.steps[2].goals = {};
  EXPECT_EQ(broken(), "scan: no step meets the goal 'barriers, small'\n");
}

TEST_F(LadderOrders, WhatIsNotKnownBreaksNoRule) {
  EXPECT_TRUE(ladder_order(task_, {"1.cu", "2.cu", "3.cu"}, nullptr, nullptr).broken.empty());
  EXPECT_TRUE(ladder_order(task_, {"1.cu", "2.cu", "3.cu"}, &modelled_, nullptr).broken.empty());
  EXPECT_TRUE(ladder_order(task_, {}, &modelled_, &race_).broken.empty());
}

TEST(RankCorrelation, IsOfTheOrderAlone) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 1000, 1001}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {5, 5, 5}), 0);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 3}, {2, 2, 9}), 1) << "equal values share a rank";
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1.05, 3}, {2.1, 2, 9}, 0.1), 1) << "and so do those that hardly differ";
  EXPECT_LT(rank_correlation({1, 1.05, 3}, {2.1, 2, 9}), 1);
}

}  // namespace
}  // namespace lanewise
