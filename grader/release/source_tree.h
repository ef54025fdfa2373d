// Which files a source tree has: by git where there is git, else by its folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

struct SourceTree {
  std::filesystem::path root;
  std::vector<std::string> files;    ///< relative to the root, by name; with git: those that it keeps
  std::vector<std::string> changed;  ///< of them: not as in the last commit
  std::string origin;                ///< "commit 6130dc7", or "its folders" without git
  std::int64_t time = 0;             ///< of the last commit, or of the newest file; seconds since 1970 in UTC
};

/// Fails if there is no such folder, or if git has the tree and cannot be asked. Without git, what begins with a dot
/// and folders named build are passed over.
Expected<SourceTree> read_source_tree(const std::filesystem::path& root);

}  // namespace lanewise
