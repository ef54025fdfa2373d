// What a submission is timed against on a GPU: the naive step, reference and library peer of its task.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "harness/lab/lab_file.h"
#include "harness/runner/build/builder.h"
#include "harness/runner/descriptor.h"
#include "harness/runner/timing/timing.h"

namespace lanewise {

/// One file of solutions/ and the part it plays.
struct Rival {
  TimedRole role = TimedRole::kPeer;
  std::filesystem::path source;
};

/// The folder of a task's ladder: `solutions/<lab>/<task>/`, or `solutions/<lab>/` itself for the only task of a lab if
/// it has no folder of its own.
std::filesystem::path ladder_folder(const std::filesystem::path& solutions, const LabFile& lab, const TaskFile& task);

/// The baseline, the reference and the first library peer, those that exist.
std::vector<Rival> find_rivals(const std::filesystem::path& solutions, const LabFile& lab, const TaskFile& task);

/// Builds rivals in the background, all at once, starting on construction.
class RivalBuilds {
 public:
  RivalBuilds(const Builder& builder, const LabFile& lab, const std::string& architecture, std::vector<Rival> rivals);

  /// Waits for all of them. Those that do not build are left out.
  const std::vector<TimedEntry>& entries();

 private:
  std::vector<Rival> rivals_;
  std::vector<std::future<Expected<Build>>> builds_;  ///< until they are waited for
  std::vector<TimedEntry> entries_;
};

/// Held during timing: only one process at a time, among all that share this folder.
class TimingLock {
 public:
  /// Waits until nobody else holds it. Holds nothing if `folder` cannot be written to.
  explicit TimingLock(const std::filesystem::path& folder);

 private:
  Descriptor file_;
};

}  // namespace lanewise
