// The files and programs, apart from the work itself, that determine a lab's grades, so that they can be kept and
// compared.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/workplace/workplace.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// The existing files of a lab, by their paths in the source tree: "labs/scan/lab.toml", "solutions/scan/answers.toml".
/// `is_timed` adds the files that submissions are timed against on a GPU. What the lab's authors wrote in C++ is
/// compiled into lanewise: see program_versions.
std::map<std::string, std::filesystem::path> graded_files(const Installation& installation, const LabFile& lab,
                                                          bool is_timed);

/// The toolchain's version and the SHA-256 of lanewise, its worker and the CUDA runtime in use; "absent" for what is
/// not there.
std::map<std::string, std::string> program_versions(const Workplace& workplace);

}  // namespace lanewise
