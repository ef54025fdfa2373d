// The verdict that a file under solutions/ declares for itself, and whether it got exactly that.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "harness/lab/failure.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// What counts as the worst that happened to a task.
enum class Worst {
  kRight,
  kWrong,
  kCudaError,
  kExited,
  kCrashed,
  kTimedOut,
  kCompileError,
  kRefused,
  kMissing,
  kNotStarted
};

/// A declared or an actual verdict in the terms of an `// expect:` line.
struct Outline {
  Worst worst = Worst::kRight;
  std::set<std::string> tools;           ///< that found something: "memcheck", "racecheck", ...
  std::set<std::string> misconceptions;  ///< that were named
  bool is_reviewed = false;              ///< a human must look at its time
};

struct Expectation {
  std::string task;
  Outline outline;
  bool is_right_on_gpu = false;    ///< since only the virtual GPU counts what shows that it is not
  std::set<std::string> unearned;  ///< parts of the score for which it must have no points: "fast", "efficient"
};

/// Parses a first line of the form
///
///     // expect: <task>: <clause>[; <clause> ...]
///
/// with the clauses `right`, `wrong`, `cuda error`, `crash`, `exit`, `time limit`, `compile error`, `refused by audit`,
/// `missing`, `not started` (exactly one of these), the name of a tool that finds something, `misconception = "name"`,
/// `under review`, `right on a GPU`, `no points of fast` and `no points of efficient`.
Expected<Expectation> parse_expectation(const std::string& line);

/// The outline of a verdict: its worst case, what found something, what was recognised.
Outline outline_of(const TaskVerdict& verdict);

/// "wrong; memcheck; misconception = \"rows and columns swapped\""
std::string describe(const Outline& outline);

bool operator==(const Outline& a, const Outline& b);

}  // namespace lanewise
