// The times of `lanewise bench`: every ladder on this machine's GPU, kept in solutions/*/measured.toml.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/bench/ladder_steps.h"
#include "grader/bench/ready_cases.h"
#include "harness/report/progress.h"

namespace lanewise {

struct BenchTimesRequest {
  const std::vector<Ladder>* ladders = nullptr;
  const Workplace* workplace = nullptr;
  TimedParts parts;
  bool roofs = true;  ///< measure them as well, and first
  Progress* progress = nullptr;
  std::function<void(const std::string&)> note;  ///< called with a sentence for each problem
};

/// Times one ladder after another, and saves each ladder's times before it begins the next, so that an interrupted run
/// loses at most one. Prints the times. Returns an exit code of `lanewise` (grader/exit_codes.h).
int measure_ladders(const BenchTimesRequest& request);

/// Writes a lab's times into its measured.toml: groups that were timed replace earlier ones.
std::optional<Failure> keep_times(const std::filesystem::path& file, const std::vector<MeasuredTask>& measured);

}  // namespace lanewise
