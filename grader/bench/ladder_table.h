// The table of a task's ladder in solutions/<lab>/README.md: observations as Markdown.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/counters.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/measured.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// What the virtual GPU observes of one step or peer.
struct StepObservation {
  std::string file;                        ///< "1_naive.cu"
  std::string link;                        ///< from the README to it: "blur/1_naive.cu"
  std::string source;                      ///< its code_hash
  bool was_run = false;                    ///< false for a peer that needs an NVIDIA GPU
  std::string trouble;                     ///< why it could not be judged or counted; empty if it could
  int right = 0;                           ///< check cases
  int cases = 0;                           ///< that were run
  std::map<std::string, int> findings;     ///< how many, by tool
  CounterSums counters;                    ///< of the ladder's case
  ModelledTime modelled;                   ///< likewise; empty if the virtual GPU does not model it
  ClassTable classes;                      ///< of the check cases
  double speed_milliseconds = 0;           ///< modelled time that [task.speed] scores; 0: none
  double lasting_milliseconds = 0;         ///< SpeedVerdict::lasting
  double lasting_kernel_milliseconds = 0;  ///< likewise
  std::vector<std::string> goals;          ///< those that it meets, by goal_name
};

/// How the observations were made.
struct LadderSetting {
  std::string task;
  std::string case_name;
  std::string sizes;     ///< "n = 2000000"
  std::string profile;   ///< "h200"
  std::string compiler;  ///< "nvcc 13.0.88"
};

/// The name of the section that contains a task's table.
std::string section_name(const std::string& task);

/// The section's text. `measured` is null if the task has not been timed on a GPU. The columns of times are the race
/// cases of `file`.
std::string ladder_table(const TaskFile& file, const LadderSetting& setting, const std::vector<StepObservation>& steps,
                         const MeasuredTask* measured);

/// "nvcc 13.0.88" of a section that ladder_table wrote; nothing if it does not say.
std::optional<std::string> compiler_of_section(const std::string& section);

}  // namespace lanewise
