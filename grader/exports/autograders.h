// Complete autograders for the platforms that courses submit through.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

struct Autograder {
  std::string platform;           ///< a name in platform_formats()
  std::vector<std::string> labs;  ///< ids
  std::string cases;              ///< "check" or "grade"
  std::uint64_t seed = 0;
};

struct AutograderFile {
  std::string path;  ///< relative, with '/' between parts
  std::string content;
  bool is_executable = false;
};

/// What the platform is given: the files in autograders/ that are for all, and those of its own. An invalid lab id
/// (anything but letters, digits, '_' and '-') is left out, because the text becomes a shell script. Two things are for
/// the caller to add: lanewise.tar.gz, the tree that graded, and Autolab's autograde.tar, which holds run_autograder.
std::vector<AutograderFile> autograder_files(const Autograder& autograder);

/// Writes these files into `folder`.
std::optional<Failure> write_autograder(const Autograder& autograder, const std::filesystem::path& folder);

}  // namespace lanewise
