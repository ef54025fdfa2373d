// The two rules on samples: throttled ones do not count, and clocks must agree.
#include "harness/measure/sample.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/measure/statistics.h"

namespace lanewise::measure {
namespace {

constexpr double kThrottledBelow = 0.75;  // of the default clock
constexpr double kLaunchesAndWaits = 60e-6;
constexpr double kShareThatMayDiffer = 0.1;

}  // namespace

bool is_throttled(const Sample& sample, unsigned default_clock) {
  return sample.sm_clock > 0 && default_clock > 0 && sample.sm_clock < kThrottledBelow * default_clock;
}

std::string disagreement(const std::vector<Sample>& samples) {
  std::vector<double> clock;
  std::vector<double> events;
  std::vector<double> apart;
  for (const Sample& each : samples) {
    if (each.seconds <= 0 || each.event_seconds <= 0) continue;
    clock.push_back(each.seconds);
    events.push_back(each.event_seconds);
    apart.push_back(each.seconds - each.event_seconds);
  }
  const double seconds = median_of(clock);
  if (std::abs(median_of(apart)) <= kLaunchesAndWaits + kShareThatMayDiffer * seconds) return "";
  return fmt::format(
      "the runner's clock says {:.3f} ms, events around the same call {:.3f} ms: work runs where the events do not "
      "wait for it, or they are falsified",
      1e3 * seconds, 1e3 * median_of(events));
}

}  // namespace lanewise::measure
