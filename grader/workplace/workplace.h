// What every grading subcommand needs first: the installation, the labs, a compiler and something to run on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/build/builder.h"
#include "harness/runner/find.h"
#include "harness/runner/installation.h"
#include "harness/runner/session/backend.h"
#include "harness/toolchain/toolchain.h"

namespace lanewise {

/// Paths of this installation, found from the running executable.
Installation this_installation();

struct Workplace {
  Installation installation;
  Builder builder;
  Backend backend;
  std::optional<Backend> timed_on = std::nullopt;  ///< with the virtual GPU as `backend`: the GPU that times

  /// Whether times are a GPU's.
  bool has_clock() const { return !backend.is_virtual() || timed_on; }
};

/// The failure says what is missing or cannot be used, and what to do about it. Submissions are compiled and run in
/// `confinement`. What clang compiles runs on the virtual GPU alone: it is not taken for a GPU.
Expected<Workplace> open_workplace(const Installation& installation, BackendChoice choice,
                                   Confinement confinement = nullptr,
                                   ToolchainChoice toolchain = ToolchainChoice::kAuto);

/// "auto", "gpu" and "vgpu" for the command line.
const std::vector<std::pair<std::string, BackendChoice>>& backend_choices();
/// These and "both", for grading a class.
const std::vector<std::pair<std::string, BackendChoice>>& class_backend_choices();

/// Writes a file and the folders above it. A concurrent reader finds the old content or the new, never a part. Devices
/// and pipes are written to directly.
std::optional<Failure> write_report(const std::filesystem::path& file, const std::string& content);

/// The same for private files: only the owner can read it, unless the file existed and cannot be replaced.
std::optional<Failure> write_private(const std::filesystem::path& file, const std::string& content);

/// A path for the terminal: relative to the current folder if possible, on one line.
std::string shown_path(const std::filesystem::path& path);

}  // namespace lanewise
