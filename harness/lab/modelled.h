// modelled.toml of a lab's solutions: how long the virtual GPU's model takes each step to last, as `lanewise bench`
// wrote it there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

struct ModelledStep {
  std::string step;                ///< file name: "1_naive.cu"
  double nanoseconds = 0;          ///< of the whole call
  double at_scale = 0;             ///< nanoseconds per part of a call that is 256 times as large
  std::string bound_by;            ///< of the whole call: "memory", "launches", ...
  double scored = 0;               ///< nanoseconds that its points of *fast* are for; 0: it has none
  std::vector<std::string> goals;  ///< of the lab's, those that it meets, by goal_name
};

/// The steps and peers of one task at the case of its ladder.
struct ModelledTask {
  std::string name;
  std::string case_name;
  std::string profile;   ///< "h200"
  std::string compiler;  ///< nvcc's version, "13.0.88": another one makes other instructions
  std::vector<ModelledStep> steps;
  std::string scored_case;  ///< that ModelledStep::scored is of; may be empty
};

/// What tells a goal from the others of its task: "l2_sectors, degree 4".
std::string goal_name(const GoalFile& goal);

/// No tasks if there is no such file.
Expected<std::vector<ModelledTask>> read_modelled(const std::filesystem::path& file);

/// What read_modelled reads.
std::string modelled_text(const std::vector<ModelledTask>& tasks);

/// The task of that name, or null.
const ModelledTask* find_modelled(const std::vector<ModelledTask>& tasks, const std::string& name);

/// `tasks` with the one of the same name replaced, or with one more.
std::vector<ModelledTask> with_modelled(std::vector<ModelledTask> tasks, const ModelledTask& task);

}  // namespace lanewise
