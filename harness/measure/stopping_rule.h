// When enough samples have been taken.
#pragma once

#include <vector>

namespace lanewise::measure {

/// Sampling ends once the interval of the median is narrow, but neither before a few samples are there nor before
/// disturbances of a longer period had their chance; and in any case when time is up.
struct StoppingRule {
  double half_width = 0.0035;  ///< of the 95 % interval of the median paired ratio, as a share of it
  int fewest = 30;             ///< samples
  double shortest = 0.5;       ///< seconds since the first sample
  double longest = 12;         ///< seconds; 0: no samples but the first
};

enum class Stop {
  kNotYet,
  kNarrow,    ///< the interval is as narrow as it was asked to be
  kTimeIsUp,  ///< it is not: the interval that is told says how wide it is
};

/// `streams`: the paired ratios of each entry that the rule is about; all must be narrow. None: narrow.
Stop should_stop(const StoppingRule& rule, const std::vector<std::vector<double>>& streams, double seconds);

/// Seconds still to go, from how the widest interval has narrowed so far (as one over the root of the samples), at most
/// what is left of `longest`.
double expected_rest(const StoppingRule& rule, const std::vector<std::vector<double>>& streams, double seconds);

}  // namespace lanewise::measure
