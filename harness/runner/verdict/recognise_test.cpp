// A misconception is named when it explains what is wrong, and not when it merely fits a tiny case.
#include "harness/runner/verdict/recognise.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

std::vector<Array> constant(float value) {
  Array array = make_array<float>("out", {4});
  for (int i = 0; i < 4; ++i) elements<float>(array)[i] = value;
  return {array};
}

Task task_with_two() {
  Task task;
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  task.misconceptions = {{"ones", "It gives ones.", [](const Problem&) { return constant(1); }},
                         {"twos", "It gives twos.", [](const Problem&) { return constant(2); }}};
  return task;
}

std::vector<CaseVerdict> wrong_cases(std::size_t count) {
  CaseVerdict wrong;
  wrong.outcome = CaseOutcome::kWrong;
  wrong.judgement.right = false;
  return std::vector<CaseVerdict>(count, wrong);
}

TEST(Recognise, OutcomeEqualToAMisconceptionMatchesIt) {
  const Task task = task_with_two();
  Outcomes outcomes;
  EXPECT_EQ(matching_misconceptions(task, {}, constant(2), outcomes), std::vector<std::size_t>{1});
  EXPECT_TRUE(matching_misconceptions(task, {}, constant(3), outcomes).empty());
}

TEST(Recognise, AnOutcomeIsComputedOnceForAllSubmissions) {
  Task task = task_with_two();
  int computed = 0;
  task.misconceptions[0].outcome = [&computed](const Problem&) { return ++computed, constant(1); };
  Outcomes outcomes;
  for (int submission = 0; submission < 3; ++submission)
    EXPECT_EQ(matching_misconceptions(task, {}, constant(1), outcomes), std::vector<std::size_t>{0});
  EXPECT_EQ(computed, 1);
}

TEST(Recognise, AnOutcomeOfManyMegabytesIsNotKept) {
  Task task = task_with_two();
  int computed = 0;
  task.misconceptions[0].outcome = [&computed](const Problem&) -> std::vector<Array> {
    ++computed;
    return {make_array<float>("out", {5 << 20})};
  };
  Outcomes outcomes;
  for (int submission = 0; submission < 2; ++submission) outcomes.get(task, {}, 0);
  EXPECT_EQ(computed, 2);
}

TEST(Recognise, OneExplanationForAllWins) {
  const Task task = task_with_two();
  auto cases = wrong_cases(3);
  // The tiny first case fits both.
  name_misconception(task, {{0, 1}, {1}, {1}}, cases);
  for (const CaseVerdict& verdict : cases) EXPECT_EQ(verdict.misconception, "twos");
  EXPECT_EQ(cases[0].hint, "It gives twos.");
}

TEST(Recognise, ExplanationOfTheMinorityIsACoincidence) {
  const Task task = task_with_two();
  auto cases = wrong_cases(3);
  name_misconception(task, {{0}, {}, {}}, cases);
  for (const CaseVerdict& verdict : cases) EXPECT_TRUE(verdict.misconception.empty());
}

TEST(Recognise, HalfIsEnoughAndTheRestStaysUnexplained) {
  const Task task = task_with_two();
  auto cases = wrong_cases(2);
  name_misconception(task, {{0}, {}}, cases);
  EXPECT_EQ(cases[0].misconception, "ones");
  EXPECT_TRUE(cases[1].misconception.empty());
}

TEST(Recognise, NothingToNameIsFine) {
  std::vector<CaseVerdict> cases;
  name_misconception(Task{}, {}, cases);
  name_misconception(task_with_two(), {}, cases);
  EXPECT_TRUE(cases.empty());
}

}  // namespace
}  // namespace lanewise
