// One worker and the exchange with it: the only place where the runner deals with foreign code.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/runner/confinement.h"
#include "harness/runner/process.h"
#include "harness/runner/session/case_layout.h"
#include "harness/runner/session/devices.h"
#include "harness/runner/session/gpu_memory.h"
#include "harness/runner/session/observation.h"
#include "harness/runner/session/refused_calls.h"
#include "harness/runner/session/standstill.h"
#include "harness/worker/channel.h"

namespace lanewise {

struct SessionOptions {
  std::filesystem::path worker;
  std::filesystem::path runtime;          ///< libcudart to host the submission on
  std::filesystem::path devices;          ///< lanewise-device, if the runtime's devices are in a process of their own
  std::string monitors;                   ///< for the virtual GPU
  std::string profile;                    ///< the device that the virtual GPU models; empty: its default
  std::shared_ptr<GpuMemory> gpu_memory;  ///< of a real GPU, for sessions that take turns; null: one of its own
  /// For the worker's own work (uploads, downloads), in addition to the time for moving the bytes.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
  Confinement confinement;
  std::vector<std::filesystem::path> readable;  ///< shared objects that a confined worker will load
};

/// What a worker says about the device; for display, never relied on.
struct DeviceInfo {
  std::string name;
  std::string runtime_version;
  std::string driver_version;
  std::string bus_id;  ///< "00000000:1b:00.0", its name in NVML
};

/// The result of loading a submission.
struct LoadObservation {
  bool is_loaded = false;
  bool is_defined = false;  ///< the contract's function exists
  bool is_empty = false;    ///< and does nothing
  CaseObservation trouble;  ///< how the process ended, if it is not loaded
};

/// A worker, live or not: once a submission has broken it, is_usable() is false and a new session is needed.
class Session {
 public:
  /// Starts a worker. From then on other processes of the same user cannot access this one (nor can debuggers, except
  /// root's).
  static Expected<std::unique_ptr<Session>> start(const SessionOptions& options);

  const DeviceInfo& device() const { return device_; }
  bool is_usable() const { return is_usable_; }
  /// Process id of the worker, past or present; -1 if it did not start.
  pid_t worker_id() const { return worker_id_; }

  /// With `is_timed` the worker acquires what timed calls need before it loads the submission.
  LoadObservation load(const std::filesystem::path& shared_object, const std::string& task,
                       std::chrono::milliseconds limit, bool is_timed = false);

  /// Runs one case. `limit` is the wall clock of the submission's own part, from start to end.
  CaseObservation run(const Problem& problem, const std::string& case_name, std::chrono::milliseconds limit,
                      const CaseOptions& options);

  /// The steps of run(), for callers that run many problems in one allocation (timed_case.h). A step that returns false
  /// has filled in what happened instead; the session is then unusable.
  bool prepare(CaseLayout& layout, CaseObservation& observation);
  bool arm(protocol::Activity activity, std::uint64_t bytes, CaseObservation& observation);
  /// Also sets `seconds`. The wait for a timed call first spins before it sleeps.
  bool call(std::chrono::milliseconds limit, bool is_timed, CaseObservation& observation);
  /// `observation` must be that of the call. Also false if the call ended in a way that makes another one pointless.
  bool fetch(CaseLayout& layout, const std::string& case_name, InputCheck inputs, CaseObservation& observation);
  /// The layout and its problem may be destroyed now.
  void leave_case() { layout_ = nullptr; }
  /// Time of the last call fetched, by events in the worker; 0: none.
  double event_seconds() const { return event_seconds_; }
  /// How long the worker took to be ready for that call, from the moment when its inputs were within its reach; 0: not
  /// known.
  double ready_seconds() const { return gpu_memory_ ? ready_seconds_ : 0; }
  /// How long a GPU took, after that call had ended, to be free of the work of others; 0: not known.
  double settling_seconds() const { return gpu_memory_ ? gpu_memory_->settling_seconds() : 0; }
  /// System calls refused since the last call of this function.
  std::vector<RefusedCall> take_refused() { return refused_.take(); }

  /// What the submission has printed so far.
  const CapturedOutput& printed() const { return printed_; }

 private:
  enum class Wait { kPacket, kEnded, kTimedOut };

  Session(Process process, Descriptor socket, std::unique_ptr<Devices> devices, std::chrono::milliseconds patience);

  // Whether the call has used up CaseOptions::host_limit.
  bool has_host_overrun() const;
  Wait wait_for_packet(Clock::time_point deadline, Clock::time_point awake_until);
  bool greet(std::string& failure);

  // Waits for a Message. If something else happens, fills in how the session ended and makes it unusable.
  template <class Message>
  bool expect(Message& message, std::chrono::milliseconds limit, CaseObservation& observation,
              std::chrono::milliseconds awake = {});

  // What a virtual GPU has to do for the steps of a case. False as for the steps themselves.
  bool place_on_devices(CaseLayout& layout, CaseObservation& observation);
  bool begin_on_devices(const CaseOptions& options, CaseObservation& observation);
  bool lose_devices(CaseObservation& observation);
  // The same for a GPU's memory.
  bool place_on_gpu(CaseLayout& layout, CaseObservation& observation);
  bool fetch_from_gpu(CaseLayout& layout, InputCheck inputs, CaseObservation& observation);
  int block_descriptor();  // -1 if the worker has it
  // The device, or what is needed of the worker, is not to be had. Returns false.
  bool give_up(CaseObservation& observation, const std::string& sentence);
  // What it saw, and, if the arrays were placed there, what they hold; false if that cannot be read.
  bool fetch_from_devices(CaseLayout& layout, const std::string& case_name, InputCheck inputs,
                          CaseObservation& observation);

  std::chrono::milliseconds transfer_limit(std::uint64_t bytes) const;
  void note_crash(const protocol::Crashed& crashed);
  void note_end(CaseObservation& observation);

  std::unique_ptr<Devices> devices_;       // null where the runtime has a device of its own
  std::shared_ptr<GpuMemory> gpu_memory_;  // where that has memory that two processes can map
  int known_block_ = 0;
  Process process_;
  Descriptor socket_;
  RefusedCalls refused_;
  CapturedOutput printed_;
  DeviceInfo device_;
  Packet packet_;
  Crash crash_;
  const CaseLayout* layout_ = nullptr;    // from prepare() to leave_case()
  std::optional<Standstill> standstill_;  // of the worker, between the end of a call and the next message to it
  double event_seconds_ = 0;
  double ready_seconds_ = 0;
  std::optional<std::chrono::nanoseconds> host_deadline_;  // of the worker's processor time, during a call
  pid_t worker_id_;
  std::chrono::milliseconds patience_;
  bool is_usable_ = true;
};

}  // namespace lanewise
