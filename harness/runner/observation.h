// What was seen when a submission ran one case: plain data, neither judged nor put into words for a student yet.
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

/// How a signal ended the process, as its last message says; believed only as far as words for the student go.
struct Crash {
  int signal = 0;
  bool is_described = false;  ///< the fields below are filled
  std::uint64_t address = 0;
  bool has_address = false;
  bool is_write = false;
  bool is_stack_overflow = false;
  std::string place;  ///< "d_in[12]" or "element 12 of d_in, ..."; empty if the address is nothing known
  bool is_device_memory = false;
};

enum class RunEnding : std::uint8_t {
  kReturned,
  kCudaError,
  kThrew,
  kCrashed,
  kExited,
  kTimedOut,
  kBrokeChannel,  ///< it closed or wrote into the socket between worker and runner
  kSetupFailed,   ///< the worker says that it could not set the case up; it hosts the submission, so it may lie
  kNotTried,      ///< the runner itself could not set the case up
};

struct CaseObservation {
  RunEnding ending = RunEnding::kNotTried;
  std::string sentence;  ///< the CUDA error's or the exception's own words, or why the set-up failed

  int cuda_error = 0;
  std::string cuda_error_name;
  bool was_running = false;  ///< the error came from the device while it was waited for

  Crash crash;
  int exit_code = 0;

  bool has_outputs = false;
  std::vector<Array> outputs;
  std::vector<GuardViolation> guards;
  std::vector<std::string> changed_inputs;  ///< as the contract names them
  std::vector<Finding> findings;
  std::optional<CounterReport> counts;  ///< if they were wanted, and could be read
  std::vector<RefusedCall> refused;
  double seconds = 0;  ///< wall clock from go to the end, whichever it was
};

}  // namespace lanewise
