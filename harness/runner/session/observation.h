// What was observed when a submission ran one case: plain data, not yet judged or put into words for students.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/array.h"
#include "harness/lab/counters.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Bytes changed next to an array.
struct GuardViolation {
  std::string array;  ///< as the contract names it: "d_c"
  bool is_after = true;
  std::uint64_t bytes = 0;         ///< changed within the guard band
  std::int64_t first_element = 0;  ///< index of the nearest changed element; negative before the array
};

/// A system call the lockdown refused.
struct RefusedCall {
  std::string name;
  std::string purpose;  ///< completes "asked the system to ..."
  std::int64_t count = 0;
};

/// How a signal ended the process, according to its last message; trusted only for the wording shown to the student.
struct Crash {
  int signal = 0;
  bool is_described = false;  ///< the fields below are filled
  std::uint64_t address = 0;
  bool has_address = false;
  bool is_write = false;
  bool is_stack_overflow = false;
  std::uint64_t instruction = 0;  ///< that did it, as the shared object counts; 0: none of the submission's
  std::string place;              ///< "d_in[12]" or "element 12 of d_in, ..."; empty if the address is unknown
  OwnAllocation allocation;       ///< of the submission's own that `place` speaks of; without a name if there is none
  bool is_device_memory = false;
};

enum class RunEnding : std::uint8_t {
  kReturned,
  kCudaError,
  kThrew,
  kCrashed,
  kExited,
  kTimedOut,
  kBrokeChannel,  ///< it closed or wrote to the socket between worker and runner
  kSetupFailed,   ///< the worker says that it could not set up the case; it hosts the submission, so this may be untrue
  kNotTried,      ///< the runner itself could not set up the case
};

struct CaseObservation {
  RunEnding ending = RunEnding::kNotTried;
  std::string sentence;  ///< the CUDA error's or the exception's own words, or why the set-up failed

  int cuda_error = 0;
  std::string cuda_error_name;
  bool was_running = false;  ///< the device reported the error while the runner waited for it

  Crash crash;
  int exit_code = 0;

  bool has_outputs = false;
  std::vector<Array> outputs;
  std::vector<GuardViolation> guards;
  std::vector<std::string> changed_inputs;  ///< as the contract names them
  std::vector<Finding> findings;
  bool depends_on_order = false;        ///< or may; of blocks and warps, as far as the virtual GPU can tell
  std::optional<CounterReport> counts;  ///< if they were wanted and could be read
  std::vector<RefusedCall> refused;
  double seconds = 0;       ///< wall clock from start to end, however it ended
  double host_seconds = 0;  ///< of kTimedOut: the processor time after which it was stopped; 0: the clock struck
};

}  // namespace lanewise
