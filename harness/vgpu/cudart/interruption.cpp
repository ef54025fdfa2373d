#include "harness/vgpu/cudart/interruption.h"

#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

#include "harness/vgpu/cudart/host_process.h"
#include "harness/vgpu/cudart/runtime.h"

namespace vgpu::cudart {
namespace {

/// Of a launch that stops, or a call that comes to its end. Whoever presses Ctrl-C does not wait longer.
constexpr std::chrono::milliseconds kPatience(800);

std::atomic<bool> interrupted{false};
std::atomic<int> received{0};  // the signal
sem_t came;
pid_t owner = 0;

void let_it_end(int signal) {
  if (signal == 0) _exit(0);
  std::signal(signal, SIG_DFL);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  std::raise(signal);
}

void handle(int signal) {
  const int error = errno;
  int none = 0;
  // A process that was forked has no thread that would see to it.
  if (getpid() != owner || !received.compare_exchange_strong(none, signal)) {
    let_it_end(signal);
    return;
  }
  interrupted = true;
  sem_post(&came);
  errno = error;
}

/// A thread of its own, because a signal handler may neither wait for locks nor allocate memory. If a kernel runs, the
/// thread that runs it holds the lock until the end.
void wait_for_signal() {
  while (sem_wait(&came) != 0) {
  }
  Runtime& runtime = Runtime::get();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  bool is_mine = runtime.mutex.try_lock();
  for (; !is_mine && std::chrono::steady_clock::now() < deadline; is_mine = runtime.mutex.try_lock())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (is_mine) runtime.write_report(true);
  let_it_end(received);
}

}  // namespace

void interrupt() { interrupted = true; }

const std::atomic<bool>* interruption() { return &interrupted; }

void end_interrupted(Runtime& runtime) {
  host_process().flush();  // what kernels have printed
  runtime.write_report(true);
  let_it_end(received);
  std::abort();
}

void report_when_interrupted() {
  if (sem_init(&came, 0, 0) != 0) return;
  owner = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits it: the program's signals are not for it
  bool watched = true;
  try {
    std::thread(wait_for_signal).detach();
  } catch (const std::system_error&) {
    watched = false;  // no thread to be had: signals end the program as ever
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!watched) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_handler = &handle;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace vgpu::cudart
