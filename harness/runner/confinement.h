// How foreign code is confined when it is compiled and run: not at all, unless a grader of others asks for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "harness/runner/process.h"

namespace lanewise {

/// The purpose of a process.
enum class ForeignWork : std::uint8_t { kCompile, kRun };

/// What one process needs beyond the needs of its kind.
struct Reach {
  ForeignWork work = ForeignWork::kRun;
  std::filesystem::path writable;               ///< the one folder it may write; empty: none
  std::vector<std::filesystem::path> readable;  ///< files and folders, under the names it uses
  bool has_gpu = true;                          ///< running: it may use the machine's GPU, if its kind may
};

/// Changes how a process is started so that it can access its Reach and nothing else. Empty: processes are not
/// confined, which is fine for one's own code. Called from several threads.
using Confinement = std::function<ProcessOptions(ProcessOptions, const Reach&)>;

/// `options`, confined if there is a confinement.
inline ProcessOptions confined(const Confinement& confinement, ProcessOptions options, const Reach& reach) {
  return confinement ? confinement(std::move(options), reach) : std::move(options);
}

}  // namespace lanewise
