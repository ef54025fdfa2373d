// The commands that call each step of the ladders once, for use with a profiler or a sanitizer.
#pragma once

#include <filesystem>
#include <vector>

#include "grader/bench/ladder_steps.h"

namespace lanewise {

struct CallList {
  std::vector<std::filesystem::path> not_compiled;  ///< steps and peers left out for that reason
};

/// Writes `folder`/calls: a line for each step and peer that can run on the workplace's backend, with its name, a tab,
/// and a command that calls it with the cases of cases_to_call(), which are stored beside the file.
Expected<CallList> write_call_list(const std::vector<Ladder>& ladders, const Workplace& workplace,
                                   const std::filesystem::path& folder);

}  // namespace lanewise
