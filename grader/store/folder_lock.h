// One process at a time: a lock on a file that the system releases however its owner ends.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/failure.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

/// Held from take() until the object is destroyed. Programs that the owner starts do not inherit it.
class FolderLock {
 public:
  /// Locks `file`, created if missing, for what messages call `guarded`. Does not wait: fails if another process has
  /// it, and names that process if it is known. The file remains when the lock is released: removing it would let two
  /// processes lock two files of the same name.
  static Expected<FolderLock> take(const std::filesystem::path& file, const std::string& guarded);

 private:
  explicit FolderLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace lanewise
