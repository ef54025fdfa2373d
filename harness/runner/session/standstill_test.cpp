// Nothing of a process runs while it stands still, and all of it goes on afterwards.
#include "harness/runner/session/standstill.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

namespace lanewise {
namespace {

constexpr std::size_t kThreads = 3;  // more than there may be cores
constexpr std::chrono::milliseconds kWhile(50);

using Counts = std::array<std::atomic<long>, kThreads>;

// A process with threads that count, in memory that both can see.
class CountingProcess {
 public:
  CountingProcess() {
    void* const shared = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    counts_ = new (shared) Counts{};
    id_ = fork();
    if (id_ != 0) return;
    for (std::size_t i = 1; i < kThreads; ++i) std::thread([this, i] { count(i); }).detach();
    count(0);
  }
  ~CountingProcess() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    munmap(counts_, sizeof(Counts));
  }
  CountingProcess(const CountingProcess&) = delete;
  CountingProcess& operator=(const CountingProcess&) = delete;

  pid_t id() const { return id_; }
  std::array<long, kThreads> counts() const {
    std::array<long, kThreads> now{};
    for (std::size_t i = 0; i < kThreads; ++i) now[i] = (*counts_)[i];
    return now;
  }
  bool do_all_count() const {
    const auto before = counts();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (std::size_t i = 0; i < kThreads; ++i)
      while (counts()[i] == before[i])
        if (std::chrono::steady_clock::now() > deadline) return false;
    return true;
  }

 private:
  [[noreturn]] void count(std::size_t i) {
    for (;;) ++(*counts_)[i];
  }

  Counts* counts_;
  pid_t id_;
};

TEST(Standstill, NoThreadRunsUntilItEnds) {
  const CountingProcess process;
  ASSERT_TRUE(process.do_all_count());
  std::optional<Standstill> standstill(process.id());
  EXPECT_TRUE(standstill->is_complete());
  const auto before = process.counts();
  std::this_thread::sleep_for(kWhile);
  EXPECT_EQ(process.counts(), before);
  standstill.reset();
  EXPECT_TRUE(process.do_all_count());
}

TEST(Standstill, OfAProcessThatHasEndedIsComplete) {
  const pid_t id = fork();
  if (id == 0) _exit(0);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(Standstill(id).is_complete());
  waitpid(id, nullptr, 0);
}

// To the system, -1 is every process there is.
TEST(Standstill, OfNoProcessStopsNone) {
  const CountingProcess process;
  const Standstill standstill(-1);
  EXPECT_FALSE(standstill.is_complete());
  EXPECT_TRUE(process.do_all_count());
}

}  // namespace
}  // namespace lanewise
