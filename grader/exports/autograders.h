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

/// The files for the platform: those in autograders/ that are for all, and its own. A lab id with anything but letters,
/// digits, '_' and '-' is left out, because it becomes a part of a shell script. The caller adds two more files:
/// lanewise.tar.gz, the source tree, and Autolab's autograde.tar, which holds run_autograder.
std::vector<AutograderFile> autograder_files(const Autograder& autograder);

/// Writes these files into `folder`.
std::optional<Failure> write_autograder(const Autograder& autograder, const std::filesystem::path& folder);

}  // namespace lanewise
