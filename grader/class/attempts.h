// One student's things, split into attempts, with the names under which their files are kept.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/entries.h"
#include "grader/class/known_sources.h"
#include "grader/class/shares.h"

namespace lanewise {

struct KeptFile {
  std::size_t entry = 0;  ///< place in Listing::entries
  std::string target;     ///< relative path with safe names, none of them twice in an attempt, in whatever case
};

struct Attempt {
  std::string came_from;  ///< in the share; empty: it is the share itself
  int number = 0;         ///< as Share::attempt
  std::vector<KeptFile> files;
  std::optional<std::size_t> archive;  ///< place of the entry whose content belongs to it
};

struct Attempts {
  std::vector<Attempt> attempts;
  std::vector<std::string> set_aside;  ///< sentences about the share as a whole
};

/// A folder "attempt_2" is an attempt, and so is every archive; one archive with nothing but answers beside it is one
/// with them. Of the rest *.cu and answers.toml are kept, in their folders; what else there is, is counted in one
/// sentence. Hidden folders are not looked into. A file named as a lab's up to the mark of a copy ("scan-1.cu") gets
/// the lab's name if no other has it.
Attempts attempts_of(const std::vector<Entry>& entries, const std::vector<Part>& parts, const KnownSources& known);

}  // namespace lanewise
