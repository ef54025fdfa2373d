// bwrap's command line: which part of the system a process in the sandbox finds, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/runner/confinement.h"

namespace lanewise {

/// The same for all processes of a sandbox.
struct Walls {
  std::filesystem::path bwrap;
  std::filesystem::path launcher;
  std::vector<std::filesystem::path> readable;  ///< beside the system's own folders
  std::vector<std::filesystem::path> devices;   ///< for workers
  std::vector<std::filesystem::path> hidden;    ///< folders that are not to be seen, were they in the system's
  std::uint64_t most_processes = 0;
  std::uint64_t most_folder_bytes = 0;  ///< in the one folder that may be written
  bool can_size_folders = false;        ///< bwrap can limit what a folder in memory holds (0.7 and newer)
  bool can_forbid_users = false;        ///< and further user namespaces (0.8 and newer)
};

/// `command`, to be started in `folder`, such that it finds no more than `walls` and `reach` say. Filters of system
/// calls are read from descriptor Process::kFirstInput.
std::vector<std::string> bubblewrap_command(const Walls& walls, const Reach& reach, const std::filesystem::path& folder,
                                            const std::vector<std::string>& command);

}  // namespace lanewise
