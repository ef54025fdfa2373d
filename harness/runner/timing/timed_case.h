// One worker that performs many timed calls of one case.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "harness/lab/lab.h"
#include "harness/runner/session/observation.h"
#include "harness/runner/session/session.h"

namespace lanewise {

struct TimedSample {
  CaseObservation observation;  ///< how it ended, and its outputs, guard bands and inputs, as for any case
  /// By this process's clock, from start to end, with the device idle at both. Includes an empty round trip.
  double seconds = 0;
  double event_seconds = 0;     ///< by events in the worker, which hosts foreign code: only a cross-check; 0: none
  double ready_seconds = 0;     ///< from when the worker could see the inputs until it said it was ready; 0: not known
  double settling_seconds = 0;  ///< that the device needed after the call to be free; 0: not known
  std::string review;           ///< what a human should look at, one sentence; usually empty
};

/// Memory, worker and loaded submission persist between samples; contents do not.
class TimedCase {
 public:
  /// Starts a worker and loads the submission. Later problems must have the arrays and scalars of `problem`, by name
  /// and type; lengths may differ, but arrays whose length changes are reallocated.
  static Expected<std::unique_ptr<TimedCase>> open(const SessionOptions& options,
                                                   const std::filesystem::path& shared_object, const std::string& task,
                                                   const Problem& problem, std::chrono::milliseconds limit);
  virtual ~TimedCase() = default;

  /// Copies the inputs of `problem` to the device, poisons the outputs, resets persisting L2 lines, flushes the L2
  /// cache, waits until the device is idle; then start, the call, a device-wide synchronise, end.
  virtual TimedSample sample(const Problem& problem) = 0;

  /// Takes back a sample after use, so that the outputs of the next one need no new memory: for gigabytes, the page
  /// faults alone take a second.
  virtual void give_back(TimedSample&& /*sample*/) {}

  /// Seconds from start to end around nothing: all of a sample's seconds except the call; 0 if it cannot.
  virtual double empty_round_trip() = 0;

  /// Seconds that the device takes to copy this many bytes within device memory, less an empty round trip and with none
  /// of them in the L2 cache; 0 if it cannot.
  virtual double copy_seconds(std::uint64_t bytes) = 0;

  /// False once a submission has broken its worker.
  virtual bool is_usable() const = 0;
  virtual const DeviceInfo& device() const = 0;
};

}  // namespace lanewise
