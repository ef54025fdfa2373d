// speed.toml first, modelled.toml for what is missing there.
#include "grader/board/modelled_marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/modelled.h"
#include "harness/lab/speed_file.h"
#include "harness/runner/verdict/speed.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::optional<Failure> add_steps(const LabFile& lab, const SpeedMarks& marks, const fs::path& solutions,
                                 BoardCase& each) {
  const auto modelled = read_modelled(solutions / lab.id / "modelled.toml");
  if (!modelled) return modelled.failure();
  const ModelledTask* const task = find_modelled(*modelled, marks.task);
  if (task == nullptr || task->scored_case != marks.case_name || task->profile != lab.profile ||
      toolchain_of(task->compiler) != toolchain_of(marks.compiler))
    return std::nullopt;
  for (const ModelledStep& step : task->steps) {
    if (step.step == marks.baseline || step.step == marks.reference || !(step.scored > 0)) continue;
    const bool is_peer = step.step.rfind("library_", 0) == 0;
    each.marks.push_back({is_peer ? MarkKind::kPeer : MarkKind::kStep, step.step, step.scored / marks.reference_ns});
  }
  return std::nullopt;
}

Expected<BoardCase> modelled_case(const CompetitionTask& task, const LabFile& lab, const fs::path& solutions,
                                  const std::string& toolchain) {
  const auto found = std::find_if(lab.tasks.begin(), lab.tasks.end(),
                                  [&task](const TaskFile& each) { return each.name == task.task; });
  if (task.modelled_case.empty()) return Failure{fmt::format("{}: {}", task.task, kNotModelled)};
  const auto all = read_speed_marks(lab.folder);
  if (!all) return all.failure();
  const SpeedMarks* const marks = find_marks(*all, lab, *found, toolchain);
  if (marks == nullptr)
    return Failure{
        fmt::format("{}: the lab's speed.toml has no modelled time for its reference; 'lanewise bench {}' writes it",
                    task.task, task.task)};
  BoardCase each{lab.id, task.task, marks->case_name, "", marks->reference_ns / 1e6, {}};
  each.marks = {{MarkKind::kNaive, marks->baseline, marks->baseline_ns / marks->reference_ns},
                {MarkKind::kReference, marks->reference, 1}};
  if (auto failure = add_steps(lab, *marks, solutions, each)) return *failure;
  sort_marks(each.marks);
  return each;
}

}  // namespace

Expected<std::vector<BoardCase>> modelled_cases(const Competition& competition, const std::vector<LabSelection>& labs,
                                                const fs::path& solutions, const std::string& toolchain) {
  std::vector<BoardCase> cases;
  for (const CompetitionTask& task : competition.tasks)
    for (const LabSelection& lab : labs) {
      if (lab.file.id != task.lab) continue;
      auto each = modelled_case(task, lab.file, solutions, toolchain);
      if (!each) return each.failure();
      cases.push_back(std::move(*each));
    }
  return cases;
}

}  // namespace lanewise
