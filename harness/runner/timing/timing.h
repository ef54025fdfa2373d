// Times several entries on one case, sample by sample in turn, so that disturbances of the machine affect all of them.
//
// Each round has fresh inputs, the same for all entries; the outputs of an entry are compared with those of the
// reference for the same inputs. The reference itself is compared with the oracle once, before the first round.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"
#include "harness/measure/statistics.h"
#include "harness/measure/stopping_rule.h"
#include "harness/runner/session/session.h"
#include "harness/runner/timing/timed_case.h"

namespace lanewise {

enum class TimedRole : std::uint8_t { kBaseline, kReference, kSubmission, kPeer };

struct TimedEntry {
  TimedRole role = TimedRole::kSubmission;
  std::string name;  ///< its file name
  std::filesystem::path shared_object;
};

/// Time limits, and where samples come from. Tests use their own.
struct TimingSetup {
  /// Empty: one worker per entry.
  std::function<Expected<std::unique_ptr<TimedCase>>(const TimedEntry&, const Problem&)> open;
  std::string clock_library = "libnvidia-ml.so.1";
  double warm_up = 0.3;        ///< seconds per entry; ten times that if fewer than three calls fit
  measure::StoppingRule rule;  ///< except `longest`, which is the request's `most`
};

struct TimingRequest {
  SessionOptions session;
  const Task* task = nullptr;
  const CaseFile* case_file = nullptr;
  std::string lab;
  std::uint64_t seed = 0;
  std::vector<TimedEntry> entries;                            ///< at most one reference, at most one submission
  std::chrono::milliseconds limit{10'000};                    ///< per call
  std::chrono::milliseconds most = std::chrono::seconds(12);  ///< for all samples together, without the warm-up
  std::function<void(const std::string&)> progress;
  TimingSetup setup;
};

struct EntryTimes {
  TimeEstimate time;
  TimeEstimate ratio;                  ///< to the reference, in pairs; all 1 for the reference itself, 0 without one
  measure::Quartiles ratio_quartiles;  ///< of the same pairs, for ranking; all 1 for the reference, 0 without one
  int samples = 0;                     ///< those that count
  int discarded = 0;                   ///< taken while the clock was low
  std::string trouble;  ///< why there is no time: it broke, its output is not right, or no device is that fast
  std::string review;   ///< what a human should look at
};

struct TimingResult {
  std::string device;
  std::string driver_version;       ///< from the driver's management library; may be empty
  std::string clocks;               ///< as SpeedVerdict::clocks
  std::string sizes;                ///< as SpeedVerdict::sizes
  double copy_rate = 0;             ///< bytes per second of a copy in the same run, read and written; 0: not measured
  Work work;                        ///< of the case
  int rounds = 0;                   ///< rounds in which samples were taken
  bool is_narrow = false;           ///< the interval became as narrow as requested; false: time was up first
  std::vector<EntryTimes> entries;  ///< in the order of the request
};

/// Intervals of times and ratios are never reported as narrower than this share of the value on either side: two
/// processes that run the same code on the same device differ by as much, because of where their memory happens to be.
inline constexpr double kLeastHalfWidth = 0.0025;

/// A failure says why nothing could be timed at all. Needs one worker per entry, and `most` plus some seconds to start
/// and warm up. Call it from a thread that lives as long as it runs (see Process); nothing else should use the device.
Expected<TimingResult> time_entries(const TimingRequest& request);

}  // namespace lanewise
