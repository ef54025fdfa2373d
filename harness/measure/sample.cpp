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
constexpr double kWakingMayDiffer = 100e-6;
constexpr double kTurningMayDiffer = 10e-6;

// What one of these fields is for entry and reference, if the entry's is longer than chance would have it.
struct Excess {
  double seconds = 0;
  double usual = 0;
};
Excess excess(double Sample::*field, double allowed, const std::vector<Sample>& samples,
              const std::vector<Sample>& of_reference) {
  const auto known = [&](const std::vector<Sample>& all) {
    std::vector<double> values;
    for (const Sample& each : all)
      if (each.*field > 0) values.push_back(each.*field);
    return values;
  };
  const std::vector<double> own = known(samples);
  const std::vector<double> usual = known(of_reference);
  if (own.empty() || usual.empty()) return {};
  const Quartiles quartiles = quartiles_of(usual);
  const double median = median_of(own);
  const bool is_longer = median > quartiles.median + (quartiles.third - quartiles.first) + allowed;
  return is_longer ? Excess{median, quartiles.median} : Excess{};
}

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

std::string work_off_the_clock(const std::vector<Sample>& samples, const std::vector<Sample>& of_reference) {
  if (const Excess before = excess(&Sample::ready_seconds, kWakingMayDiffer, samples, of_reference); before.seconds > 0)
    return fmt::format(
        "it takes {:.3f} ms to be ready for a call, and the reference {:.3f} ms: something is done before the clock "
        "starts",
        1e3 * before.seconds, 1e3 * before.usual);
  if (const Excess after = excess(&Sample::settling_seconds, kTurningMayDiffer, samples, of_reference);
      after.seconds > 0)
    return fmt::format(
        "after its calls the device needs {:.3f} ms to turn to other work, after the reference's {:.3f} ms: something "
        "still runs when they are said to be over",
        1e3 * after.seconds, 1e3 * after.usual);
  return "";
}

}  // namespace lanewise::measure
