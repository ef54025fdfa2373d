// Whether the worker that claimed a chunk is still alive.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "grader/executors/work_folder.h"

namespace lanewise {

/// Time without a heartbeat after which a worker on another machine counts as dead.
constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(60);

/// A unique name of this process among all that may work in a folder: machine, process id and start time.
std::string worker_name();

/// Shows that the worker of a claimed chunk is alive. To be called several times within the others' patience.
void beat_heart(const std::filesystem::path& claimed);

/// Watches claims by what changes from one look to the next: no clock of another machine is trusted.
class ClaimWatch {
 public:
  explicit ClaimWatch(std::chrono::milliseconds patience) : patience_(patience) {}

  /// Gives back the chunks of dead workers: processes of this machine that are gone, and workers without a heartbeat
  /// for as long as the patience. Returns how many chunks have living workers.
  std::size_t give_back_dead(const WorkFolder& folder);

 private:
  bool is_dead(const std::filesystem::path& claimed);

  using Time = std::chrono::steady_clock::time_point;

  std::chrono::milliseconds patience_;
  std::map<std::string, std::pair<std::string, Time>> seen_;  ///< by claim: its last heartbeat, and since when
};

}  // namespace lanewise
