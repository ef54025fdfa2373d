// All exports of a graded class, into its output folder.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/class/graded_class.h"

namespace lanewise {

/// Writes the following, each file completely or not at all:
///   grades.csv, canvas.csv, moodle.csv, junit.xml, ags/<lab>.json
///   students/<id>/index.html, <lab>.html, results.json, autolab.json
///   gradescope/setup.sh, run_autograder, README.md
/// Fails at the first file that cannot be written, and before writing any if the id of a student or lab cannot be a
/// file name. Files from an earlier run are replaced; those that this run does not write stay.
std::optional<Failure> write_exports(const GradedClass& graded, const std::filesystem::path& out);

}  // namespace lanewise
