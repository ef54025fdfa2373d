// Our own control groups, if the system lets us create them: they limit processes and memory of a whole sandbox.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace lanewise {

struct GroupLimits {
  std::uint64_t processes = 0;
  std::uint64_t memory_bytes = 0;
};

/// One group of each kind for every sandbox; groups whose processes have all exited are removed when others are
/// created, and all of them with this object. With cgroups version 1, groups for processes only. Safe to use from
/// several threads.
class ControlGroups {
 public:
  /// Tests with a process whether groups can be created and joined. Always returns an object, which says what it cannot
  /// limit.
  explicit ControlGroups(const GroupLimits& limits);
  ~ControlGroups();
  ControlGroups(const ControlGroups&) = delete;
  ControlGroups& operator=(const ControlGroups&) = delete;

  bool limits_processes() const { return limits_processes_; }
  bool limits_memory() const { return limits_memory_; }

  /// The files that a new process writes its id into to be limited: for ProcessOptions::groups. Empty if none can be
  /// created.
  std::vector<std::filesystem::path> make_group();

 private:
  bool try_out(const std::filesystem::path& parent, bool is_unified);
  void remove_ended(std::chrono::seconds age);

  GroupLimits limits_;
  bool limits_processes_ = false;
  bool limits_memory_ = false;
  std::vector<std::filesystem::path> parents_;  ///< folders in which ours are created; one per hierarchy
  std::mutex mutex_;
  std::uint64_t made_ = 0;
  struct Group {
    std::filesystem::path folder;
    std::chrono::steady_clock::time_point made;
  };
  std::list<Group> groups_;
};

}  // namespace lanewise
