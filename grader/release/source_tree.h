// The files of a source tree: from git if it is used, otherwise from its folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/release/archive.h"
#include "harness/lab/failure.h"

namespace lanewise {

struct SourceTree {
  std::filesystem::path root;
  std::vector<std::string> files;    ///< relative to the root, by name; with git: those that it tracks
  std::vector<std::string> changed;  ///< those that differ from the last commit
  std::string origin;                ///< "commit 6130dc7", or "its folders" without git
  std::int64_t time = 0;             ///< of the last commit, or of the newest file; seconds since 1970 in UTC
};

/// Fails if there is no such folder, or if git tracks the tree but cannot be queried. Without git, names that begin
/// with a dot and folders named build are skipped.
Expected<SourceTree> read_source_tree(const std::filesystem::path& root);

/// All of them with their content as it is now, solutions and tests included: never for students. Fails if one is gone.
Expected<std::vector<ArchiveFile>> whole_tree(const SourceTree& tree);

}  // namespace lanewise
