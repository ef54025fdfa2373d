// A complete autograder for Gradescope that grades as the class was graded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/class/graded_class.h"

namespace lanewise {

/// gradescope/run_autograder: `lanewise check` for the labs, cases and seed of the class. An invalid lab id (anything
/// but letters, digits, '_' and '-') is left out, because the text becomes a shell script.
std::string gradescope_run(const GradedClass& graded);

/// Writes setup.sh, run_autograder and README.md into `folder`; the first two are executable.
std::optional<Failure> write_gradescope(const GradedClass& graded, const std::filesystem::path& folder);

}  // namespace lanewise
