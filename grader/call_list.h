// The commands that call each step of the ladders once, for whoever follows them with a profiler or a sanitizer.
#pragma once

#include <filesystem>
#include <vector>

#include "grader/ladder_steps.h"

namespace lanewise {

struct CallList {
  std::vector<std::filesystem::path> not_compiled;  ///< steps and peers that are left out for that
};

/// Writes `folder`/calls: a line for each step and peer that can run on the workplace's backend, made of its name, a
/// tab, and a command that calls it with the cases of cases_to_call(), which lie beside the file.
Expected<CallList> write_call_list(const std::vector<Ladder>& ladders, const Workplace& workplace,
                                   const std::filesystem::path& folder);

}  // namespace lanewise
