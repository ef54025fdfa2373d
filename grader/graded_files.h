// The files and programs that decide grades of a lab beside the work itself, so that they can be kept and compared.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/workplace.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// Files of a lab that are there, by the paths that they have in the source tree: "labs/scan/lab.toml",
/// "solutions/scan/answers.toml". `is_timed` adds what submissions are timed against on a GPU. What the lab's authors
/// wrote in C++ is compiled into lanewise: see program_versions.
std::map<std::string, std::filesystem::path> graded_files(const Installation& installation, const LabFile& lab,
                                                          bool is_timed);

/// nvcc's version and the SHA-256 of lanewise, its worker and the CUDA runtime in use; "absent" for what is not there.
std::map<std::string, std::string> program_versions(const Workplace& workplace);

}  // namespace lanewise
