// Source files as entries of one measurement, at a size of the lab vecadd that is in no lab.toml.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/workplace/workplace.h"
#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/runner/timing/timing.h"

namespace lanewise {

/// The task of all files that are timed here.
inline constexpr const char* kTimedTask = "vec_add_device";

struct TimedFile {
  TimedRole role = TimedRole::kPeer;
  std::filesystem::path source;
};

class FileTimer {
 public:
  /// The failure says what is missing.
  static Expected<FileTimer> create(BackendChoice choice);

  /// Builds a file, or uses an existing build.
  Expected<Build> build(const std::filesystem::path& source) const;

  /// Times `files` together on vectors of `elements` numbers, for about as long as `most` says. The result's entries
  /// are in the order of `files`. A failure says which file cannot be built, or why nothing can be timed.
  Expected<TimingResult> time(const std::vector<TimedFile>& files, std::int64_t elements, std::uint64_t seed,
                              std::chrono::milliseconds most) const;

  const Workplace& workplace() const { return workplace_; }
  const LabFile& lab_file() const { return lab_file_; }

 private:
  FileTimer(Workplace workplace, LabFile lab_file, Task task);

  Workplace workplace_;
  LabFile lab_file_;
  Task task_;
};

}  // namespace lanewise
