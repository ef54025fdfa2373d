// Finds, builds and locks; timing itself is timing.cpp's.
#include "harness/runner/timing/rivals.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// "library_cub.cu" before "library_thrust.cu".
fs::path first_library(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".cu" && entry.path().filename().string().rfind("library_", 0) == 0)
      all.push_back(entry.path());
  const auto first = std::min_element(all.begin(), all.end());
  return first != all.end() ? *first : fs::path();
}

}  // namespace

fs::path ladder_folder(const fs::path& solutions, const LabFile& lab, const TaskFile& task) {
  fs::path own = solutions / lab.id / task.name;
  std::error_code error;
  return lab.tasks.size() == 1 && !fs::exists(own, error) ? solutions / lab.id : own;
}

std::vector<Rival> find_rivals(const fs::path& solutions, const LabFile& lab, const TaskFile& task) {
  const fs::path folder = ladder_folder(solutions, lab, task);
  std::vector<Rival> rivals;
  std::error_code error;
  const auto add = [&](TimedRole role, const fs::path& source) {
    if (fs::is_regular_file(source, error)) rivals.push_back({role, source});
  };
  if (!task.baseline.empty()) add(TimedRole::kBaseline, folder / task.baseline);
  if (!task.reference.empty()) add(TimedRole::kReference, folder / task.reference);
  add(TimedRole::kPeer, first_library(folder));
  return rivals;
}

RivalBuilds::RivalBuilds(const Builder& builder, const LabFile& lab, const std::string& architecture,
                         std::vector<Rival> rivals)
    : rivals_(std::move(rivals)) {
  for (const Rival& rival : rivals_)
    builds_.push_back(std::async(std::launch::async, [&builder, &lab, architecture, source = rival.source] {
      return builder.build(lab, source, architecture);
    }));
}

const std::vector<TimedEntry>& RivalBuilds::entries() {
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    const auto build = builds_[i].get();
    if (build && build->is_built)
      entries_.push_back({rivals_[i].role, rivals_[i].source.filename().string(), build->shared_object});
  }
  builds_.clear();
  return entries_;
}

TimingLock::TimingLock(const fs::path& folder) {
  // Machines may share the folder, but not their GPUs.
  const auto machine = read_file("/proc/sys/kernel/random/boot_id", 64);
  const std::string name = "timing-" + (machine ? machine->substr(0, 8) : "") + ".lock";
  file_.reset(open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  // Released when the file is closed, however this process ends.
  while (file_ && flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace lanewise
