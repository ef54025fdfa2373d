#include "harness/vgpu/link/idle_watch.h"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/link/program.h"

namespace vgpu::link {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(100);
constexpr int kLooks = 5;               ///< without a call, before work that has one order is done
constexpr int kLooksForAnyOrder = 100;  ///< before any is

[[noreturn]] void watch(const Program& program) {
  std::uint64_t known = program.calls();
  for (int looks = 0;;) {
    std::this_thread::sleep_for(kBetweenLooks);
    if (known != program.calls() || !program.is_used()) {
      known = program.calls();
      looks = 0;
    } else if (++looks == kLooks || looks == kLooksForAnyOrder) {
      vgpuRunPending(looks == kLooksForAnyOrder ? 1 : 0);
      ++known;  // this call
    }
  }
}

}  // namespace

void watch_idle_program(const Program& program) {
  if (std::getenv("LANEWISE_VGPU_DEVICES_AT") != nullptr) return;  // graded
  sigset_t others, before;
  sigfillset(&others);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&others, fault);
  pthread_sigmask(SIG_SETMASK, &others, &before);  // the new thread inherits it: the program's signals are not for it
  try {
    std::thread([&program] { watch(program); }).detach();
  } catch (const std::system_error&) {  // no thread to be had: such a program waits for ever
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace vgpu::link
