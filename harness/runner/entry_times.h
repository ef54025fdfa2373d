// What the samples of one entry come to, beside those of the reference.
#pragma once

#include <string>
#include <vector>

#include "harness/measure/floor.h"
#include "harness/measure/sample.h"
#include "harness/runner/timing.h"

namespace lanewise {

/// Samples of an entry, one a round.
struct EntrySamples {
  TimedRole role = TimedRole::kSubmission;
  std::vector<measure::Sample> samples;  ///< by the clock as it was, the empty round trip included; 0 s: took no part
  std::string trouble;                   ///< why it takes part no more
  std::string review;
};

/// What holds for all entries alike.
struct SampleContext {
  double empty_round_trip = 0;  ///< seconds
  unsigned default_clock = 0;   ///< MHz; 0: not known
  measure::LeastWork work;
  measure::Peaks peaks;
};

/// Seconds of the call itself, one a round; 0 where it took no part, or while the clock was low.
std::vector<double> counted_seconds(const EntrySamples& entry, const SampleContext& context);

/// `reference`: null if there is none, or the entry itself.
EntryTimes times_of(const EntrySamples& entry, const EntrySamples* reference, const SampleContext& context);

}  // namespace lanewise
