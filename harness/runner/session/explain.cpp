// The words of the verdict.
#include "harness/runner/session/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

// In the sentences of failures that another program's use of memory may have caused.
constexpr const char* kKilled = "SIGKILL, most likely for using too much memory";
constexpr const char* kOutOfMemory = "cudaErrorMemoryAllocation";

constexpr int kCudaErrorLaunchTimeout = 702;
constexpr std::uint64_t kNullPage = 4096;  // addresses below come from a null pointer and a small index

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV, invalid memory access";
    case SIGBUS:
      return "SIGBUS, invalid memory access";
    case SIGFPE:
      return "SIGFPE, an integer division by zero";
    case SIGILL:
      return "SIGILL, an illegal instruction";
    case SIGABRT:
      return "SIGABRT: abort(), a failed assert or an uncaught exception";
    case SIGKILL:
      return kKilled;
    case SIGXFSZ:
      return "SIGXFSZ, a file larger than allowed";
    case SIGXCPU:
      return "SIGXCPU, too much processor time";
    default:
      return nullptr;
  }
}

std::string count_of(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

std::string explain_crash(const Crash& crash) {
  if (crash.is_stack_overflow)
    return "host code overflowed its stack: endless recursion, or a local array that is too large";
  if (crash.has_address) {
    const char* const verb = crash.is_write ? "wrote" : "read";
    if (crash.is_device_memory)
      return fmt::format("host code {} {}: that memory belongs to the device; copy it with cudaMemcpy first", verb,
                         crash.place);
    if (!crash.place.empty()) return fmt::format("host code crashed when it {} {}", verb, crash.place);
    if (crash.address < kNullPage) return fmt::format("host code {} through a null pointer", verb);
    return fmt::format("host code {} an address outside its own memory ({:#x})", verb, crash.address);
  }
  const char* const name = signal_name(crash.signal);
  return name ? fmt::format("host code was terminated by {}", name)
              : fmt::format("host code was terminated by signal {}", crash.signal);
}

// The element of a mismatch as a student would write it: "out[1024]", or "out[3, 5]" for a matrix.
std::string element_text(const Mismatch& mismatch) {
  return fmt::format("{}[{}]", mismatch.output, fmt::join(mismatch.index, ", "));
}

// Whether every wrong element of single-byte outputs still holds the poison, which one value alone cannot tell.
bool all_untouched(const Judgement& judgement, const std::vector<Array>& got) {
  std::int64_t untouched = 0;
  for (const Array& output : got) {
    if (size_of(output.dtype) != 1) return false;
    untouched += std::count(output.bytes.begin(), output.bytes.end(), kPoison);
  }
  const auto is_poison = [](const Mismatch& mismatch) {
    return mismatch.got == std::to_string(std::to_integer<int>(kPoison));
  };
  return judgement.wrong >= 8 && untouched >= judgement.wrong &&
         std::all_of(judgement.first.begin(), judgement.first.end(), is_poison);
}

}  // namespace

Explained explain_ending(const CaseObservation& observation, double limit_seconds) {
  switch (observation.ending) {
    case RunEnding::kReturned:
      return {CaseOutcome::kRight, ""};
    case RunEnding::kCudaError: {
      const std::string error =
          fmt::format("{} ({}, code {})", observation.cuda_error_name, observation.sentence, observation.cuda_error);
      if (observation.cuda_error == kCudaErrorLaunchTimeout)
        return {CaseOutcome::kTimedOut, fmt::format("a kernel did not end and was stopped: {}", error)};
      if (observation.was_running) return {CaseOutcome::kCudaError, fmt::format("a kernel failed: {}", error)};
      return {CaseOutcome::kCudaError, fmt::format("left a CUDA error behind: {}", error)};
    }
    case RunEnding::kThrew:
      return {CaseOutcome::kCrashed, fmt::format("host code threw an exception: {}", observation.sentence)};
    case RunEnding::kCrashed:
      return {CaseOutcome::kCrashed, explain_crash(observation.crash)};
    case RunEnding::kExited:
      return {CaseOutcome::kExited,
              fmt::format("ended the whole program with exit code {}; return from the function instead",
                          observation.exit_code)};
    case RunEnding::kTimedOut:
      if (observation.host_seconds > 0)
        return {CaseOutcome::kTimedOut,
                fmt::format("host code had run for {} seconds and was stopped", observation.host_seconds)};
      return {CaseOutcome::kTimedOut, fmt::format("had not finished after {} seconds and was stopped", limit_seconds)};
    case RunEnding::kBrokeChannel:
      return {CaseOutcome::kExited,
              "closed or wrote to file descriptors it did not open, which cut it off from the harness"};
    case RunEnding::kSetupFailed:
      return {CaseOutcome::kNotRun, fmt::format("could not be set up: {}", observation.sentence)};
    case RunEnding::kNotTried:
      return {CaseOutcome::kLeftOut, observation.sentence};
  }
  return {};
}

std::string explain_mismatch(const Judgement& judgement, const std::vector<Array>& got) {
  if (judgement.right || judgement.first.empty()) return "";
  const Mismatch& first = judgement.first.front();
  const bool is_untouched = first.got == kNeverWritten || all_untouched(judgement, got);
  std::string sentence = is_untouched
                             ? fmt::format("{} was never written, expected {}", element_text(first), first.expected)
                             : fmt::format("{} is {}, expected {}", element_text(first), first.got, first.expected);
  if (judgement.compared == 1) return sentence;
  sentence += fmt::format("; {} of {} wrong", with_commas(judgement.wrong), with_commas(judgement.compared));
  if (!judgement.region.empty()) sentence += ", " + judgement.region;
  return sentence;
}

std::string explain_stray_writes(const CaseObservation& observation) {
  std::vector<std::string> parts;
  for (const GuardViolation& guard : observation.guards)
    parts.push_back(fmt::format(
        "wrote {} {} of {}, nearest at {}[{}]", count_of(static_cast<std::int64_t>(guard.bytes), "byte"),
        guard.is_after ? "past the end" : "before the beginning", guard.array, guard.array, guard.first_element));
  for (const std::string& input : observation.changed_inputs)
    parts.push_back(fmt::format("changed its input {}", input));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<Finding> explain_refused(const std::vector<RefusedCall>& refused, const std::string& case_name) {
  std::vector<Finding> findings;
  for (const RefusedCall& call : refused) {
    Finding finding;
    finding.tool = "lockdown";
    finding.kind = "refused " + call.name;
    finding.sentence = fmt::format("host code asked the system to {} ({}) and was refused", call.purpose, call.name);
    finding.advice = "A submission needs only one host thread, CUDA, memory and its output.";
    finding.count = call.count;
    finding.case_name = case_name;
    findings.push_back(std::move(finding));
  }
  return findings;
}

bool may_end_otherwise(const CaseVerdict& verdict) {
  switch (verdict.outcome) {
    case CaseOutcome::kTimedOut:
    case CaseOutcome::kNotRun:
    case CaseOutcome::kLeftOut:
      return true;
    case CaseOutcome::kCudaError:
    case CaseOutcome::kCrashed:
      return verdict.sentence.find(kKilled) != std::string::npos ||
             verdict.sentence.find(kOutOfMemory) != std::string::npos;
    case CaseOutcome::kRight:
    case CaseOutcome::kWrong:
    case CaseOutcome::kExited:
      break;
  }
  return false;
}

std::string describe_scalars(const Problem& problem) {
  std::string text;
  for (const Scalar& scalar : problem.scalars) {
    const auto* integer = std::get_if<std::int64_t>(&scalar.value);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", scalar.name,
                        integer ? std::to_string(*integer) : fmt::format("{}", std::get<double>(scalar.value)));
  }
  return text;
}

}  // namespace lanewise
