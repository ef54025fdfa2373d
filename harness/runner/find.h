// Finds what a command line means: labs and tasks by name, and the file of a submission.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// A lab with the tasks of it that are meant; no task named means all.
struct LabSelection {
  const Lab* lab = nullptr;
  LabFile file;
  std::set<std::string> tasks;
};

/// Reads `<id>/lab.toml` of `folder` for every lab that has a folder there and holds it against lab.cpp. Not one lab is
/// a failure. `labs` must outlive the result.
Expected<std::vector<LabSelection>> read_labs(const std::vector<Lab>& labs, const std::filesystem::path& folder);

/// The labs and tasks called `names`; all of them if there are no names. The failure names what is not known and what
/// is.
Expected<std::vector<LabSelection>> select_labs(const std::vector<LabSelection>& all,
                                                const std::vector<std::string>& names);

/// Keeps of `labs` those that `submission` is for, when no lab was named: by the name of the file, or the files in the
/// folder.
Expected<std::vector<LabSelection>> labs_of_submission(const std::vector<LabSelection>& labs,
                                                       const std::filesystem::path& submission);

/// The .cu of one lab's submission: the file itself; or in a folder the file named as the skeleton, in it or in a
/// folder named as the lab, else the only .cu there is. Without a submission the student's own file in labs/.
Expected<std::filesystem::path> find_source(const LabFile& lab, const std::optional<std::filesystem::path>& submission);

}  // namespace lanewise
