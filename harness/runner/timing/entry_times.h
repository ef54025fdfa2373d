// Evaluates the samples of one entry against those of the reference.
#pragma once

#include <string>
#include <vector>

#include "harness/measure/floor.h"
#include "harness/measure/sample.h"
#include "harness/runner/timing/timing.h"

namespace lanewise {

/// Samples of an entry, one per round.
struct EntrySamples {
  TimedRole role = TimedRole::kSubmission;
  std::vector<measure::Sample> samples;  ///< as clocked, including the empty round trip; 0 s: took no part
  std::string trouble;                   ///< why it no longer takes part
  std::string review;
};

/// What all entries have in common.
struct SampleContext {
  double empty_round_trip = 0;  ///< seconds
  unsigned default_clock = 0;   ///< MHz; 0: not known
  measure::LeastWork work;
  measure::Peaks peaks;
};

/// Seconds of the call itself, one per round; 0 if it took no part or the clock was low.
std::vector<double> counted_seconds(const EntrySamples& entry, const SampleContext& context);

/// `reference`: null if there is none, or the entry itself.
EntryTimes times_of(const EntrySamples& entry, const EntrySamples* reference, const SampleContext& context);

}  // namespace lanewise
