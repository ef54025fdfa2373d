// What students receive of a source tree: labs, and what these are checked with. No solutions, no tests, nothing of the
// instructor's.
#pragma once

#include <string>
#include <vector>

#include "grader/release/archive.h"
#include "grader/release/source_tree.h"

namespace lanewise {

/// The labs that a tree has, by name.
std::vector<std::string> labs_of_tree(const SourceTree& tree);

/// Whether a file goes to students, if its lab does. A list of what goes: what is new in other rooms stays here.
bool is_for_students(const std::string& path);

/// The files of a release with the labs `labs`, by path. README.md and the Makefile are those of
/// grader/release/for_students, and labs/README.md has the chosen labs only. Fails if a file cannot be read, is no
/// regular file, or holds just what a file of solutions/ does: somebody's own work is then not mistaken for a skeleton.
Expected<std::vector<ArchiveFile>> released_files(const SourceTree& tree, const std::vector<std::string>& labs);

/// Those of the released files that are not as in the last commit.
std::vector<std::string> released_changes(const SourceTree& tree, const std::vector<std::string>& labs);

}  // namespace lanewise
