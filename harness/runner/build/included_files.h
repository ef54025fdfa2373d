// Records which files a compiler read besides the source, so that changes are noticed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanewise {

/// Writes `list`: the hash of each of `files`. A file written since `started` may have been read in another state, and
/// counts as changed from the start. False if the list cannot be written.
bool remember_files(const std::filesystem::path& list, const std::vector<std::filesystem::path>& files,
                    std::filesystem::file_time_type started);

/// Whether every file in `list` is unchanged. False without a list.
bool are_unchanged(const std::filesystem::path& list);

/// Those of `files` that are in none of `folders`.
std::vector<std::filesystem::path> files_outside(const std::vector<std::filesystem::path>& files,
                                                 const std::vector<std::filesystem::path>& folders);

}  // namespace lanewise
