// The options that `lanewise grade` and `lanewise regrade` share.
#pragma once

#include <CLI/CLI.hpp>

#include "grader/grading/class_session.h"

namespace lanewise {

/// `out_help` says which folder --out names. `options` must outlive the parsing.
void add_class_options(CLI::App& command, ClassOptions& options, const char* out_help);

}  // namespace lanewise
