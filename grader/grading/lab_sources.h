// Which of a student's files is meant for which lab.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/runner/find.h"

namespace lanewise {

/// What one attempt holds for one lab.
struct LabSource {
  const LabSelection* lab = nullptr;
  std::filesystem::path source;   ///< the .cu
  std::filesystem::path answers;  ///< beside it, or at the top; need not exist
  std::int64_t handed_in = 0;     ///< seconds since 1970 in UTC, by the file's time; 0: unknown
};

struct LabSources {
  std::vector<LabSource> sources;
  std::vector<std::string> doubts;  ///< sentences: what is unclear
};

/// Looks through the copy of a submission (HandIn::folder). A file is for the lab whose skeleton it is named after, in
/// any folder; of several, the one in a folder named after the lab. If `labs` is one lab, a single file of any name is
/// for it. `labs` must outlive the result.
LabSources find_lab_sources(const std::vector<LabSelection>& labs, const std::filesystem::path& folder);

}  // namespace lanewise
