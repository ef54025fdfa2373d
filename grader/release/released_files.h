// What students receive: labs, and what these are checked with, as programs or as sources. No solutions, no tests,
// nothing of the instructor's.
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
  kPrograms,  ///< nothing needs to be built but what students write
  kSources,   ///< students build the programs themselves
};

/// The labs that a tree has, by name.
std::vector<std::string> labs_of_tree(const SourceTree& tree);

/// Whether a file goes to students, if its lab does. A list of what goes: what is new in other rooms stays here.
bool is_for_students(const std::string& path, ReleaseForm form);

/// The files of a release with the labs `labs`, by path. README.md and the Makefile are those of
/// grader/release/for_students, and labs/README.md has the chosen labs only. Fails if a file cannot be read, is no
/// regular file, or holds just what a file of solutions/ does: somebody's own work is then not mistaken for a skeleton.
Expected<std::vector<ArchiveFile>> released_files(const SourceTree& tree, const std::vector<std::string>& labs,
                                                  ReleaseForm form);

/// The programs of a release, from where they were built or installed. Students' `lanewise` can check, run and show
/// data.
Expected<std::vector<ArchiveFile>> released_programs(const std::filesystem::path& programs);

/// A source of the released programs that was changed after they were built, which `finished` was written after.
std::optional<std::string> newer_source(const SourceTree& tree, const std::filesystem::path& finished);

/// Those of the released files that are not as in the last commit.
std::vector<std::string> released_changes(const SourceTree& tree, const std::vector<std::string>& labs,
                                          ReleaseForm form);

}  // namespace lanewise
