// Grades a step as `lanewise verify` does, then calls it once more in a process that writes the virtual GPU's report.
#include "grader/bench/ladder_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "grader/workplace/verdict_cache.h"
#include "harness/lab/modelled.h"
#include "harness/lab/read_file.h"
#include "harness/runner/parallel.h"
#include "harness/runner/problems.h"
#include "harness/runner/process.h"
#include "harness/runner/session/counter_report.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 1;
constexpr std::uintmax_t kLargestReport = 64 << 20;
constexpr std::size_t kMostCallOutput = 16 << 10;
constexpr std::chrono::minutes kLongestCall{10};

// A sentence if it failed.
std::string count_call(const fs::path& shared_object, const Ladder& ladder, const Workplace& workplace,
                       const fs::path& problem, const fs::path& report, StepObservation& seen) {
  ProcessOptions options;
  options.command = {workplace.installation.caller.string(),
                     "--runtime",
                     workplace.backend.runtime.string(),
                     "--submission",
                     shared_object.string(),
                     "--task",
                     ladder.file->name,
                     "--problem",
                     problem.string()};
  options.environment = {"LANG=C.UTF-8", "LANEWISE_VGPU_MONITORS=counters", "LANEWISE_VGPU_REPORT=" + report.string(),
                         "LANEWISE_VGPU_PROFILE=" + profile_of(ladder.lab->file)};
  const auto finished = run_to_end(options, kLongestCall, kMostCallOutput);
  if (!finished) return finished.sentence();
  if (!finished->succeeded())
    return finished->timed_out ? "counting took more than ten minutes"
                               : fmt::format("counting failed: {}", finished->output);
  const auto text = read_file(report, kLargestReport);
  if (!text) return text.sentence();
  const auto report_read = read_counters(*text);
  if (!report_read) return report_read.sentence();
  seen.counters = report_read->sums;
  seen.modelled = report_read->modelled;
  return "";
}

bool has_odd_size(const Problem& problem) {
  return std::any_of(problem.scalars.begin(), problem.scalars.end(), [](const Scalar& scalar) {
    const auto* const integer = std::get_if<std::int64_t>(&scalar.value);
    return integer != nullptr && *integer % 2 != 0 && *integer > 1;
  });
}

}  // namespace

std::vector<Ladder> find_ladders(const std::vector<LabSelection>& labs, const fs::path& solutions) {
  std::vector<Ladder> ladders;
  const std::vector<SolutionFile> all = solution_files(labs, solutions);
  for (const LabSelection& lab : labs) {
    for (const TaskFile& file : lab.file.tasks) {
      if (file.ladder.case_name.empty() || (!lab.tasks.empty() && lab.tasks.count(file.name) == 0)) continue;
      Ladder& ladder = ladders.emplace_back();
      ladder.lab = &lab;
      ladder.file = &file;
      ladder.task = find_task(*lab.lab, file.name);
      for (const auto kind : {SolutionFile::Kind::kLadder, SolutionFile::Kind::kPeer})
        for (const SolutionFile& each : all)
          if (each.lab == &lab && each.task == file.name && each.kind == kind) ladder.steps.push_back(each);
    }
  }
  return ladders;
}

const CaseFile& case_of(const TaskFile& task, const std::string& name) {
  for (const CaseFile& each : task.cases)
    if (each.name == name) return each;
  throw std::invalid_argument(fmt::format("the task {} has no case named '{}'", task.name, name));
}

std::vector<std::string> cases_to_call(const Ladder& ladder) {
  std::vector<std::string> names = {ladder.file->ladder.case_name};
  std::string odd;
  std::size_t most = 0;
  for (const CaseFile& each : ladder.file->cases) {
    const bool is_for_the_model_alone = each.points == 0 && each.name == ladder.file->speed.modelled_case;
    if (each.group != "check" || each.backend == "gpu" || each.name == names.front() || is_for_the_model_alone)
      continue;
    const auto made = problem_of(ladder, each);
    const auto* const problem = std::get_if<Problem>(&made);
    if (problem == nullptr || !has_odd_size(*problem)) continue;
    std::size_t bytes = 0;
    for (const Array& input : problem->inputs) bytes += input.bytes.size();
    if (bytes <= most) continue;
    most = bytes;
    odd = each.name;
  }
  if (!odd.empty()) names.push_back(odd);
  return names;
}

std::variant<Problem, MissingData> problem_of(const Ladder& ladder, const CaseFile& each) {
  return make_problem(*ladder.task, each, case_seed(kSeed, ladder.lab->file.id, ladder.file->name, each.name));
}

GradeRequest request_for(const Ladder& ladder, const SolutionFile& step, const Workplace& workplace) {
  GradeRequest request;
  request.lab = ladder.lab->lab;
  request.file = &ladder.lab->file;
  request.source = step.source;
  request.key = workplace.installation.solutions / ladder.lab->file.id / "answers.toml";
  request.answers = request.key;
  request.tasks = {ladder.file->name};
  request.seed = kSeed;
  request.may_use_libraries = step.kind == SolutionFile::Kind::kPeer;
  return request;
}

void build_ladders(const std::vector<Ladder>& ladders, const Workplace& workplace, unsigned jobs,
                   const std::function<void(std::size_t done, std::size_t all)>& progress) {
  std::vector<std::pair<const Ladder*, const SolutionFile*>> all;
  for (const Ladder& ladder : ladders)
    for (const SolutionFile& step : ladder.steps) all.emplace_back(&ladder, &step);
  std::atomic<std::size_t> done{0};
  run_in_parallel(all.size(), jobs, [&](std::size_t i) {
    const auto& [ladder, step] = all[i];
    static_cast<void>(build_submission(request_for(*ladder, *step, workplace), workplace.builder, workplace.backend));
    progress(++done, all.size());
  });
}

StepObservation observe_step(const Ladder& ladder, const SolutionFile& step, const Workplace& workplace,
                             const fs::path& problem, const fs::path& scratch) {
  StepObservation seen;
  seen.file = step.source.filename().string();
  const fs::path folder = workplace.installation.solutions / ladder.lab->file.id;
  seen.link = step.source.lexically_relative(folder).string();
  const auto text = read_file(step.source, kLargestSource);
  if (text) seen.source = code_hash(*text);
  if (step.needs_gpu || (text && !workplace.builder.toolchain().lacking_header(*text).empty())) return seen;
  seen.was_run = true;
  seen.trouble = step.trouble;
  if (!seen.trouble.empty()) return seen;

  const GradeRequest request = request_for(ladder, step, workplace);
  const auto verdict = kept_or_graded(request, workplace);
  if (!verdict) {
    seen.trouble = verdict.sentence();
    return seen;
  }
  const TaskVerdict& task = verdict->tasks.front();
  if (task.state != TaskState::kGraded) seen.trouble = task.message.substr(0, task.message.find('\n'));
  for (const CaseVerdict& each : task.cases) {
    if (each.outcome == CaseOutcome::kLeftOut) continue;
    ++seen.cases;
    seen.right += each.outcome == CaseOutcome::kRight ? 1 : 0;
  }
  for (const Finding& finding : task.findings) ++seen.findings[finding.tool];
  seen.classes = task.classes;
  for (std::size_t goal = 0; goal < task.goals.size(); ++goal)
    if (task.goals[goal].points >= task.goals[goal].max_points)
      seen.goals.push_back(goal_name(ladder.file->goals[goal]));
  if (task.speed.is_known) seen.speed_milliseconds = task.speed.time.milliseconds;
  seen.lasting_milliseconds = task.speed.lasting;
  seen.lasting_kernel_milliseconds = task.speed.lasting_kernel;
  if (!seen.trouble.empty()) return seen;

  const auto build = build_submission(request, workplace.builder, workplace.backend);
  if (!build || !build->is_built)
    seen.trouble = build ? "it does not compile" : build.sentence();
  else
    seen.trouble = count_call(build->shared_object, ladder, workplace, problem,
                              scratch / fmt::format("{}.{}.json", ladder.file->name, seen.file), seen);
  return seen;
}

}  // namespace lanewise
