// Picks the baseline's and the reference's modelled times.
#include "grader/bench/speed_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grader/workplace/workplace.h"
#include "harness/lab/time_text.h"
#include "harness/runner/verdict/speed.h"

namespace lanewise {
namespace {

double modelled_ns(const std::string& file, const std::vector<StepObservation>& steps) {
  for (const StepObservation& step : steps)
    if (step.file == file) return step.speed_milliseconds * 1e6;
  return 0;
}

bool has_step(const std::string& file, const std::vector<StepObservation>& steps) {
  return std::any_of(steps.begin(), steps.end(), [&file](const StepObservation& step) { return step.file == file; });
}

}  // namespace

Expected<SpeedMarks> speed_marks_of(const Ladder& ladder, const std::vector<StepObservation>& steps,
                                    const std::string& compiler) {
  const TaskFile& task = *ladder.file;
  SpeedMarks marks{task.name, task.speed.modelled_case, task.baseline, task.reference, compiler};
  marks.baseline_ns = modelled_ns(task.baseline, steps);
  marks.reference_ns = modelled_ns(task.reference, steps);
  for (const StepObservation& step : steps) {
    if (!(step.speed_milliseconds > 0) || step.speed_milliseconds * 1e6 > marks.reference_ns) continue;
    marks.lasting_ns = std::max(marks.lasting_ns, step.lasting_milliseconds * 1e6);
    marks.lasting_kernel_ns = std::max(marks.lasting_kernel_ns, step.lasting_kernel_milliseconds * 1e6);
  }
  for (const auto& [name, nanoseconds] :
       {std::pair(task.baseline, marks.baseline_ns), std::pair(task.reference, marks.reference_ns)})
    if (!(nanoseconds > 0))
      return Failure{fmt::format("{}: there is no modelled time for {} in the case '{}'", task.name, name,
                                 task.speed.modelled_case)};
  if (marks.baseline_ns <= kFullSpeedRatio * marks.reference_ns)
    return Failure{fmt::format(
        "{}: in the case '{}', {} ({}) is modelled as no slower than {} times {} ({}): choose another for [task.speed]",
        task.name, task.speed.modelled_case, task.baseline, time_text(marks.baseline_ns / 1e6), kFullSpeedRatio,
        task.reference, time_text(marks.reference_ns / 1e6))};
  return marks;
}

SpeedMarksFile with_marks(SpeedMarksFile file, const LabFile& lab, const SpeedMarks& marks) {
  const std::vector<SpeedMarks> before = std::move(file.tasks);
  file.tasks.clear();
  for (const TaskFile& task : lab.tasks) {
    bool is_replaced = task.name != marks.task;
    for (const SpeedMarks& known : before) {
      if (known.task != task.name || !(task.points.fast > 0)) continue;
      const bool is_same = known.task == marks.task && toolchain_of(known.compiler) == toolchain_of(marks.compiler);
      file.tasks.push_back(is_same ? marks : known);
      is_replaced |= is_same;
    }
    if (!is_replaced) file.tasks.push_back(marks);
  }
  return file;
}

SpeedMarksUpdate update_speed_marks(const LabFile& lab, const std::vector<ObservedLadder>& ladders,
                                    const std::string& compiler, bool only_look) {
  SpeedMarksUpdate update;
  const auto before = read_speed_marks(lab.folder);
  if (!before) {
    update.troubles.push_back(before.sentence());
    return update;
  }
  SpeedMarksFile after = *before;
  for (const ObservedLadder& each : ladders) {
    const TaskFile& task = *each.ladder->file;
    const bool has_both = has_step(task.baseline, *each.steps) && has_step(task.reference, *each.steps);
    if (!(task.points.fast > 0) || task.speed.modelled_case.empty() || !has_both) continue;
    const SpeedMarks* const known = find_marks(*before, lab, task, toolchain_of(compiler));
    const bool is_known = known != nullptr && toolchain_of(known->compiler) == toolchain_of(compiler);
    if (only_look && is_known && known->compiler != compiler) continue;
    const auto marks = speed_marks_of(*each.ladder, *each.steps, compiler);
    if (!marks) {
      update.troubles.push_back(marks.sentence());
      continue;
    }
    after = with_marks(std::move(after), lab, *marks);
    after.profile = lab.profile;
  }
  update.is_changed = speed_marks_text(after) != speed_marks_text(*before);
  if (update.is_changed && !only_look)
    if (const auto failure = write_report(lab.folder / "speed.toml", speed_marks_text(after)))
      update.troubles.push_back(failure->sentence);
  return update;
}

}  // namespace lanewise
