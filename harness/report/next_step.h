// The one thing to do next: of all that a verdict says, what a student should turn to first.
#pragma once

#include <optional>
#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

struct NextStep {
  SourcePlace place;        ///< unknown if nothing tells
  std::string problem;      ///< what is wrong, or what could be better
  std::string advice;       ///< what to do about it; may be empty
  bool is_mistake = false;  ///< to be put right, not only to be improved
};

/// Mistakes come before what could be better. Among mistakes, a misconception that explains the wrong cases comes first
/// (it yields to findings that contradict it), then what a checker found, then the first case that fails. Nothing if
/// the task has all its points, or was not started.
std::optional<NextStep> next_step(const TaskVerdict& task);

}  // namespace lanewise
