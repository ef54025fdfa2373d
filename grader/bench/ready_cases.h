// The cases that a ladder is timed on, prepared ahead: in a file to be passed to a process, and with expected outputs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/bench/ladder_steps.h"
#include "harness/lab/measured.h"

namespace lanewise {

/// What to time, by the groups of measured.toml.
struct TimedParts {
  bool race = true;
  bool ladder_case = true;
  bool scaling = true;
};

struct ReadyCase {
  std::string group;  ///< of measured.toml
  std::string name;   ///< of the case, or of the one that was scaled
  double size = 0;    ///< of the scaled parameters; otherwise 0
  Problem problem;
  std::vector<Array> expected;  ///< by the task's oracle
  std::filesystem::path file;   ///< see problem_file.h; removed by the last user
  std::string trouble;          ///< why it could not be generated; the rest is then empty
};

/// "race", or "race, n = 65536"
std::string title_of(const ReadyCase& ready, const TaskFile& task);

/// Generates every case of `parts`, several at a time: race cases (those of `race_group`) first, sizes from small to
/// large last. Files are written to `scratch`, named after the task.
std::vector<ReadyCase> make_ready(const Ladder& ladder, const TimedParts& parts, const std::string& race_group,
                                  const std::filesystem::path& scratch);

/// Whether a step is timed on such a case: the last step, the reference and peers at all sizes, the others at none.
bool is_timed_at(const Ladder& ladder, const SolutionFile& step, const std::string& group);

}  // namespace lanewise
