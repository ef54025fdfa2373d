#include "harness/vgpu/link/wait_watch.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace vgpu::link {
namespace {

/// So often a thread must have come back before it counts as waiting.
constexpr std::size_t kEnoughReturns = 8;
/// Ignored unless a program handles it: then its threads are not looked at.
constexpr int kSignal = SIGURG;
/// For a thread to be on a processor, which shows its registers.
constexpr std::chrono::milliseconds kPatience(20);

/// The thread that is to show its registers; 0: none, kGiven: it has. One that comes too late is not asked any more.
std::atomic<pid_t> asked{0};
constexpr pid_t kGiven = -1;
WaitWatch::Place answered;

pid_t own_number() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void show_registers(int, siginfo_t*, void* context) {
  pid_t own = own_number();
  if (asked.load(std::memory_order_acquire) != own) return;
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  for (std::size_t i = 0; i <= REG_RIP; ++i) answered[i] = static_cast<std::uint64_t>(machine.gregs[i]);
#elif defined(__aarch64__)
  for (std::size_t i = 0; i < 31; ++i) answered[i] = machine.regs[i];
  answered[31] = machine.sp;
  answered[32] = machine.pc;
#endif
  asked.compare_exchange_strong(own, kGiven, std::memory_order_release);
}

/// While it lives, threads that get the signal show their registers.
class Handler {
 public:
  Handler() {
    struct sigaction action = {};
    if (sigaction(kSignal, nullptr, &before_) != 0 || before_.sa_handler != SIG_DFL) return;
    action.sa_sigaction = &show_registers;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    is_set_ = sigaction(kSignal, &action, nullptr) == 0;
  }
  ~Handler() {
    struct sigaction now = {};
    const bool is_ours = is_set_ && sigaction(kSignal, nullptr, &now) == 0 && now.sa_sigaction == &show_registers;
    if (is_ours) sigaction(kSignal, &before_, nullptr);
  }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

  /// Those of a thread that runs.
  std::optional<WaitWatch::Place> registers_of(pid_t thread) const {
    if (!is_set_) return std::nullopt;
    answered = {};
    asked.store(thread, std::memory_order_release);
    if (syscall(SYS_tgkill, getpid(), thread, kSignal) != 0) return std::nullopt;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (asked.load(std::memory_order_acquire) != kGiven && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (asked.exchange(0, std::memory_order_acquire) != kGiven) return std::nullopt;
    return answered;
  }

 private:
  struct sigaction before_ = {};
  bool is_set_ = false;
};

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool is_running(const std::string& folder) {
  const std::string line = first_line(folder + "/stat");  // number, (name), state
  const std::size_t name_ends = line.rfind(')');
  return name_ends != std::string::npos && line.compare(name_ends, 3, ") R") == 0;
}

/// Where a thread sleeps for a time; nothing if it does not, or waits for something else.
std::optional<WaitWatch::Place> bed_of(const std::string& folder) {
  const std::string line = first_line(folder + "/syscall");  // number, six arguments, stack and program counter
  const long number = std::strtol(line.c_str(), nullptr, 10);
  if (line.empty() || (number != SYS_clock_nanosleep && number != SYS_nanosleep)) return std::nullopt;
  WaitWatch::Place place{};
  const std::size_t at = line.rfind(' ', line.rfind(' ') - 1);
  if (at == std::string::npos) return std::nullopt;
  char* rest = nullptr;
  place[0] = std::strtoull(line.c_str() + at, &rest, 16);
  place[1] = std::strtoull(rest, nullptr, 16);
  return place;
}

/// How often it was on a processor.
std::uint64_t turns_of(const std::string& folder) {
  const std::string line = first_line(folder + "/schedstat");
  return std::strtoull(line.c_str() + std::min(line.rfind(' '), line.size()), nullptr, 10);
}

}  // namespace

void WaitWatch::look() {
  const Handler handler;
  std::error_code error;
  const pid_t own = own_number();
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string& folder = entry.path().native();
    const auto number = static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
    if (number == own) continue;
    const bool runs = is_running(folder);
    const std::optional<Place> found = runs ? handler.registers_of(number) : bed_of(folder);
    if (!found) continue;
    Thread& thread = threads_[number];
    if (!runs) {
      const std::uint64_t turns = turns_of(folder);
      if (std::exchange(thread.turns, turns) == turns) continue;  // it has not got up since
    }
    if (std::find(thread.places.begin(), thread.places.end(), *found) == thread.places.end())
      thread.places.push_back(*found);
    else
      ++thread.returns;
  }
}

bool WaitWatch::all_wait() const {
  const auto waits = [](const auto& known) {
    return known.second.returns >= kEnoughReturns && known.second.returns >= known.second.places.size();
  };
  return !threads_.empty() && std::all_of(threads_.begin(), threads_.end(), waits);
}

}  // namespace vgpu::link
