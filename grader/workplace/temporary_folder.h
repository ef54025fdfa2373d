// A private folder that is removed with the run.
#pragma once

#include <filesystem>

#include "harness/lab/failure.h"

namespace lanewise {

class TemporaryFolder {
 public:
  /// A new, empty folder that nobody else can read, in TMPDIR (/tmp if it is not set).
  static Expected<TemporaryFolder> create();
  /// The same inside `parent`, which must exist.
  static Expected<TemporaryFolder> create_in(const std::filesystem::path& parent);

  /// Removes the folder and all that is in it.
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty once moved from
};

}  // namespace lanewise
