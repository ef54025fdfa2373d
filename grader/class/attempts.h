// One student's files, split into attempts, with the names under which they are kept.
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
  std::size_t entry = 0;  ///< index into Listing::entries
  std::string target;     ///< relative path with safe names, unique within an attempt, ignoring case
};

struct Attempt {
  std::string came_from;  ///< in the share; empty: it is the share itself
  int number = 0;         ///< as Share::attempt
  std::vector<KeptFile> files;
  std::optional<std::size_t> archive;  ///< index of the entry whose content belongs to it
};

struct Attempts {
  std::vector<Attempt> attempts;
  std::vector<std::string> set_aside;  ///< sentences about the share as a whole
};

/// A folder "attempt_2" is an attempt, and so is every archive; a single archive with nothing but answers beside it
/// forms one attempt with them. Otherwise *.cu and answers.toml are kept, in their folders; all other files are counted
/// in one sentence. Hidden folders are not searched. A file named like a lab's apart from a copy mark ("scan-1.cu")
/// gets the lab's name if no other file has it.
Attempts attempts_of(const std::vector<Entry>& entries, const std::vector<Part>& parts, const KnownSources& known);

}  // namespace lanewise
