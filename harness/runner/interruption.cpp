// A table of process ids that a signal handler can walk through: atomics, kill() and raise(), and nothing else.
#include "harness/runner/interruption.h"

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>

namespace lanewise {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
// More children at a time than anyone starts; what does not find room is left to the kernel.
constexpr std::size_t kMostChildren = 2048;

static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler must not wait for a lock");
std::array<std::atomic<pid_t>, kMostChildren> leaders{};  // 0: free; global, since a handler is given nothing

std::atomic<bool> is_noting{false};
std::atomic<bool> was_interrupted{false};

void end_children(int signal) {
  for (const std::atomic<pid_t>& slot : leaders)
    if (const pid_t leader = slot.load(); leader != 0) {
      kill(-leader, SIGKILL);
      kill(leader, SIGKILL);
    }
  if (signal == SIGINT && is_noting.load() && !was_interrupted.exchange(true)) return;
  std::signal(signal, SIG_DFL);
  raise(signal);  // takes effect when this returns, and now as it would have without us
}

void install_handlers() {
  for (const int signal : kSignals) {
    struct sigaction current {};
    // Whoever ignores or handles it has other plans.
    if (sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = end_children;
    ours.sa_flags = SA_RESTART;
    sigaction(signal, &ours, nullptr);
  }
}

void install_once() {
  static std::once_flag installed;
  std::call_once(installed, install_handlers);
}

}  // namespace

void note_interruption() {
  is_noting.store(true);
  install_once();
}

bool is_interrupted() { return was_interrupted.load(); }

void register_leader(pid_t leader) {
  install_once();
  for (std::atomic<pid_t>& slot : leaders) {
    pid_t free = 0;
    if (slot.compare_exchange_strong(free, leader)) return;
  }
}

void release_leader(pid_t leader) {
  for (std::atomic<pid_t>& slot : leaders) {
    pid_t expected = leader;
    if (slot.compare_exchange_strong(expected, 0)) return;
  }
}

}  // namespace lanewise
