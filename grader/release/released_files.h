// What students receive: labs, and the programs that check them, as binaries or as sources. No solutions, no tests,
// none of the instructor's commands.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/release/archive.h"
#include "grader/release/source_tree.h"

namespace lanewise {

enum class ReleaseForm : std::uint8_t {
  kPrograms,  ///< students build only their own code
  kSources,   ///< students build the programs themselves
};

/// The labs that a tree has, by name.
std::vector<std::string> labs_of_tree(const SourceTree& tree);

/// Whether a file is released to students, if its lab is. This is an allow-list: new files elsewhere are not released.
bool is_for_students(const std::string& path, ReleaseForm form);

/// The files of a release with the labs `labs`, by path. README.md and the Makefile are those of
/// grader/release/for_students, and labs/README.md has only the chosen labs. Fails if a file cannot be read, is not a
/// regular file, or is identical to a file in solutions/, so that somebody's own work is not mistaken for a skeleton.
Expected<std::vector<ArchiveFile>> released_files(const SourceTree& tree, const std::vector<std::string>& labs,
                                                  ReleaseForm form);

/// The programs of a release, from where they were built or installed. Students' `lanewise` can check, restore,
/// compile, run and show data.
Expected<std::vector<ArchiveFile>> released_programs(const std::filesystem::path& programs);

/// A source of the released programs that was changed after they were built; `finished` was written right after that.
std::optional<std::string> newer_source(const SourceTree& tree, const std::filesystem::path& finished);

/// The released files that differ from the last commit.
std::vector<std::string> released_changes(const SourceTree& tree, const std::vector<std::string>& labs,
                                          ReleaseForm form);

}  // namespace lanewise
