// Questions are read, then score.h does the sums.
#include "harness/runner/verdict/task_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/questions.h"
#include "harness/runner/verdict/goals.h"
#include "harness/runner/verdict/score.h"
#include "harness/runner/verdict/speed.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

Understanding read_understanding(const GradeRequest& request, const std::string& task) {
  Understanding understanding;
  const fs::path file = request.file->folder / "questions.toml";
  std::error_code error;
  if (!fs::exists(file, error)) return understanding;
  const auto questions = read_questions(file);
  if (!questions) {
    understanding.questions = 1;
    understanding.trouble = questions.sentence();
    return understanding;
  }
  const auto of_no_task = std::find_if(questions->begin(), questions->end(), [&](const Question& question) {
    const auto is_it = [&question](const TaskFile& each) { return each.name == question.task; };
    return std::none_of(request.file->tasks.begin(), request.file->tasks.end(), is_it);
  });
  if (of_no_task != questions->end()) {
    understanding.questions = 1;
    understanding.trouble = fmt::format("{}: the question '{}' belongs to the task '{}', which the lab does not have",
                                        file.string(), of_no_task->id, of_no_task->task);
    return understanding;
  }
  const auto is_asked = [&task](const Question& question) { return question.task == task; };
  understanding.questions = static_cast<std::size_t>(std::count_if(questions->begin(), questions->end(), is_asked));

  understanding.has_key = fs::exists(request.key, error);
  const auto answers = read_answers(request.answers);
  if (!answers) {
    understanding.trouble = answers.sentence();
    return understanding;
  }
  for (const Question& question : *questions)
    if (is_asked(question)) understanding.answered += answers->count(question.id);
  if (!understanding.has_key) return understanding;
  const auto key = read_answers(request.key);
  if (!key || !key_gaps(*questions, *key).empty()) {
    // A broken key is the instructor's to fix; it must not cost a student points.
    understanding.has_key = false;
    understanding.trouble = key ? key_gaps(*questions, *key).front() : key.sentence();
    return understanding;
  }
  understanding.marks = mark(*questions, task, *answers, *key);
  return understanding;
}

// Full parts with nothing in them.
std::vector<PartScore> zero_parts(const TaskFile& file, bool has_checkers, const Understanding& understanding,
                                  const SpeedVerdict& speed, const std::string& why) {
  std::vector<PartScore> parts =
      score_task(file.points, {}, {}, has_checkers, understanding, unmeasured_goals(file, why), speed);
  for (PartScore& part : parts) {
    const bool is_lost = part.name == "correct" || (part.name == "clean" && has_checkers) ||
                         (part.name == "efficient" && has_checkers && !file.goals.empty()) ||
                         (part.name == "fast" && part.scored);
    if (!is_lost) continue;
    part.scored = true;
    part.evidence = why;
  }
  return parts;
}

// Puts the points of lab.toml beside what was seen.
bool take_points(const TaskFile& file, TaskVerdict& task) {
  for (CaseVerdict& verdict : task.cases) {
    const auto meant = std::find_if(file.cases.begin(), file.cases.end(),
                                    [&verdict](const CaseFile& each) { return each.name == verdict.name; });
    if (meant == file.cases.end()) return false;
    verdict.max_points = meant->points;
    verdict.points = verdict.outcome == CaseOutcome::kRight ? meant->points : 0;
  }
  if (!task.goals.empty() && task.goals.size() != file.goals.size()) return false;
  for (std::size_t i = 0; i < task.goals.size(); ++i) {
    GoalVerdict& goal = task.goals[i];
    if (goal.counter != file.goals[i].counter) return false;
    goal.max_points = file.goals[i].points;
    goal.points = goal.is_met ? goal.max_points : 0;
  }
  return true;
}

}  // namespace

void score_graded(const GradeRequest& request, const TaskFile& file, bool is_virtual, TaskVerdict& task) {
  set_next_threshold(file.points.fast, task.speed);
  const Understanding understanding = read_understanding(request, file.name);
  task.marks = understanding.marks;
  task.parts = score_task(file.points, task.cases, task.findings, is_virtual, understanding, task.goals, task.speed);
}

void score_lost(const GradeRequest& request, const TaskFile& file, bool is_virtual, const std::string& why,
                TaskVerdict& task) {
  const Understanding understanding = read_understanding(request, file.name);
  task.marks = understanding.marks;
  task.parts = zero_parts(file, is_virtual, understanding, task.speed, why);
}

bool rescore(const GradeRequest& request, Verdict& verdict) {
  const bool is_virtual = verdict.environment.backend != "gpu";
  for (TaskVerdict& task : verdict.tasks) {
    const std::vector<TaskFile>& files = request.file->tasks;
    const auto file =
        std::find_if(files.begin(), files.end(), [&task](const TaskFile& each) { return each.name == task.task; });
    if (file == files.end() || !take_points(*file, task)) return false;
    if (task.state == TaskState::kGraded) {
      score_graded(request, *file, is_virtual, task);
    } else {
      if (task.parts.empty()) return false;
      score_lost(request, *file, is_virtual, std::string(task.parts.front().evidence), task);
    }
    sum_parts(task);
  }
  sum_tasks(verdict);
  return true;
}

}  // namespace lanewise
