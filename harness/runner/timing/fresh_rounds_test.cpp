// Rounds differ from each other, and not with how they are made.
#include "harness/runner/timing/fresh_rounds.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace lanewise {
namespace {

/// A problem that is its seed.
Task seed_task() {
  Task task;
  task.name = "seeds";
  task.make = [](const Parameters&, std::uint64_t seed) {
    Problem problem;
    problem.inputs = {make_array<std::uint64_t>("a", {1})};
    elements<std::uint64_t>(problem.inputs[0])[0] = seed;
    return problem;
  };
  task.oracle = [](const Problem& problem) { return problem.inputs; };
  return task;
}

std::vector<std::uint64_t> first_seeds(std::size_t ahead, std::uint64_t seed) {
  const Task task = seed_task();
  const CaseFile case_file;
  FreshRounds rounds(task, case_file, "lab", seed);
  rounds.make_ahead(ahead, false);
  std::vector<std::uint64_t> seeds(10);
  for (std::uint64_t& each : seeds) each = elements<std::uint64_t>(rounds.next()->problem.inputs[0])[0];
  return seeds;
}

TEST(FreshRounds, NoTwoAreAlike) {
  const std::vector<std::uint64_t> seeds = first_seeds(0, 1);
  EXPECT_EQ(std::set<std::uint64_t>(seeds.begin(), seeds.end()).size(), seeds.size());
}

TEST(FreshRounds, SeedAloneDecidesThemNotHowManyAreMadeAhead) {
  EXPECT_EQ(first_seeds(0, 1), first_seeds(3, 1));
  EXPECT_NE(first_seeds(0, 1), first_seeds(0, 2));
}

TEST(FreshRounds, AnswerComesAlongWhereItIsWanted) {
  const Task task = seed_task();
  const CaseFile case_file;
  FreshRounds rounds(task, case_file, "lab", 1);
  EXPECT_FALSE(rounds.next()->has_expected);
  rounds.make_ahead(2, true);
  const auto round = rounds.next();
  ASSERT_TRUE(round->has_expected);
  EXPECT_EQ(round->expected[0].bytes, round->problem.inputs[0].bytes);
}

TEST(FreshRounds, WhatCannotBeMadeIsSaid) {
  Task task = seed_task();
  const CaseFile case_file;
  task.oracle = [](const Problem&) -> std::vector<Array> { throw std::invalid_argument("too large for the oracle"); };
  FreshRounds without_answer(task, case_file, "lab", 1);
  without_answer.make_ahead(1, true);
  EXPECT_EQ(without_answer.next()->trouble, "too large for the oracle");
  task.make = [](const Parameters&, std::uint64_t) { return MissingData{"the picture is not there"}; };
  FreshRounds without_problem(task, case_file, "lab", 1);
  EXPECT_EQ(without_problem.next()->trouble, "the picture is not there");
}

}  // namespace
}  // namespace lanewise
