// The signal handler. Everything it touches was prepared before; it calls async-signal-safe functions only.
#include "harness/worker/crash_report.h"

#include <pthread.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "harness/worker/channel.h"

namespace lanewise {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// A frame with a large local array can step over the guard page by this much and still be a stack overflow.
constexpr std::uintptr_t kFarthestBelowStack = 256 << 20;
constexpr std::uintptr_t kLargestSubmission = 256 << 20;

// A signal handler receives no argument of ours: what it needs must be reachable from here.
struct HandlerState {
  int socket = -1;
  const CaseMemory* memory = nullptr;
  std::uintptr_t stack_low = 0;
  std::uintptr_t submission_base = 0;
  protocol::Crashed message{};
};
HandlerState handler_state;                            // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
alignas(16) std::array<char, 64 << 10> handler_stack;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

std::uintptr_t instruction_at(const mcontext_t& at) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(at.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return at.pc;
#endif
}

// Whether a memory access that faulted was to write.
bool was_write(const mcontext_t& at) {
#if defined(__x86_64__)
  constexpr std::uint64_t kWrite = 2;  // bit of the page-fault error code: Intel SDM, volume 3, 4.7
  return (static_cast<std::uint64_t>(at.gregs[REG_ERR]) & kWrite) != 0;
#elif defined(__aarch64__)
  constexpr std::uint64_t kWriteNotRead = 1 << 6;  // bit of ESR_EL1 for data aborts: Arm ARM, D17.2.37
  // Among the records behind the registers, each of which says what it is and how long; 0 ends them.
  for (std::size_t begin = 0; begin + sizeof(esr_context) <= sizeof(at.__reserved);) {
    esr_context record;
    std::memcpy(&record, at.__reserved + begin, sizeof record);
    if (record.head.magic == ESR_MAGIC) return (record.esr & kWriteNotRead) != 0;
    if (record.head.magic == 0 || record.head.size == 0) break;
    begin += record.head.size;
  }
  return false;
#endif
}

void look_up_address(protocol::Crashed& message) {
  if (const CaseMemory* const memory = handler_state.memory) {
    // An index a little outside an array is still an index of that array: the guard bands belong to it.
    for (std::size_t i = 0; i < memory->arrays().size(); ++i) {
      const auto begin = reinterpret_cast<std::uintptr_t>(memory->arrays()[i].data);
      const protocol::ArrayPlace& place = memory->description().arrays[i];
      const std::uintptr_t low = begin - protocol::kGuardBytes;
      if (begin == 0 || message.address < low ||
          message.address - begin + protocol::kGuardBytes >= place.bytes + 2 * protocol::kGuardBytes)
        continue;
      const auto offset = static_cast<std::int64_t>(message.address - begin);
      const auto size = static_cast<std::int64_t>(element_bytes(place.dtype));
      message.array = static_cast<std::int32_t>(i);
      message.element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
      return;
    }
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  protocol::Crashed& message = handler_state.message;
  message.signal = signal;
  message.array = -1;
  message.was_raised = info->si_code <= 0;
  const std::uintptr_t instruction = instruction_at(static_cast<const ucontext_t*>(context)->uc_mcontext);
  const std::uintptr_t base = handler_state.submission_base;
  message.instruction = base != 0 && instruction - base < kLargestSubmission ? instruction - base : 0;
  if ((signal == SIGSEGV || signal == SIGBUS) && !message.was_raised) {
    message.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    message.is_write = was_write(static_cast<const ucontext_t*>(context)->uc_mcontext);
    const std::uintptr_t low = handler_state.stack_low;
    message.is_stack_overflow = message.address < low && low - message.address < kFarthestBelowStack;
    if (!message.is_stack_overflow) look_up_address(message);
  }
  send_message(handler_state.socket, message);
  // The handler was reset on entry (SA_RESETHAND): a fault happens again on return and ends the process; a raised
  // signal must be raised again.
  if (message.was_raised) raise(signal);
}

// The lowest address the main thread's stack may grow down to.
std::uintptr_t lowest_stack_address() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(low);
}

}  // namespace

std::string report_crashes(int socket) {
  handler_state.socket = socket;
  handler_state.stack_low = lowest_stack_address();
  handler_state.message = protocol::make_message<protocol::Crashed>();

  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  if (sigaltstack(&stack, nullptr) != 0) return "the worker's signal stack could not be set up";
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (const int signal : kSignals)
    if (sigaction(signal, &action, nullptr) != 0) return "the worker's signal handlers could not be set up";
  return "";
}

void watch_submission(std::uintptr_t base) { handler_state.submission_base = base; }

void watch_case(const CaseMemory* memory) { handler_state.memory = memory; }

}  // namespace lanewise
