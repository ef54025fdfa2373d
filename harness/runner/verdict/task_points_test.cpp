// Scored anew under other points a verdict is what grading under them would give.
#include "harness/runner/verdict/task_points.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/runner/verdict/score.h"

namespace lanewise {
namespace {

LabFile lab_file(double correct, double first, double second, double goal) {
  LabFile lab;
  TaskFile& task = lab.tasks.emplace_back();
  task.name = "scan";
  task.points.correct = correct;
  task.points.efficient = 10;
  task.points.clean = 10;
  for (const auto& [name, points] : {std::pair("first", first), std::pair("second", second)}) {
    CaseFile& each = task.cases.emplace_back();
    each.name = name;
    each.points = points;
  }
  for (const char* const counter : {"kernels", "instructions"}) {
    GoalFile& each = task.goals.emplace_back();
    each.counter = counter;
    each.points = goal;
  }
  task.goals[1].points = 4;
  return lab;
}

// The first case is right, the second is not; the first goal is met.
Verdict graded_under(const LabFile& lab) {
  Verdict verdict;
  verdict.environment.backend = "vgpu";
  TaskVerdict& task = verdict.tasks.emplace_back();
  task.task = "scan";
  task.state = TaskState::kGraded;
  for (const CaseFile& file : lab.tasks[0].cases) {
    CaseVerdict& each = task.cases.emplace_back();
    each.name = file.name;
    each.outcome = file.name == "first" ? CaseOutcome::kRight : CaseOutcome::kWrong;
    each.judgement.compared = 7;
    each.max_points = file.points;
    each.points = each.outcome == CaseOutcome::kRight ? file.points : 0;
  }
  for (const GoalFile& file : lab.tasks[0].goals) {
    GoalVerdict& each = task.goals.emplace_back();
    each.counter = file.counter;
    each.is_measured = true;
    each.is_met = file.counter == "kernels";
    each.max_points = file.points;
    each.points = each.is_met ? file.points : 0;
  }
  GradeRequest request;
  request.file = &lab;
  score_graded(request, lab.tasks[0], true, task);
  sum_parts(task);
  sum_tasks(verdict);
  return verdict;
}

Verdict lost_under(const LabFile& lab) {
  Verdict verdict;
  verdict.environment.backend = "vgpu";
  TaskVerdict& task = verdict.tasks.emplace_back();
  task.task = "scan";
  task.state = TaskState::kCompileError;
  GradeRequest request;
  request.file = &lab;
  score_lost(request, lab.tasks[0], true, "it does not compile", task);
  sum_parts(task);
  sum_tasks(verdict);
  return verdict;
}

void expect_equal(const Verdict& a, const Verdict& b) {
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.max_points, b.max_points);
  const TaskVerdict& one = a.tasks.at(0);
  const TaskVerdict& other = b.tasks.at(0);
  ASSERT_EQ(one.parts.size(), other.parts.size());
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    EXPECT_EQ(one.parts[i].points, other.parts[i].points) << one.parts[i].name;
    EXPECT_EQ(one.parts[i].max_points, other.parts[i].max_points) << one.parts[i].name;
    EXPECT_EQ(one.parts[i].evidence, other.parts[i].evidence);
  }
  for (std::size_t i = 0; i < one.cases.size(); ++i) EXPECT_EQ(one.cases[i].points, other.cases[i].points);
  for (std::size_t i = 0; i < one.goals.size(); ++i) EXPECT_EQ(one.goals[i].max_points, other.goals[i].max_points);
}

TEST(Rescore, GivesWhatGradingUnderThesePointsGives) {
  const LabFile before = lab_file(55, 4, 4, 1);
  const LabFile after = lab_file(60, 1, 9, 6);
  GradeRequest request;
  request.file = &after;
  Verdict verdict = graded_under(before);
  EXPECT_DOUBLE_EQ(verdict.points, 27.5 + 2 + 10);
  ASSERT_TRUE(rescore(request, verdict));
  EXPECT_DOUBLE_EQ(verdict.points, 6 + 6 + 10);
  expect_equal(verdict, graded_under(after));
  Verdict lost = lost_under(before);
  ASSERT_TRUE(rescore(request, lost));
  EXPECT_EQ(lost.points, 0);
  EXPECT_EQ(lost.max_points, 80);
  expect_equal(lost, lost_under(after));
}

TEST(Rescore, VerdictsOfOtherLabsAreRefused) {
  const LabFile lab = lab_file(55, 4, 4, 1);
  GradeRequest request;
  request.file = &lab;
  Verdict other_case = graded_under(lab);
  other_case.tasks[0].cases[0].name = "third";
  EXPECT_FALSE(rescore(request, other_case));
  Verdict other_goal = graded_under(lab);
  other_goal.tasks[0].goals[0].counter = "barriers";
  EXPECT_FALSE(rescore(request, other_goal));
  Verdict other_task = graded_under(lab);
  other_task.tasks[0].task = "merge";
  EXPECT_FALSE(rescore(request, other_task));
}

TEST(Understood, AQuestionOfATaskThatTheLabLacksIsSaid) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("lanewise_task_points_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  LabFile lab = lab_file(55, 4, 4, 1);
  lab.folder = folder;
  lab.tasks[0].points.understood = 10;
  const auto evidence_with = [&](const std::string& task) {
    std::ofstream(folder / "questions.toml")
        << "[[question]]\nid = \"sums\"\ntask = \"" << task << "\"\ntext = \"How many?\"\nkind = \"numeric\"\n";
    const Verdict verdict = graded_under(lab);
    for (const PartScore& part : verdict.tasks[0].parts)
      if (part.name == "understood") return part.evidence;
    return std::string();
  };
  EXPECT_NE(evidence_with("scam").find("the question 'sums' belongs to the task 'scam', which the lab does not have"),
            std::string::npos);
  EXPECT_EQ(evidence_with("scan").find("belongs to"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lanewise
