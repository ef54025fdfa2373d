// One worker that is asked for many timed calls of one case.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "harness/lab/lab.h"
#include "harness/runner/observation.h"
#include "harness/runner/session.h"

namespace lanewise {

struct TimedSample {
  CaseObservation observation;  ///< how it ended, and its outputs, guard bands and inputs, as of any case
  /// By this process's clock, from go to done, with the device idle at both ends. An empty round trip is part of it.
  double seconds = 0;
  double event_seconds = 0;  ///< by events in the worker, which hosts foreign code: a cross-check; 0: none
  std::string review;        ///< what a human should look at, one sentence; mostly empty
};

/// Memory, worker and loaded submission stay from sample to sample; contents do not.
class TimedCase {
 public:
  /// Starts a worker and loads the submission. Later problems must have the arrays and scalars of `problem`, by name
  /// and type; lengths may differ, but arrays of another length than before are allocated anew.
  static Expected<std::unique_ptr<TimedCase>> open(const SessionOptions& options,
                                                   const std::filesystem::path& shared_object, const std::string& task,
                                                   const Problem& problem, std::chrono::milliseconds limit);
  virtual ~TimedCase() = default;

  /// Brings the inputs of `problem` to the device, poisons the outputs, resets what persists in the L2 cache, flushes
  /// it, waits until the device is idle; then go, the call, device-wide synchronise, done.
  virtual TimedSample sample(const Problem& problem) = 0;

  /// Takes back a sample that was looked at, so that the outputs of the next one need no new memory: of gigabytes, the
  /// page faults alone take a second.
  virtual void give_back(TimedSample&& /*sample*/) {}

  /// Seconds from go to done around nothing: all that a sample's seconds have in them beside the call; 0 if it cannot.
  virtual double empty_round_trip() = 0;

  /// Seconds that the device takes to copy so many bytes from device memory to device memory, less an empty round trip,
  /// with none of them in the L2 cache; 0 if it cannot.
  virtual double copy_seconds(std::uint64_t bytes) = 0;

  /// False once a submission broke its worker.
  virtual bool is_usable() const = 0;
  virtual const DeviceInfo& device() const = 0;
};

}  // namespace lanewise
