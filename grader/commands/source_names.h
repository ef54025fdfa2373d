// A run's report in the words of the program's source.
#pragma once

#include <string>

#include "harness/runner/installation.h"

namespace lanewise {

/// The report with lines for findings on host calls, and the program's variables for "allocation#3", as far as the
/// program has debug information and its source can be read; otherwise as it was.
std::string with_source_names(std::string report, const Installation& installation);

}  // namespace lanewise
