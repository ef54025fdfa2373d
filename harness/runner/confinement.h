// Where foreign code is kept when it compiles and runs: nowhere, unless someone who grades others says how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "harness/runner/process.h"

namespace lanewise {

/// What a process is there for.
enum class ForeignWork : std::uint8_t { kCompile, kRun };

/// What one process needs beyond what all of its kind do.
struct Reach {
  ForeignWork work = ForeignWork::kRun;
  std::filesystem::path writable;               ///< the one folder it may write; empty: none
  std::vector<std::filesystem::path> readable;  ///< files and folders, by the names it uses for them
};

/// Changes how a process is started so that it reaches its reach and no more. Empty: processes start as they are, which
/// is right for one's own code. Called from several threads.
using Confinement = std::function<ProcessOptions(ProcessOptions, const Reach&)>;

/// `options`, confined if there is a confinement.
inline ProcessOptions confined(const Confinement& confinement, ProcessOptions options, const Reach& reach) {
  return confinement ? confinement(std::move(options), reach) : std::move(options);
}

}  // namespace lanewise
