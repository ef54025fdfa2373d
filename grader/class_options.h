// The options that `lanewise grade` and `lanewise regrade` share.
#pragma once

#include <CLI/CLI.hpp>

#include "grader/class_session.h"

namespace lanewise {

/// `options` must outlive the parsing.
void add_class_options(CLI::App& command, ClassOptions& options);

}  // namespace lanewise
