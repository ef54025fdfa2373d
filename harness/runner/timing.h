// Times several entries at one case, sample by sample in turn, so that whatever the machine does befalls all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"
#include "harness/runner/session.h"

namespace lanewise {

enum class TimedRole : std::uint8_t { kBaseline, kReference, kSubmission, kPeer };

struct TimedEntry {
  TimedRole role = TimedRole::kSubmission;
  std::string name;                    ///< of its file
  std::filesystem::path shared_object;
};

struct TimingRequest {
  SessionOptions session;
  const Task* task = nullptr;
  const CaseFile* case_file = nullptr;
  std::string lab;
  std::uint64_t seed = 0;
  std::vector<TimedEntry> entries;  ///< one reference, at most one submission
  std::chrono::milliseconds limit;  ///< of one call
  std::chrono::milliseconds most = std::chrono::seconds(12);  ///< of all samples together
  std::function<void(const std::string&)> progress;
};

struct EntryTimes {
  TimeEstimate time;
  TimeEstimate ratio;      ///< to the reference, in pairs
  int samples = 0;         ///< that count
  int discarded = 0;
  std::string trouble;     ///< why there is no time: it broke, or its output is not right
  std::string review;      ///< what a human should look at
};

struct TimingResult {
  std::string device;
  std::string clocks;          ///< as SpeedVerdict::clocks
  std::string sizes;
  double copy_rate = 0;        ///< bytes a second that a copy reached meanwhile, read and written; 0: not measured
  Work work;                   ///< of the case
  std::vector<EntryTimes> entries;  ///< in the order of the request
};

/// A failure says why nothing could be timed at all.
Expected<TimingResult> time_entries(const TimingRequest& request);

}  // namespace lanewise
