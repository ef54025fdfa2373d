// The sandbox in which untrusted submissions are compiled and run, or the reason why there is none.
#pragma once

#include <cstdint>
#include <string>

#include "harness/lab/failure.h"
#include "harness/runner/confinement.h"
#include "harness/runner/installation.h"

namespace lanewise {

struct SandboxOptions {
  bool shows_gpu = false;  ///< workers see the machine's NVIDIA devices
  /// What one compiler or worker may use, with everything that it starts.
  std::uint64_t most_processes = 1024;                        ///< and threads
  std::uint64_t most_memory_bytes = std::uint64_t{16} << 30;  ///< if a control group can be created
  std::uint64_t most_folder_bytes = std::uint64_t{2} << 30;   ///< in the folder used for compiling
};

/// A tested sandbox. A program in it sees the system's libraries, the toolkit and what its Reach names, all read-only
/// except for one folder when compiling; no other process, no network, no home folder, no other submission.
struct Sandbox {
  Confinement confinement;        ///< may outlive this object and be copied; safe to use from several threads
  bool limits_processes = false;  ///< not for root if no control group can be created
  bool limits_memory = false;     ///< of all processes together; otherwise only of each process
  std::string description;        ///< one line: what holds, "bubblewrap 0.8.0, system calls filtered, ..."
};

/// Finds bubblewrap, and starts a program in the sandbox that tries to read a private file, to see this process, to
/// reach the network and to write where it must not. The failure says what is missing and what to do about it.
Expected<Sandbox> open_sandbox(const Installation& installation, const SandboxOptions& options = {});

}  // namespace lanewise
