// Folders that results go to: apart from what is graded, and written whole or not at all.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/lab/failure.h"

namespace lanewise {

/// Whether one lies in the other, or is it.
bool do_overlap(const std::filesystem::path& a, const std::filesystem::path& b);

/// Moves the folder `made`, on the same file system, to where `out` is. What was there before goes with it only once
/// the new one is in its place.
std::optional<Failure> put_in_place(const std::filesystem::path& made, const std::filesystem::path& out);

}  // namespace lanewise
