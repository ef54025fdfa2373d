// A misconception is named when it explains what is wrong, and not when it merely fits a tiny case.
#include "harness/runner/verdict/recognise.h"

#include <gtest/gtest.h>

#include <algorithm>

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

std::vector<Match> matching(const Task& task, const std::vector<Array>& expected, const std::vector<Array>& got,
                            Outcomes& outcomes) {
  std::set<std::size_t> ruled_out;
  return matching_misconceptions(task, {}, expected, got, outcomes, ruled_out);
}

std::vector<std::size_t> indices(const std::vector<Match>& matches) {
  std::vector<std::size_t> indices;
  for (const Match& match : matches) indices.push_back(match.misconception);
  return indices;
}

// Matches by number, all exact.
Matches exact(const std::vector<std::vector<std::size_t>>& numbers) {
  Matches matches;
  for (const auto& of_case : numbers) {
    matches.emplace_back();
    for (const std::size_t i : of_case) matches.back().push_back({i, true});
  }
  return matches;
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
  EXPECT_EQ(indices(matching(task, constant(0), constant(2), outcomes)), std::vector<std::size_t>{1});
  EXPECT_TRUE(matching(task, constant(0), constant(3), outcomes).empty());
}

TEST(Recognise, AnOutcomeIsComputedOnceForAllSubmissions) {
  Task task = task_with_two();
  int computed = 0;
  task.misconceptions[0].outcome = [&computed](const Problem&) { return ++computed, constant(1); };
  Outcomes outcomes;
  for (int submission = 0; submission < 3; ++submission)
    EXPECT_EQ(indices(matching(task, constant(0), constant(1), outcomes)), std::vector<std::size_t>{0});
  EXPECT_EQ(computed, 1);
}

TEST(Recognise, WhatASmallCaseContradictsIsNotComputedForLargerOnes) {
  Task task = task_with_two();
  int computed = 0;
  task.misconceptions[0].outcome = [&computed](const Problem&) { return ++computed, constant(1); };
  std::set<std::size_t> ruled_out;
  for (int number = 0; number < 3; ++number) {
    Outcomes of_case;
    EXPECT_EQ(indices(matching_misconceptions(task, {}, constant(0), constant(2), of_case, ruled_out)),
              std::vector<std::size_t>{1});
  }
  EXPECT_EQ(computed, 1);
}

TEST(Recognise, NothingIsRuledOutThatMayStillBeNamed) {
  std::set<std::size_t> ruled_out;
  const auto look = [&ruled_out](const Task& task, const std::vector<Array>& expected, const std::vector<Array>& got) {
    Outcomes of_case;
    ruled_out.clear();
    matching_misconceptions(task, {}, expected, got, of_case, ruled_out);
    return ruled_out;
  };
  Task task = task_with_two();
  EXPECT_EQ(look(task, constant(0), constant(3)), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(look(task, constant(0), constant(2)), std::set<std::size_t>{0}) << "the other one matches";
  EXPECT_EQ(look(task, constant(1), constant(3)), std::set<std::size_t>{1}) << "the other one is right here";
  task.misconceptions[0].depends_on_order = true;
  task.misconceptions[1].outcome = [](const Problem&) { return std::vector<Array>{}; };
  EXPECT_TRUE(look(task, constant(0), constant(3)).empty())
      << "in another order, or of another problem, they may match";
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

// What the misconceptions in each case say, if they do not match it: nothing, or the right answer.
Harmless where(const std::vector<std::vector<std::size_t>>& harmless) {
  return [harmless](std::size_t number, const std::vector<std::size_t>& candidates) {
    std::vector<std::size_t> kept;
    for (const std::size_t i : candidates)
      if (std::count(harmless[number].begin(), harmless[number].end(), i) != 0) kept.push_back(i);
    return kept;
  };
}

TEST(Recognise, OneExplanationForAllWins) {
  const Task task = task_with_two();
  auto cases = wrong_cases(3);
  // The tiny first case fits both.
  name_misconception(task, exact({{0, 1}, {1}, {1}}), where({{}, {}, {}}), cases);
  for (const CaseVerdict& verdict : cases) EXPECT_EQ(verdict.misconception, "twos");
  EXPECT_EQ(cases[0].hint, "It gives twos.");
}

TEST(Recognise, ExplanationOfTheMinorityIsACoincidence) {
  const Task task = task_with_two();
  auto cases = wrong_cases(3);
  name_misconception(task, exact({{0}, {}, {}}), where({{}, {0}, {0}}), cases);
  for (const CaseVerdict& verdict : cases) EXPECT_TRUE(verdict.misconception.empty());
}

TEST(Recognise, WrongCaseOfWhichAMisconceptionSaysNothingStaysUnexplained) {
  const Task task = task_with_two();
  auto cases = wrong_cases(2);
  name_misconception(task, exact({{0}, {}}), where({{}, {0}}), cases);
  EXPECT_EQ(cases[0].misconception, "ones");
  EXPECT_TRUE(cases[1].misconception.empty());
}

TEST(Recognise, WrongCaseThatAMisconceptionGetsWrongInAnotherWayContradictsIt) {
  const Task task = task_with_two();
  auto cases = wrong_cases(3);
  name_misconception(task, exact({{0}, {0}, {}}), where({{}, {}, {}}), cases);
  for (const CaseVerdict& verdict : cases) EXPECT_TRUE(verdict.misconception.empty());
}

TEST(Recognise, RightCaseThatAMisconceptionGetsWrongContradictsIt) {
  const Task task = task_with_two();
  auto cases = wrong_cases(3);
  cases[2].outcome = CaseOutcome::kRight;
  cases[2].judgement.right = true;
  name_misconception(task, exact({{0, 1}, {0, 1}, {}}), where({{}, {}, {1}}), cases);
  EXPECT_EQ(cases[0].misconception, "twos") << "the first in the lab's order is contradicted";
  EXPECT_EQ(cases[1].misconception, "twos");
  cases[0].misconception.clear();
  name_misconception(task, exact({{0, 1}, {0, 1}, {}}), where({{}, {}, {}}), cases);
  EXPECT_TRUE(cases[0].misconception.empty());
}

TEST(Recognise, OfTwoThatExplainTheSameCasesTheMoreExactOneIsNamed) {
  const Task task = task_with_two();
  auto cases = wrong_cases(2);
  name_misconception(task, {{{0, true}, {1, true}}, {{0, false}, {1, true}}}, where({{}, {}}), cases);
  EXPECT_EQ(cases[1].misconception, "twos");
}

TEST(Recognise, CaseWithoutOutputsContradictsNothing) {
  const Task task = task_with_two();
  auto cases = wrong_cases(2);
  cases[1].outcome = CaseOutcome::kCudaError;
  name_misconception(task, exact({{0}, {}}), where({{}, {}}), cases);
  EXPECT_EQ(cases[0].misconception, "ones");
}

TEST(Recognise, OutcomeThatIsRightOrUnknownDoesNoHarm) {
  Task task = task_with_two();
  Outcomes outcomes;
  EXPECT_TRUE(is_harmless(task, {}, constant(1), 0, outcomes));
  EXPECT_FALSE(is_harmless(task, {}, constant(1), 1, outcomes));
  Outcomes others;
  task.misconceptions[1].outcome = [](const Problem&) { return std::vector<Array>{}; };
  EXPECT_TRUE(is_harmless(task, {}, constant(1), 1, others));
  EXPECT_EQ(indices(matching(task, constant(0), constant(2), others)), std::vector<std::size_t>{});
  task.misconceptions[0].depends_on_order = true;
  EXPECT_TRUE(is_harmless(task, {}, constant(0), 0, others)) << "another order may have spared this case";
}

TEST(Recognise, WhatOnlyResemblesAnOutcomeMatchesItUnlessItResemblesTheRightAnswer) {
  Task task = task_with_two();
  task.resembles = [](const Problem&, const std::vector<Array>& a, const std::vector<Array>& b) {
    return judge_bound(
               a, b, [](std::size_t, std::size_t) { return 0.3; }, "")
        .right;
  };
  Outcomes outcomes;
  const auto matches = [&](float expected, float got) {
    return indices(matching(task, constant(expected), constant(got), outcomes));
  };
  EXPECT_EQ(matches(0, 1.25F), std::vector<std::size_t>{0});
  EXPECT_TRUE(matches(0.75F, 1.25F).empty());
  EXPECT_EQ(matches(0.75F, 1), std::vector<std::size_t>{0}) << "the very outcome";
  EXPECT_TRUE(is_harmless(task, {}, constant(0.75F), 0, outcomes));
  EXPECT_FALSE(is_harmless(task, {}, constant(0), 0, outcomes));
}

TEST(Recognise, MisconceptionYieldsToWhatAnyOtherCheckerSaw) {
  Misconception lost_updates{"lost updates", "", {}, {"racecheck"}};
  std::vector<Finding> findings(1);
  findings[0].tool = "racecheck";
  EXPECT_FALSE(yields(lost_updates, findings)) << "the same mistake";
  findings.emplace_back().tool = "initcheck";
  EXPECT_TRUE(yields(lost_updates, findings));
  findings[1].tool = "memcheck";
  findings[1].kind = "leak";
  EXPECT_FALSE(yields(lost_updates, findings)) << "it changes no value";
  findings[1] = {};
  findings[1].tool = "lockdown";
  EXPECT_FALSE(yields(lost_updates, findings)) << "no checker's";
}

TEST(Recognise, NothingToNameIsFine) {
  std::vector<CaseVerdict> cases;
  name_misconception(Task{}, {}, where({}), cases);
  name_misconception(task_with_two(), {}, where({}), cases);
  EXPECT_TRUE(cases.empty());
}

}  // namespace
}  // namespace lanewise
