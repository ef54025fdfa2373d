// What a compiler read beside the source it was given, remembered so that a change is noticed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanewise {

/// Writes `list`: the hash of each of `files`. A file that was written since `started` may have been read in another
/// state, and counts as changed from the first. False if the list cannot be written.
bool remember_files(const std::filesystem::path& list, const std::vector<std::filesystem::path>& files,
                    std::filesystem::file_time_type started);

/// Whether every file in `list` still holds what it held. False without a list.
bool are_unchanged(const std::filesystem::path& list);

/// Those of `files` that lie in none of `folders`.
std::vector<std::filesystem::path> files_outside(const std::vector<std::filesystem::path>& files,
                                                 const std::vector<std::filesystem::path>& folders);

}  // namespace lanewise
