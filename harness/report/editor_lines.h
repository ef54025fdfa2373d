// A verdict as lines that editors know how to read, so that each problem shows at its place in the source.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

/// One line a problem, "FILE:LINE:1: error: what is wrong, and what to do", or "warning" for what could be better:
/// compile errors, findings, failing cases and goals that are missed. What has no line of its own is shown at the
/// task's function in `source`, or in line 1. `file` is the submission's path as lines are to name it; places in other
/// files are named beside it. Text from the submission is made harmless.
std::string editor_lines(const Verdict& verdict, const std::filesystem::path& file, const std::string& source);

}  // namespace lanewise
