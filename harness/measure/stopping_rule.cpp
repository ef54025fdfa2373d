// Narrow enough, often enough, long enough; or out of time.
#include "harness/measure/stopping_rule.h"

#include <algorithm>

#include "harness/measure/statistics.h"

namespace lanewise::measure {
namespace {

int fewest_of(const std::vector<std::vector<double>>& streams) {
  std::size_t fewest = streams.empty() ? 0 : streams.front().size();
  for (const std::vector<double>& each : streams) fewest = std::min(fewest, each.size());
  return static_cast<int>(fewest);
}

double widest_of(const std::vector<std::vector<double>>& streams) {
  double widest = 0;
  for (const std::vector<double>& each : streams)
    widest = std::max(widest, relative_half_width(median_with_interval(each)));
  return widest;
}

}  // namespace

Stop should_stop(const StoppingRule& rule, const std::vector<std::vector<double>>& streams, double seconds) {
  const bool is_enough = streams.empty() || fewest_of(streams) >= rule.fewest;
  if (is_enough && seconds >= rule.shortest && widest_of(streams) <= rule.half_width) return Stop::kNarrow;
  return seconds >= rule.longest ? Stop::kTimeIsUp : Stop::kNotYet;
}

double expected_rest(const StoppingRule& rule, const std::vector<std::vector<double>>& streams, double seconds) {
  const double left = std::max(0.0, rule.longest - seconds);
  const int taken = fewest_of(streams);
  if (taken == 0) return left;
  const double wider = widest_of(streams) / rule.half_width;
  const double wanted = std::max({static_cast<double>(rule.fewest), taken * wider * wider});
  const double whole = std::max(rule.shortest, seconds * wanted / taken);
  return std::clamp(whole - seconds, 0.0, left);
}

}  // namespace lanewise::measure
