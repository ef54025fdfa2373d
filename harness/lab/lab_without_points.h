// The part of lab.toml that decides what is run and shown: everything but points and comments.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// `file`, a lab.toml, as text with each number of points reduced to whether it is above 0 (without points some things
/// are not run at all). Two files with the same text differ at most in points, comments and layout.
Expected<std::string> lab_without_points(const std::filesystem::path& file);

}  // namespace lanewise
