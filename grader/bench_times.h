// The times of `lanewise bench`: every ladder on this machine's GPU, kept in solutions/*/measured.toml.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/ladder_steps.h"
#include "grader/ready_cases.h"
#include "harness/report/progress.h"

namespace lanewise {

struct BenchTimesRequest {
  const std::vector<Ladder>* ladders = nullptr;
  const Workplace* workplace = nullptr;
  TimedParts parts;
  bool roofs = true;  ///< measure them, too, and first
  Progress* progress = nullptr;
  std::function<void(const std::string&)> note;  ///< told what went wrong, a sentence each
};

/// Times one ladder after the other, and keeps what was measured of each before it begins the next, so that an
/// interrupted run loses one ladder at most. Prints the times. An exit code of `lanewise` (grader/exit_codes.h).
int measure_ladders(const BenchTimesRequest& request);

/// Brings times of a lab into its measured.toml: groups that were timed take the place of those from before.
std::optional<Failure> keep_times(const std::filesystem::path& file, const std::vector<MeasuredTask>& measured);

}  // namespace lanewise
