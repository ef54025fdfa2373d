// Folders under /sys/fs/cgroup, in the hierarchy of this process: who made a group may set its limits and remove it.
#include "grader/sandbox/control_groups.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRoot = "/sys/fs/cgroup";
constexpr const char* kMembers = "cgroup.procs";
constexpr std::chrono::seconds kTrialLimit(10);
// Groups are made empty: one is not to be removed before the process that it was made for has started.
constexpr std::chrono::seconds kTimeToJoin(60);

bool write_value(const fs::path& file, const std::string& value) {
  std::error_code error;
  if (!fs::exists(file, error)) return false;  // opening would try to make it
  std::ofstream stream(file);
  stream << value << std::flush;
  return static_cast<bool>(stream);
}

bool make_folder(const fs::path& folder) { return mkdir(folder.c_str(), 0755) == 0; }

// Where this process is: "5:pids:/user.slice" of version 1, "0::/user.slice" of version 2.
struct Membership {
  std::string controllers;
  fs::path path;
};
std::vector<Membership> memberships() {
  std::vector<Membership> all;
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    all.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return all;
}

bool has_controller(const std::string& controllers, const std::string& wanted) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == wanted) return true;
  return false;
}

bool limit_processes(const fs::path& group, std::uint64_t most) {
  return write_value(group / "pids.max", std::to_string(most));
}

bool limit_memory(const fs::path& group, std::uint64_t bytes) {
  if (!write_value(group / "memory.max", std::to_string(bytes))) return false;
  write_value(group / "memory.swap.max", "0");  // or what is too much would merely be slow; not there without swap
  return true;
}

bool can_be_joined(const fs::path& group) {
  ProcessOptions options;
  options.command = {"/bin/true"};
  options.groups = {group / kMembers};
  const auto finished = run_to_end(options, kTrialLimit, 256);
  return finished && finished->succeeded();
}

// Left by a grader that was killed: its processes ended with it.
void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    const std::string prefix = "lanewise_";
    if (name.rfind(prefix, 0) != 0 || fs::exists("/proc/" + name.substr(prefix.size()), error)) continue;
    for (const auto& inner : fs::directory_iterator(entry.path(), error))
      if (inner.is_directory(error)) rmdir(inner.path().c_str());
    rmdir(entry.path().c_str());
  }
}

}  // namespace

ControlGroups::ControlGroups(const GroupLimits& limits) : limits_(limits) {
  for (const Membership& each : memberships()) {
    const bool is_unified = each.controllers.empty();
    // Of version 1 only what has no counterpart: memory is limited a process, too.
    if (!is_unified && !has_controller(each.controllers, "pids")) continue;
    fs::path hierarchy = kRoot;
    std::error_code error;
    if (!is_unified)
      hierarchy /= each.controllers;
    else if (fs::exists(hierarchy / "unified", error))
      hierarchy /= "unified";
    // Where processes are, version 2 lets only groups without limits be made: then one further up.
    for (fs::path path = each.path;; path = path.parent_path()) {
      if (try_out(hierarchy / path.relative_path(), is_unified) || !is_unified || path == path.parent_path()) break;
    }
  }
}

ControlGroups::~ControlGroups() {
  remove_ended(std::chrono::seconds(0));
  for (const fs::path& parent : parents_) rmdir(parent.c_str());
}

bool ControlGroups::try_out(const fs::path& parent, bool is_unified) {
  const fs::path ours = parent / fmt::format("lanewise_{}", getpid());
  remove_abandoned(parent);
  if (!make_folder(ours)) return false;
  if (is_unified) {
    // One at a time: not every system has both.
    write_value(ours / "cgroup.subtree_control", "+pids");
    write_value(ours / "cgroup.subtree_control", "+memory");
  }
  const fs::path trial = ours / "trial";
  bool limits_something = false;
  if (make_folder(trial)) {
    const bool processes = limit_processes(trial, limits_.processes);
    const bool memory = limit_memory(trial, limits_.memory_bytes);
    limits_something = (processes || memory) && can_be_joined(trial);
    if (limits_something) {
      limits_processes_ |= processes;
      limits_memory_ |= memory;
    }
    rmdir(trial.c_str());
  }
  if (!limits_something) {
    rmdir(ours.c_str());
    return false;
  }
  parents_.push_back(ours);
  return true;
}

void ControlGroups::remove_ended(std::chrono::seconds age) {
  // A group that has processes in it cannot be removed.
  const auto before = std::chrono::steady_clock::now() - age;
  groups_.remove_if([&](const Group& group) { return group.made <= before && rmdir(group.folder.c_str()) == 0; });
}

std::vector<fs::path> ControlGroups::make_group() {
  const std::lock_guard lock(mutex_);
  remove_ended(kTimeToJoin);
  std::vector<fs::path> members;
  const std::string name = std::to_string(++made_);
  for (const fs::path& parent : parents_) {
    const fs::path group = parent / name;
    if (!make_folder(group)) continue;
    groups_.push_back({group, std::chrono::steady_clock::now()});
    limit_processes(group, limits_.processes);
    limit_memory(group, limits_.memory_bytes);
    members.push_back(group / kMembers);
  }
  return members;
}

}  // namespace lanewise
