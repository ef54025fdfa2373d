// The loop over cases goes on whatever one case does, and stops where going on is of no use.
#include "harness/runner/verdict/task_run.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "harness/runner/verdict/run_limits.h"

namespace lanewise {
namespace {

// Copies `n` floats; `n` comes from the case, and -1 stands for data that is not there.
Task copy_task(const std::string& name) {
  Task task;
  task.name = name;
  task.make = [](const Parameters& parameters, std::uint64_t) -> std::variant<Problem, MissingData> {
    const std::int64_t n = parameters.integer("n");
    if (n < 0) return MissingData{"the data is not here"};
    Problem problem;
    problem.space = Space::kHost;
    Array a = make_array<float>("a", {n});
    std::iota(elements<float>(a), elements<float>(a) + n, 1.0F);
    problem.inputs = {a};
    problem.outputs = {ArrayShape{"b", DType::kFloat32, {n}}};
    problem.scalars = {{"n", n}};
    return problem;
  };
  task.oracle = [](const Problem& problem) {
    Array b = problem.inputs[0];
    b.name = "b";
    return std::vector<Array>{b};
  };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  task.misconceptions = {{"nothing done", "Nothing was copied.", [](const Problem& problem) {
                            Array b = problem.inputs[0];
                            b.name = "b";
                            std::fill(b.bytes.begin(), b.bytes.end(), kPoison);
                            return std::vector<Array>{b};
                          }}};
  return task;
}

CaseFile a_case(const std::string& name, std::int64_t n) {
  CaseFile result;
  result.name = name;
  result.group = "check";
  result.points = 1;
  result.make.set("n", n);
  return result;
}

class TaskRunTest : public ::testing::Test {
 protected:
  TaskRunTest() {
    options_.session.worker = LANEWISE_WORKER;
    options_.session.runtime = HOST_CUDART;
    options_.session.monitors = "none";
    options_.session.patience = std::chrono::seconds(2);
    options_.shared_object = MISBEHAVING;
    options_.backend = "vgpu";
    options_.groups = {"check"};
    options_.lab = "copying";
    file_.time_limit_seconds = 0.4;
    file_.cases = {a_case("ten", 10), a_case("hundred", 100), a_case("thousand", 1000)};
  }

  void run(const std::string& task) {
    task_ = copy_task(task);
    file_.name = task;
    verdict_ = TaskVerdict{};
    const auto failure = run_task(task_, file_, options_, verdict_, device_);
    ASSERT_FALSE(failure) << failure->sentence;
  }

  std::vector<CaseOutcome> outcomes() const {
    std::vector<CaseOutcome> all;
    for (const CaseVerdict& verdict : verdict_.cases) all.push_back(verdict.outcome);
    return all;
  }

  Task task_;
  TaskFile file_;
  TaskRunOptions options_;
  TaskVerdict verdict_;
  DeviceInfo device_;
};

TEST_F(TaskRunTest, RightCasesEarnTheirPoints) {
  run("copies");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kRight));
  EXPECT_EQ(verdict_.cases[1].points, 1);
  EXPECT_EQ(verdict_.cases[1].sizes, "n = 100");
  EXPECT_EQ(verdict_.output, "copying 10\ncopying 100\ncopying 1000\n");
  EXPECT_EQ(device_.name, "host memory");
}

TEST_F(TaskRunTest, LaunchBudgetGrowsWithTheWorkUpToTheTimeLimit) {
  const Problem none;
  file_.time_limit_seconds = 10;
  EXPECT_EQ(launch_budget(task_, file_, file_.cases[0], none), 20e6) << "without a model of the work";
  task_.work = [](const Problem&) { return Work{0, 0}; };
  EXPECT_EQ(launch_budget(task_, file_, file_.cases[0], none), 4e6);
  task_.work = [](const Problem&) { return Work{1e6, 3e6}; };
  EXPECT_EQ(launch_budget(task_, file_, file_.cases[0], none), 12e6);
  file_.cases[0].least_budget = 1;
  EXPECT_EQ(launch_budget(task_, file_, file_.cases[0], none), 8e6 + 1);
  task_.work = [](const Problem&) { return Work{3e9, 1e9}; };
  EXPECT_EQ(launch_budget(task_, file_, file_.cases[0], none), 20e6);
}

TEST_F(TaskRunTest, SharedCasesAreJudgedTheSame) {
  Instances instances(3);
  options_.instances = &instances;
  for (int round = 0; round < 2; ++round) {
    run("copies");
    EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kRight));
  }
  run("writes_past_the_end");
  EXPECT_EQ(verdict_.cases[0].outcome, CaseOutcome::kWrong);
}

TEST_F(TaskRunTest, CaseForTheModelAloneIsRunWhereAllElseIsRight) {
  file_.points.fast = 15;
  file_.speed.modelled_case = "thousand";
  file_.cases[2].points = 0;
  GoalFile& goal = file_.goals.emplace_back();
  goal.case_name = "thousand";
  goal.counter = "requests.global_load";
  run("copies");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kRight));
  run("writes_past_the_end");
  EXPECT_EQ(outcomes(), (std::vector<CaseOutcome>{CaseOutcome::kWrong, CaseOutcome::kWrong, CaseOutcome::kLeftOut}));
  EXPECT_TRUE(verdict_.speed.is_gradable) << "what was lost is counted";
  EXPECT_FALSE(verdict_.goals.at(0).is_left_out);
  options_.groups = {"race"};
  run("writes_past_the_end");
  EXPECT_FALSE(verdict_.speed.is_gradable) << "not to be run at all";
  EXPECT_TRUE(verdict_.goals.at(0).is_left_out);
  options_.groups = {"check"};
  file_.cases[2].points = 1;  // then it is a case like any other
  run("writes_past_the_end");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kWrong));
}

TEST_F(TaskRunTest, NextCaseGetsAFreshWorker) {
  run("reads_null");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kCrashed));
}

TEST_F(TaskRunTest, AfterTwoHungCasesTheRestIsNotRun) {
  run("loops");
  EXPECT_EQ(outcomes(),
            (std::vector<CaseOutcome>{CaseOutcome::kTimedOut, CaseOutcome::kTimedOut, CaseOutcome::kNotRun}));
  EXPECT_EQ(verdict_.cases[2].sentence, "not run: 2 cases had hung already");
}

TEST_F(TaskRunTest, EmptyAndMissingFunctionsRunNoCase) {
  run("does_nothing");
  EXPECT_EQ(verdict_.state, TaskState::kNotStarted);
  EXPECT_TRUE(verdict_.cases.empty());
  run("is_not_defined");
  EXPECT_EQ(verdict_.state, TaskState::kMissing);
}

TEST_F(TaskRunTest, WhatBreaksWhileLoadingIsNotTriedAgain) {
  options_.shared_object = EXITS_WHEN_LOADED;
  run("copies");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kExited));
  EXPECT_EQ(verdict_.cases[0].sentence.rfind("while it was being loaded:", 0), 0U);
  EXPECT_EQ(verdict_.output, "PASS 100/100\n");  // once
  for (const CaseVerdict& verdict : verdict_.cases) EXPECT_EQ(verdict.points, 0);
}

TEST_F(TaskRunTest, CasesWithoutDataAreLeftOutWithTheReason) {
  file_.cases[1] = a_case("photograph", -1);
  run("copies");
  EXPECT_EQ(outcomes(), (std::vector<CaseOutcome>{CaseOutcome::kRight, CaseOutcome::kLeftOut, CaseOutcome::kRight}));
  EXPECT_EQ(verdict_.cases[1].sentence, "the data is not here");
}

TEST_F(TaskRunTest, WhatTheLabsOwnCodeDoesWrongIsToldAndExcusesNobody) {
  std::vector<std::string> told;
  options_.lab_failed = [&](const std::string& sentence) { told.push_back(sentence); };
  file_.cases.resize(1);
  const auto run_with = [&](const std::string& name, const std::function<void(Task&)>& change) {
    task_ = copy_task(name);
    change(task_);
    file_.name = name;
    verdict_ = TaskVerdict{};
    told.clear();
    EXPECT_FALSE(run_task(task_, file_, options_, verdict_, device_));
    return outcomes();
  };
  const auto crash = [](const Problem&) -> std::vector<Array> { throw std::invalid_argument("it crashed"); };
  EXPECT_EQ(run_with("copies", [&](Task& task) { task.oracle = crash; }), std::vector{CaseOutcome::kLeftOut});
  EXPECT_EQ(told, std::vector<std::string>{"copying · copies · ten: it crashed"});
  const auto wrong_with_a_crash = [&](Task& task) {
    task.oracle = [](const Problem& problem) {
      Array b = problem.inputs[0];
      b.name = "b";
      elements<float>(b)[0] = 42;
      return std::vector<Array>{b};
    };
    task.misconceptions[0].outcome = crash;
  };
  EXPECT_EQ(run_with("copies", wrong_with_a_crash), std::vector{CaseOutcome::kWrong});
  EXPECT_EQ(told, std::vector<std::string>{"copying · copies · ten: it crashed"});
}

// Left out, it would make the other cases worth all points.
TEST_F(TaskRunTest, MistakeInLabTomlIsAFailureThatNamesIt) {
  file_.cases[1].make = Parameters();
  file_.cases[1].make.set("m", std::int64_t{100});
  file_.cases[1].line = 42;
  task_ = copy_task("copies");
  file_.name = "copies";
  const auto failure = run_task(task_, file_, options_, verdict_, device_);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence, "copying/lab.toml:42: the case's make table lacks the key 'n'; it has m");
}

TEST_F(TaskRunTest, NamedCasesAloneAreRunAndEarnNothing) {
  options_.cases = {"hundred"};
  run("copies");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>{CaseOutcome::kRight});
  EXPECT_EQ(verdict_.partial, "1 of 3 cases was run");
  options_.cases = {"ten", "hundred", "thousand"};
  run("copies");
  EXPECT_EQ(verdict_.partial, "") << "nothing is missing";
}

TEST_F(TaskRunTest, FirstFailureEndsItWhereThatIsWanted) {
  options_.stops_at_failure = true;
  run("writes_past_the_end");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>{CaseOutcome::kWrong});
  EXPECT_EQ(verdict_.partial, "1 of 3 cases was run, up to the first that fails");
  run("copies");
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kRight));
  EXPECT_EQ(verdict_.partial, "");
}

TEST_F(TaskRunTest, CasesOfOtherGroupsAndBackendsAreNotRun) {
  file_.cases[0].group = "race";
  file_.cases[1].backend = "gpu";
  run("copies");
  EXPECT_EQ(outcomes(), (std::vector<CaseOutcome>{CaseOutcome::kLeftOut, CaseOutcome::kRight}));
}

TEST_F(TaskRunTest, GoalsThatCannotBeMeasuredSayWhy) {
  file_.goals = {{"instructions", "hundred", 1, 4, ""}};
  const auto goal = [this]() -> GoalVerdict { return verdict_.goals.at(0); };
  run("copies");
  EXPECT_FALSE(goal().is_measured || goal().is_met || goal().is_left_out);
  EXPECT_EQ(goal().sentence, "warp instructions: the case 'hundred' could not be counted") << "nothing counts here";
  run("reads_null");
  EXPECT_EQ(goal().sentence, "warp instructions: counts once the case 'hundred' is right");
  EXPECT_FALSE(goal().is_left_out);
  options_.backend = "gpu";
  run("copies");
  EXPECT_TRUE(goal().is_left_out) << "counters are the virtual GPU's";
  options_.backend = "vgpu";
  file_.cases[1].group = "race";
  run("copies");
  EXPECT_TRUE(goal().is_left_out) << "its case was not to be run";
}

TEST_F(TaskRunTest, StrayWriteMakesRightValuesWrong) {
  run("writes_past_the_end");
  EXPECT_EQ(verdict_.cases[0].outcome, CaseOutcome::kWrong);
  EXPECT_EQ(verdict_.cases[0].sentence, "wrote 24 bytes past the end of b_h, nearest at b_h[10]");
  EXPECT_TRUE(verdict_.cases[0].misconception.empty());
  ASSERT_EQ(verdict_.findings.size(), 1U);
  EXPECT_EQ(verdict_.findings[0].tool, "memcheck");
  EXPECT_EQ(verdict_.findings[0].count, 3);
}

TEST_F(TaskRunTest, KnownMistakeIsNamedInEveryCaseItExplains) {
  // It does something, and yet leaves the output as it was.
  run("opens_a_socket_only");
  for (const CaseVerdict& verdict : verdict_.cases) {
    EXPECT_EQ(verdict.misconception, "nothing done");
    EXPECT_EQ(verdict.sentence.rfind("b[0] was never written, expected 1", 0), 0U) << verdict.sentence;
  }
  ASSERT_EQ(verdict_.findings.size(), 1U);
  EXPECT_EQ(verdict_.findings[0].tool, "lockdown");
  EXPECT_EQ(verdict_.findings[0].count, 3);
}

TEST_F(TaskRunTest, WhatTheFirstWrongCaseContradictsIsNotTriedAgain) {
  task_ = copy_task("copies");
  task_.oracle = [](const Problem& problem) {
    Array b = problem.inputs[0];
    b.name = "b";
    elements<float>(b)[1] = -1;
    return std::vector<Array>{b};
  };
  int computed = 0;
  task_.misconceptions[0].outcome = [&computed, outcome = task_.misconceptions[0].outcome](const Problem& problem) {
    ++computed;
    return outcome(problem);
  };
  file_.name = "copies";
  ASSERT_FALSE(run_task(task_, file_, options_, verdict_, device_));
  EXPECT_EQ(outcomes(), std::vector<CaseOutcome>(3, CaseOutcome::kWrong));
  EXPECT_EQ(computed, 1);
}

TEST_F(TaskRunTest, WithoutAWorkerThereIsAFailure) {
  options_.session.runtime = "/nonexistent/libcudart.so.13";
  task_ = copy_task("copies");
  EXPECT_TRUE(run_task(task_, file_, options_, verdict_, device_));
}

}  // namespace
}  // namespace lanewise
