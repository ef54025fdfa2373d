// Children run in a clean environment, within their limits, and end with everything they started.
#include "harness/runner/process.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

namespace lanewise {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kGenerous(20);

ProcessOptions shell(const std::string& script) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-c", script};
  options.environment = {"PATH=/usr/bin:/bin"};
  return options;
}

Finished run(const ProcessOptions& options, milliseconds limit = kGenerous, std::size_t most_output = 1 << 16) {
  auto finished = run_to_end(options, limit, most_output);
  EXPECT_TRUE(finished) << finished.sentence();
  return finished ? *finished : Finished{};
}

TEST(Process, BothOutputsArriveInOrder) {
  const Finished finished = run(shell("echo one; echo two >&2; echo three"));
  EXPECT_TRUE(finished.succeeded());
  EXPECT_EQ(finished.output, "one\ntwo\nthree\n");
}

TEST(Process, ExitCodeAndSignalAreTold) {
  const Finished failed = run(shell("exit 3"));
  EXPECT_FALSE(failed.succeeded());
  EXPECT_EQ(WEXITSTATUS(failed.status), 3);
  const Finished killed = run(shell("kill -TERM $$"));
  ASSERT_TRUE(WIFSIGNALED(killed.status));
  EXPECT_EQ(WTERMSIG(killed.status), SIGTERM);
}

TEST(Process, EnvironmentIsWhatWasGiven) {
  setenv("LANEWISE_SECRET", "visible", 1);
  EXPECT_EQ(run(shell("echo \"[$LANEWISE_SECRET]\"")).output, "[]\n");
  unsetenv("LANEWISE_SECRET");
}

TEST(Process, InputIsEmpty) { EXPECT_EQ(run(shell("cat; echo end")).output, "end\n"); }

TEST(Process, NoDescriptorOfTheParentIsInherited) {
  // One that was opened without close-on-exec, as a careless library would.
  const int careless = open("/dev/null", O_RDONLY);  // NOLINT(android-cloexec-open)
  ASSERT_GT(careless, 2);
  EXPECT_EQ(run(shell("ls /proc/self/fd | wc -w")).output, "4\n");  // three standard ones, and the folder being listed
  close(careless);
}

// Orphans become children of this process, where their end can be seen for certain: a dead process that nobody waits
// for looks alive to kill().
class ProcessWithChildren : public ::testing::Test {
 protected:
  void SetUp() override { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  void TearDown() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

  // Whether the process whose id was printed ends, and ends soon.
  static bool is_gone(const std::string& printed) {
    const pid_t id = std::stoi(printed);
    const auto deadline = Clock::now() + kGenerous;
    while (kill(id, 0) == 0) {
      waitpid(id, nullptr, WNOHANG);
      if (Clock::now() >= deadline) return kill(id, SIGKILL) != 0;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return errno == ESRCH;
  }
};

TEST_F(ProcessWithChildren, TimeLimitEndsTheWholeGroup) {
  const Finished finished = run(shell("sleep 1000 & echo $!; sleep 1000"), milliseconds(500));
  EXPECT_TRUE(finished.timed_out);
  EXPECT_TRUE(is_gone(finished.output));
}

TEST_F(ProcessWithChildren, BackgroundChildrenDoNotOutliveTheirParent) {
  const auto started = Clock::now();
  const Finished finished = run(shell("sleep 1000 & echo $!"));
  EXPECT_TRUE(finished.succeeded());
  EXPECT_LT(Clock::now() - started, kGenerous);
  EXPECT_TRUE(is_gone(finished.output));
}

TEST(Process, FloodIsCountedAndCut) {
  const Finished finished = run(shell("yes | head -c 50000000"), kGenerous, 100);
  EXPECT_TRUE(finished.succeeded());
  EXPECT_EQ(finished.output_bytes, 50'000'000U);
  EXPECT_EQ(finished.output.size(), 100U);
}

TEST(Process, FileLimitHolds) {
  ProcessOptions options = shell("head -c 20000 /dev/zero > \"$TMPDIR/lanewise_process_test\"");
  options.environment.push_back("TMPDIR=" + std::filesystem::temp_directory_path().string());
  options.limits.file_bytes = 10'000;
  EXPECT_FALSE(run(options).succeeded());
  const auto file = std::filesystem::temp_directory_path() / "lanewise_process_test";
  EXPECT_LE(std::filesystem::file_size(file), 10'000U);
  std::filesystem::remove(file);
}

TEST(Process, ProcessorTimeLimitHolds) {
  ProcessOptions options = shell("while :; do :; done");
  options.limits.cpu_seconds = 1;
  const Finished finished = run(options);
  EXPECT_FALSE(finished.timed_out);
  EXPECT_TRUE(WIFSIGNALED(finished.status));
}

TEST(Process, ProgramThatIsNotThereFails) {
  ProcessOptions options;
  options.command = {"/nonexistent/program"};
  const Finished finished = run(options);
  EXPECT_FALSE(finished.succeeded());
  EXPECT_NE(finished.output.find("could not be started"), std::string::npos);
}

TEST(Process, ObjectsEndIsTheProcessesEnd) {
  pid_t id = 0;
  {
    auto process = Process::start(shell("sleep 1000"));
    ASSERT_TRUE(process);
    id = process->id();
    EXPECT_EQ(kill(id, 0), 0);
  }
  EXPECT_EQ(kill(id, 0), -1);
}

TEST(ProcessorTime, ComputingTakesItAndWaitingDoesNot) {
  const auto used = [] { return processor_time(getpid()).value_or(seconds(0)); };
  const auto begin = used();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_LT(used() - begin, milliseconds(100));
  const auto middle = used();
  while (used() - middle < milliseconds(50)) {
  }
  auto sleeping = Process::start(shell("exec sleep 1000"));
  ASSERT_TRUE(sleeping) << sleeping.sentence();
  EXPECT_LT(processor_time(sleeping->program_id()).value_or(seconds(9)), seconds(1)) << "another process's own";
  EXPECT_FALSE(processor_time(-1));
  EXPECT_FALSE(processor_time(0)) << "which would be the caller";
}

TEST(Process, EndOfTheStartingThreadEndsTheProcess) {
  // Stands for a runner that dies: the kernel signals the child when the thread that forked it is gone.
  std::optional<Process> process;
  std::thread([&process] {
    auto started = Process::start(shell("echo ready; sleep 1000"));
    if (!started) return;
    CapturedOutput output(100);  // only a child that runs has asked for the signal
    while (output.text().empty() && output.read_from(started->output())) std::this_thread::yield();
    process.emplace(std::move(*started));
  }).join();
  ASSERT_TRUE(process);
  EXPECT_TRUE(process->wait_until(Clock::now() + kGenerous));
}

}  // namespace
}  // namespace lanewise
