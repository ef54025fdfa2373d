// Decides when enough samples have been taken.
#pragma once

#include <vector>

namespace lanewise::measure {

/// Sampling ends once the interval of the median is narrow, but not before there are a few samples and disturbances of
/// longer periods have had a chance to show; and always when time is up.
struct StoppingRule {
  double half_width = 0.0035;  ///< of the 95 % interval of the median paired ratio, as a share of it
  int fewest = 30;             ///< samples
  double shortest = 0.5;       ///< seconds since the first sample
  double longest = 12;         ///< seconds; 0: only the first samples
};

enum class Stop {
  kNotYet,
  kNarrow,    ///< the interval is as narrow as requested
  kTimeIsUp,  ///< it is not: the reported interval shows how wide it is
};

/// `streams`: the paired ratios of each entry subject to the rule; all must be narrow. No streams count as narrow.
Stop should_stop(const StoppingRule& rule, const std::vector<std::vector<double>>& streams, double seconds);

/// Seconds left, estimated from how the widest interval has narrowed so far (as one over the root of the number of
/// samples), at most the rest of `longest`.
double expected_rest(const StoppingRule& rule, const std::vector<std::vector<double>>& streams, double seconds);

}  // namespace lanewise::measure
