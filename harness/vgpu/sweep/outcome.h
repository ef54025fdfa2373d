// The outcome of a mutant, and what noticed it.
#pragma once

#include <set>
#include <string>

#include "harness/vgpu/sweep/command.h"

namespace vgpu::sweep {

struct Outcome {
  std::set<std::string> checkers;  ///< that reported something
  bool wrong_output = false;
  bool stopped = false;  ///< a fault, a deadlock, an endless kernel or a crash ended it
  std::string evidence;  ///< the first thing said about it

  bool is_found() const { return !checkers.empty() || wrong_output || stopped; }
};

/// Exit codes of the kernels' main functions.
inline constexpr int kExitRight = 0, kExitWrong = 1;

/// `report` is the virtual GPU's, as JSON.
Outcome classify(const Ended& ended, const std::string& report, const std::string& output);

}  // namespace vgpu::sweep
