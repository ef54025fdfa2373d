// One process at a time: a lock on a file that the system lets go of, however its owner ends.
#pragma once

#include <filesystem>
#include <string>

#include "harness/lab/failure.h"
#include "harness/runner/descriptor.h"

namespace lanewise {

/// Held from take() to the end of the object. Programs that the owner starts do not inherit it.
class FolderLock {
 public:
  /// Locks `file`, made if it is not there, for what is called `guarded` in sentences. Does not wait: fails if another
  /// has it, naming the process if it said who it is. The file stays when the lock goes: removing it would let two
  /// processes lock two files of the same name.
  static Expected<FolderLock> take(const std::filesystem::path& file, const std::string& guarded);

 private:
  explicit FolderLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace lanewise
