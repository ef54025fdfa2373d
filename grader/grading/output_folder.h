// Output folders: separate from the submissions, and written completely or not at all.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/lab/failure.h"

namespace lanewise {

/// Whether one contains the other, or they are the same.
bool do_overlap(const std::filesystem::path& a, const std::filesystem::path& b);

/// Moves the folder `made`, on the same file system, to `out`. What was there before is removed only once the new
/// folder is in place.
std::optional<Failure> put_in_place(const std::filesystem::path& made, const std::filesystem::path& out);

}  // namespace lanewise
