// Times several entries at one case, sample by sample in turn, so that whatever the machine does befalls all of them.
//
// Each round has inputs nobody has seen, the same for all entries; what an entry gives back is held against what the
// reference gave for the same inputs. The reference itself is held against the oracle once, before the first round.
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
#include "harness/runner/session.h"
#include "harness/runner/timed_case.h"

namespace lanewise {

enum class TimedRole : std::uint8_t { kBaseline, kReference, kSubmission, kPeer };

struct TimedEntry {
  TimedRole role = TimedRole::kSubmission;
  std::string name;  ///< of its file
  std::filesystem::path shared_object;
};

/// How long is long, and where samples come from. Tests have means of their own.
struct TimingMeans {
  /// Empty: a worker for each entry.
  std::function<Expected<std::unique_ptr<TimedCase>>(const TimedEntry&, const Problem&)> open;
  std::string clock_library = "libnvidia-ml.so.1";
  double warm_up = 0.3;        ///< seconds an entry; ten times that where fewer than three calls fit
  measure::StoppingRule rule;  ///< but for `longest`, which is the request's `most`
};

struct TimingRequest {
  SessionOptions session;
  const Task* task = nullptr;
  const CaseFile* case_file = nullptr;
  std::string lab;
  std::uint64_t seed = 0;
  std::vector<TimedEntry> entries;                            ///< at most one reference, at most one submission
  std::chrono::milliseconds limit{10'000};                    ///< of one call
  std::chrono::milliseconds most = std::chrono::seconds(12);  ///< of all samples together, warming up apart
  std::function<void(const std::string&)> progress;
  TimingMeans means;
};

struct EntryTimes {
  TimeEstimate time;
  TimeEstimate ratio;                  ///< to the reference, in pairs; all 1 of the reference itself, 0 without one
  measure::Quartiles ratio_quartiles;  ///< of the same pairs, for ranking; all 1 of the reference, 0 without one
  int samples = 0;                     ///< that count
  int discarded = 0;                   ///< taken while the clock was low
  std::string trouble;  ///< why there is no time: it broke, its output is not right, or no device is that fast
  std::string review;   ///< what a human should look at
};

struct TimingResult {
  std::string device;
  std::string driver_version;       ///< as the driver's management library tells it; may be empty
  std::string clocks;               ///< as SpeedVerdict::clocks
  std::string sizes;                ///< as SpeedVerdict::sizes
  double copy_rate = 0;             ///< bytes a second that a copy reached meanwhile, read and written; 0: not measured
  Work work;                        ///< of the case
  int rounds = 0;                   ///< in which samples were taken
  bool is_narrow = false;           ///< the interval became as narrow as asked for; false: time was up before
  std::vector<EntryTimes> entries;  ///< in the order of the request
};

/// Intervals of times and ratios are never told narrower than this share of them to either side: two processes that run
/// the same code on the same device differ by as much, for where their memory happens to lie.
inline constexpr double kLeastHalfWidth = 0.0025;

/// A failure says why nothing could be timed at all. Takes one worker an entry, `most` and some seconds to start and
/// warm up. To be called from a thread that lives as long as it runs (see Process); nothing else should use the device.
Expected<TimingResult> time_entries(const TimingRequest& request);

}  // namespace lanewise
