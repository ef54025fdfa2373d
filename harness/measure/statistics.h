// Evaluates a stream of samples: medians, their intervals, and ratios of samples taken side by side.
//
// Times of a kernel are not normally distributed: they have a sharp lower edge, a tail of disturbances, often two
// humps. So nothing here assumes a distribution; everything is read off the sorted samples. See T. Hoefler and R.
// Belli, "Scientific Benchmarking of Parallel Computing Systems", SC '15, rules 5 to 8.
#pragma once

#include <cstddef>
#include <vector>

namespace lanewise::measure {

/// A median and the interval that covers the true one with 95 % confidence, in the unit of the samples.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The smallest sample and the three quartiles, for ranking. All 0 without samples.
struct Quartiles {
  double least = 0;
  double first = 0;
  double median = 0;
  double third = 0;
};

/// For an even number of samples, the mean of the middle two; 0 without samples.
double median_of(std::vector<double> samples);

/// Between two samples the quartiles are interpolated linearly.
Quartiles quartiles_of(std::vector<double> samples);

/// How many samples at either end are outside the 95 % interval of the median of `count` samples: the interval runs
/// from the sample with that many below it to the one with that many above it. The number of samples below the true
/// median is binomial with p = 1/2 for any distribution, if samples are independent (W. J. Conover, "Practical
/// Nonparametric Statistics", 3rd ed., section 3.2). Below six samples no interval has that confidence: 0, all of them.
std::size_t outside_interval(std::size_t count);

/// All zero without samples. With fewer than six, `low` and `high` are the extremes, with less than 95 % confidence.
Estimate median_with_interval(std::vector<double> samples);

/// samples[i] / others[i] for each i with both above 0; 0 means that a sample was not taken or does not count. What
/// affects both sides of a pair alike (a drifting clock, other traffic on the bus) cancels out in the ratio.
std::vector<double> paired_ratios(const std::vector<double>& samples, const std::vector<double>& others);

/// The samples above 0: those that count.
std::vector<double> counted(const std::vector<double>& samples);

/// The estimate with an interval of at least value × (1 ± share): repeated readings cannot go beyond the resolution of
/// the clock.
Estimate at_least_as_wide(Estimate estimate, double share);

/// Half the width of the interval as a share of the value; 0 if there is no value.
double relative_half_width(const Estimate& estimate);

}  // namespace lanewise::measure
