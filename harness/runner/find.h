// Finds what a command line refers to: labs and tasks by name, and the file of a submission.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// A lab with those of its tasks that were selected; an empty set means all.
struct LabSelection {
  const Lab* lab = nullptr;
  LabFile file;
  std::set<std::string> tasks;
};

/// Reads `<id>/lab.toml` of `folder` for every lab that has a folder there and compares it with lab.cpp. Finding no lab
/// is a failure. `labs` must outlive the result.
Expected<std::vector<LabSelection>> read_labs(const std::vector<Lab>& labs, const std::filesystem::path& folder);

/// The labs and tasks called `names`; all of them if there are no names. The failure names the unknown name and the
/// known ones.
Expected<std::vector<LabSelection>> select_labs(const std::vector<LabSelection>& all,
                                                const std::vector<std::string>& names);

/// The one of `labs` whose folder `place` is, or is in.
std::optional<LabSelection> lab_around(const std::vector<LabSelection>& labs, const std::filesystem::path& place);

/// The `labs` that `submission` is for, if none was named: by the name of the file, or of the files in the folder.
Expected<std::vector<LabSelection>> labs_of_submission(const std::vector<LabSelection>& labs,
                                                       const std::filesystem::path& submission);

/// The .cu of one lab's submission: the file itself; or for a folder, the file with the skeleton's name in it or in a
/// subfolder named after the lab, otherwise its only .cu. Without a submission, the student's own file in labs/.
Expected<std::filesystem::path> find_source(const LabFile& lab, const std::optional<std::filesystem::path>& submission);

}  // namespace lanewise
