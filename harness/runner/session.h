// One worker and the conversation with it: the only place where the runner meets foreign code.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "harness/lab/lab.h"
#include "harness/runner/case_layout.h"
#include "harness/runner/observation.h"
#include "harness/runner/process.h"
#include "harness/runner/refused_calls.h"
#include "harness/worker/channel.h"

namespace lanewise {

struct SessionOptions {
  std::filesystem::path worker;
  std::filesystem::path runtime;  ///< libcudart to host the submission on
  std::string monitors;           ///< for the virtual GPU
  std::string profile;            ///< the device the virtual GPU stands for; empty: its own choice
  /// For what is the worker's own to do (uploads, downloads), beside time for the bytes to be moved.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
};

/// What a worker says about the device; shown, never relied on.
struct DeviceInfo {
  std::string name;
  std::string runtime_version;
  std::string driver_version;
};

/// What loading a submission gave.
struct LoadObservation {
  bool is_loaded = false;
  bool is_defined = false;  ///< the contract's function exists
  bool is_empty = false;    ///< and does nothing
  CaseObservation trouble;  ///< how the process ended, when it is not loaded
};

/// A live worker, or one that was live: once a submission broke it, is_usable() is false and another session is needed.
class Session {
 public:
  /// Starts a worker. From then on this process is closed to others of the same user (debuggers too; never to root).
  static Expected<std::unique_ptr<Session>> start(const SessionOptions& options);

  const DeviceInfo& device() const { return device_; }
  bool is_usable() const { return is_usable_; }
  /// Process id the worker has or had, which is also the number of its session.
  pid_t worker_id() const { return worker_id_; }

  LoadObservation load(const std::filesystem::path& shared_object, const std::string& task,
                       std::chrono::milliseconds limit);

  /// Runs one case. `limit` is the wall clock of the submission's own part, between go and done.
  CaseObservation run(const Problem& problem, const std::string& case_name, std::chrono::milliseconds limit,
                      const CaseOptions& options);

  /// What the submission has printed so far.
  const CapturedOutput& printed() const { return printed_; }

 private:
  enum class Wait { kPacket, kEnded, kTimedOut };

  Session(Process process, Descriptor socket, std::chrono::milliseconds patience);

  Wait wait_for_packet(Clock::time_point deadline);
  bool greet(std::string& failure);

  // Waits for a Message. If something else happens, fills in how the session ended and makes it unusable.
  template <class Message>
  bool expect(Message& message, std::chrono::milliseconds limit, CaseObservation& observation);

  bool exchange(CaseLayout& layout, const std::string& case_name, std::chrono::milliseconds limit,
                CaseObservation& observation);
  void note_crash(const protocol::Crashed& crashed);
  void note_end(CaseObservation& observation);

  Process process_;
  Descriptor socket_;
  RefusedCalls refused_;
  CapturedOutput printed_;
  DeviceInfo device_;
  Packet packet_;
  Crash crash_;
  const Problem* problem_ = nullptr;  // while a case runs
  const CaseLayout* layout_ = nullptr;
  pid_t worker_id_;
  std::chrono::milliseconds patience_;
  bool is_usable_ = true;
};

}  // namespace lanewise
