// Median, paired ratio, floor and cross-check, in that order.
#include "harness/runner/timing/entry_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/number_text.h"
#include "harness/measure/statistics.h"

namespace lanewise {
namespace {

constexpr double kShortestCall = 1e-7;  // seconds: no clock here tells less

TimeEstimate estimate_of(const std::vector<double>& samples, double factor) {
  const measure::Estimate estimate = measure::at_least_as_wide(measure::median_with_interval(samples), kLeastHalfWidth);
  return {estimate.value * factor, estimate.low * factor, estimate.high * factor};
}

std::string no_sample_counts(const EntryTimes& times, unsigned default_clock) {
  if (times.discarded == 0) return "no sample was taken in the time available";
  return fmt::format("the device's clock stayed below three quarters of its default of {} MHz: no sample counts",
                     with_commas(default_clock));
}

void add_review(EntryTimes& times, const std::string& sentence) {
  if (!sentence.empty()) times.review += (times.review.empty() ? "" : "; ") + sentence;
}

}  // namespace

std::vector<double> counted_seconds(const EntrySamples& entry, const SampleContext& context) {
  std::vector<double> seconds;
  seconds.reserve(entry.samples.size());
  for (const measure::Sample& each : entry.samples) {
    const bool counts = each.seconds > 0 && !measure::is_throttled(each, context.default_clock);
    seconds.push_back(counts ? std::max(kShortestCall, each.seconds - context.empty_round_trip) : 0);
  }
  return seconds;
}

EntryTimes times_of(const EntrySamples& entry, const EntrySamples* reference, const SampleContext& context) {
  EntryTimes times;
  times.trouble = entry.trouble;
  times.review = entry.review;
  const std::vector<double> seconds = counted_seconds(entry, context);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    times.samples += seconds[i] > 0 ? 1 : 0;
    times.discarded += seconds[i] <= 0 && entry.samples[i].seconds > 0 ? 1 : 0;
  }
  if (!times.trouble.empty()) return times;
  if (times.samples == 0) {
    times.trouble = no_sample_counts(times, context.default_clock);
    return times;
  }
  const TimeEstimate time = estimate_of(measure::counted(seconds), 1e3);
  times.trouble = measure::below_floor(time.milliseconds / 1e3, context.work, context.peaks);
  if (!times.trouble.empty()) return times;
  times.time = time;
  if (entry.role == TimedRole::kReference) {
    times.ratio = {1, 1, 1};
    times.ratio_quartiles = {1, 1, 1, 1};
  } else if (reference != nullptr && reference->trouble.empty()) {
    const std::vector<double> ratios = measure::paired_ratios(seconds, counted_seconds(*reference, context));
    times.ratio = estimate_of(ratios, 1);
    times.ratio_quartiles = measure::quartiles_of(ratios);
  }

  std::vector<measure::Sample> net = entry.samples;
  for (std::size_t i = 0; i < net.size(); ++i) net[i].seconds = seconds[i];
  add_review(times, measure::disagreement(net));
  if (reference != nullptr) add_review(times, measure::work_off_the_clock(net, reference->samples));
  return times;
}

}  // namespace lanewise
