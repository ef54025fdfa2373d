// bwrap's command line: which parts of the system a process in the sandbox sees, and how.
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
  std::vector<std::filesystem::path> readable;  ///< in addition to the system's own folders
  std::vector<std::filesystem::path> devices;   ///< for workers
  std::vector<std::filesystem::path> hidden;    ///< folders that must not be visible, even inside the system's
  std::uint64_t most_processes = 0;
  std::uint64_t most_folder_bytes = 0;  ///< in the only writable folder
  bool can_size_folders = false;        ///< bwrap can limit the size of a tmpfs (0.7 and newer)
  bool can_forbid_users = false;        ///< bwrap can forbid further user namespaces (0.8 and newer)
};

/// `command`, to be started in `folder`, such that it sees no more than `walls` and `reach` allow. System-call filters
/// are read from descriptor Process::kFirstInput.
std::vector<std::string> bubblewrap_command(const Walls& walls, const Reach& reach, const std::filesystem::path& folder,
                                            const std::vector<std::string>& command);

}  // namespace lanewise
