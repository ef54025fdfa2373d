// modelled.toml of a lab's solutions: how long each step takes in the virtual GPU's model, written by `lanewise bench`.
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
  std::string bound_by;            ///< limit of the whole call: "memory", "launches", ...
  double scored = 0;               ///< nanoseconds scored for *fast*; 0: none
  std::vector<std::string> goals;  ///< the lab's goals that it meets, by goal_name
};

/// The steps and peers of one task at the case of its ladder.
struct ModelledTask {
  std::string name;
  std::string case_name;
  std::string profile;   ///< "h200"
  std::string compiler;  ///< "nvcc 13.0.88": another version generates other instructions
  std::vector<ModelledStep> steps;
  std::string scored_case;  ///< the case of ModelledStep::scored; may be empty
};

/// Identifies a goal within its task: "l2_sectors, degree 4".
std::string goal_name(const GoalFile& goal);

/// No tasks if there is no such file.
Expected<std::vector<ModelledTask>> read_modelled(const std::filesystem::path& file);

/// The text that read_modelled reads.
std::string modelled_text(const std::vector<ModelledTask>& tasks);

/// The task of that name, or null.
const ModelledTask* find_modelled(const std::vector<ModelledTask>& tasks, const std::string& name);

/// `tasks` with the one of the same name replaced, or the new one appended.
std::vector<ModelledTask> with_modelled(std::vector<ModelledTask> tasks, const ModelledTask& task);

}  // namespace lanewise
