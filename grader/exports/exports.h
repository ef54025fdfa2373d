// All exports of a graded class, into its output folder.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/graded_class.h"

namespace lanewise {

/// Writes, each file whole or not at all:
///   grades.csv, canvas.csv, moodle.csv, junit.xml
///   students/<id>/index.html, <lab>.html, results.json, autolab.json
///   gradescope/setup.sh, run_autograder, README.md
/// Fails at the first file that cannot be written, and before any if a student's or lab's id is none that a file may be
/// named by. Files of an earlier run are replaced; what this run has no place for stays.
std::optional<Failure> write_exports(const GradedClass& graded, const std::filesystem::path& out);

}  // namespace lanewise
