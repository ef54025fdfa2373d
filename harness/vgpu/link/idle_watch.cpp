#include "harness/vgpu/link/idle_watch.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/link/program.h"
#include "harness/vgpu/link/wait_watch.h"

namespace vgpu::link {
namespace {

using std::chrono::milliseconds;

/// Without a call, before anybody is looked at.
constexpr milliseconds kIdle(20);
constexpr milliseconds kBetweenLooks(1);
constexpr int kLooks = 64;  // then the watch begins anew, after a rest: who computes is not to be slowed down
constexpr milliseconds kLongestRest(500);
/// After so long, work whose order is certain is done whatever the program does.
constexpr std::chrono::seconds kLongIdle(3);

class IdleWatch {
 public:
  explicit IdleWatch(Program& program) : program_(program) {}

  [[noreturn]] void run() {
    for (std::uint64_t known = calls();;) {
      std::this_thread::sleep_for(kIdle);
      const std::uint64_t now = calls();
      if (std::exchange(known, now) == now && now != settled_) see_to_it(now);
    }
  }

 private:
  /// That others have made.
  std::uint64_t calls() const { return program_.calls() - own_calls_; }

  int run_pending(int which) {
    ++own_calls_;
    return vgpuRunPending(which);
  }

  void see_to_it(std::uint64_t known) {
    const auto deadline = std::chrono::steady_clock::now() + kLongIdle;
    const bool is_pending = run_pending(vgpuPendingNone) != 0;
    WaitWatch watch;
    milliseconds rest = kIdle;
    for (int looks = 1; is_pending && calls() == known; ++looks) {
      watch.look();
      if (watch.all_wait()) {
        run_pending(vgpuPendingAwaited);
        break;
      }
      if (looks % kLooks == 0 && std::chrono::steady_clock::now() > deadline && run_pending(vgpuPendingOrdered) == 0)
        break;
      if (looks % kLooks == 0) {
        watch.forget();
        std::this_thread::sleep_for(rest);
        rest = std::min(2 * rest, kLongestRest);
      }
      std::this_thread::sleep_for(kBetweenLooks);
    }
    settled_ = known;
  }

  Program& program_;
  std::uint64_t own_calls_ = 0;
  std::uint64_t settled_ = ~std::uint64_t{0};  ///< after so many calls nothing is left to be seen to
};

void start(Program& program) {
  if (std::getenv("LANEWISE_VGPU_DEVICES_AT") != nullptr) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits it: the program's signals are not for it
  try {
    std::thread([&program] { IdleWatch(program).run(); }).detach();
  } catch (const std::system_error&) {  // no thread to be had: such a program waits for ever
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void watch_idle_program(Program& program) {
  static const bool kIsStarted = (start(program), true);
  static_cast<void>(kIsStarted);
}

}  // namespace vgpu::link
