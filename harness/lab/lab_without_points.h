// What of lab.toml decides what is run and seen: all but points and comments.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// `file`, a lab.toml, as text in which each number of points only says whether it is more than 0: without points some
/// things are not run at all. Two files for which this is the same differ in points, comments and layout at most.
Expected<std::string> lab_without_points(const std::filesystem::path& file);

}  // namespace lanewise
