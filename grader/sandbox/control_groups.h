// Control groups of our own, where the system lets us make them: they count processes and memory of a whole sandbox.
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

/// One group of each kind for every sandbox; those whose processes have all ended are removed when others are made, and
/// all of them with this object. Of version 1, groups for processes only. Safe to use from several threads.
class ControlGroups {
 public:
  /// Tries out with a process whether groups can be made and joined. Always an object: what it cannot limit it says.
  explicit ControlGroups(const GroupLimits& limits);
  ~ControlGroups();
  ControlGroups(const ControlGroups&) = delete;
  ControlGroups& operator=(const ControlGroups&) = delete;

  bool limits_processes() const { return limits_processes_; }
  bool limits_memory() const { return limits_memory_; }

  /// The files that a new process writes its id into to be limited: for ProcessOptions::groups. Empty where none can be
  /// made.
  std::vector<std::filesystem::path> make_group();

 private:
  bool try_out(const std::filesystem::path& parent, bool is_unified);
  void remove_ended(std::chrono::seconds age);

  GroupLimits limits_;
  bool limits_processes_ = false;
  bool limits_memory_ = false;
  std::vector<std::filesystem::path> parents_;  ///< folders that ours are made in; one a hierarchy
  std::mutex mutex_;
  std::uint64_t made_ = 0;
  struct Group {
    std::filesystem::path folder;
    std::chrono::steady_clock::time_point made;
  };
  std::list<Group> groups_;
};

}  // namespace lanewise
