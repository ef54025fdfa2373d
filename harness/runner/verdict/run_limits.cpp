#include "harness/runner/verdict/run_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace lanewise {
namespace {

using std::chrono::milliseconds;

constexpr int kMostHungCases = 2;
constexpr double kMostHungInstructions = 8e6;
// The virtual GPU executes more with all checkers on, on a slow machine: an endless loop ends before the clock strikes,
// and after the same instruction every time.
constexpr double kWarpInstructionsPerSecondOfLimit = 2e6;
// And sooner in a case with little to do. The naive steps execute less than an eighth of it in a launch (November
// 2026), and so does one thread that goes through all data by itself, since instructions of a single lane count less.
// Work that is clumsier than that must not be called endless.
constexpr double kWarpInstructionsPerByte = 4;
constexpr double kWarpInstructionsPerOperation = 4.0 / 3;
// Host code that only launches takes milliseconds. This is processor time, so that a slow or shared machine changes
// nothing.
constexpr milliseconds kHostLimit(3000);
// The wall clock's, as multiples of the file's limit.
constexpr double kLeastPatience = 3;
constexpr double kMostPatience = 6;

double patience() {
  double load = 0;
  if (getloadavg(&load, 1) != 1) return kLeastPatience;
  return std::clamp(1 + load / std::max(1U, std::thread::hardware_concurrency()), kLeastPatience, kMostPatience);
}

milliseconds from_seconds(double seconds) { return milliseconds(static_cast<std::int64_t>(seconds * 1000)); }

}  // namespace

double launch_budget(const Task& task, const TaskFile& file, const CaseFile& case_file, const Problem& problem) {
  const double most = file.time_limit_seconds * kWarpInstructionsPerSecondOfLimit;
  if (!task.work) return most;
  const Work work = task.work(problem);
  return std::min(most, case_file.least_budget + kWarpInstructionsPerByte * work.bytes +
                            kWarpInstructionsPerOperation * work.flops);
}

milliseconds host_limit(const TaskFile& file) { return std::min(kHostLimit, from_seconds(file.time_limit_seconds)); }

milliseconds call_limit(const TaskFile& file, bool on_virtual_gpu) {
  return from_seconds(file.time_limit_seconds * (on_virtual_gpu ? patience() : 1));
}

bool HungCases::are_enough() const { return count_ >= kMostHungCases || instructions_ > kMostHungInstructions; }

std::string HungCases::text() const {
  return count_ == 1 ? "a case had hung already" : fmt::format("{} cases had hung already", count_);
}

}  // namespace lanewise
