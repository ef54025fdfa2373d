// A signal that ends the runner ends what its children started, too.
#include "harness/runner/interruption.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "harness/runner/process.h"

namespace lanewise {
namespace {

// A runner with one child, which has one child of its own: its id comes through `to_test`. Never returns.
[[noreturn]] void be_a_runner(int to_test) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-c", "sleep 1000 & echo $!; sleep 1000"};
  options.environment = {"PATH=/usr/bin:/bin"};
  const auto process = Process::start(options);
  if (!process) _exit(1);
  CapturedOutput output(100);
  while (output.text().find('\n') == std::string::npos && output.read_from(process->output()))
    std::this_thread::yield();
  const ssize_t written = write(to_test, output.text().data(), output.text().size());
  for (;;)
    if (written > 0) pause();
}

// Tells `to_test` that it was interrupted, and whether what it had started has ended by then.
[[noreturn]] void be_a_runner_that_notes(int to_test) {
  note_interruption();
  ProcessOptions options;
  options.command = {"/bin/sleep", "1000"};
  auto process = Process::start(options);
  if (!process || write(to_test, ".", 1) != 1) _exit(1);
  while (!is_interrupted()) std::this_thread::yield();
  const bool is_ended = process->wait_until(Clock::now() + std::chrono::seconds(20));
  const ssize_t written = write(to_test, is_ended ? "ended" : "still", 5);
  for (;;)
    if (written > 0) pause();
}

// How the process ended, as waitpid says; -1 if it did not within reason, and then it is killed.
int status_of(pid_t id) {
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  int status = 0;
  while (waitpid(id, &status, WNOHANG) != id) {
    if (Clock::now() >= deadline) {
      kill(id, SIGKILL);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status;
}

// Whether the process ends, and ends soon. Its parent may have waited for it just before it ended, too.
bool is_gone(pid_t id) {
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  while (kill(id, 0) == 0) {
    waitpid(id, nullptr, WNOHANG);
    if (Clock::now() >= deadline) return kill(id, SIGKILL) != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return errno == ESRCH;
}

TEST(Interruption, SignalThatEndsTheRunnerEndsWhatItsChildrenStarted) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // the orphan becomes ours to wait for
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t runner = fork();
    if (runner == 0) be_a_runner(ends[1]);
    char printed[32] = {};
    ASSERT_GT(read(ends[0], printed, sizeof(printed) - 1), 0);
    kill(runner, signal);
    const int status = status_of(runner);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;  // as if nobody had handled it
    EXPECT_TRUE(is_gone(std::atoi(printed)));
    while (waitpid(-1, nullptr, WNOHANG) > 0) {  // the child between the two
    }
    for (const int end : ends) close(end);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(Interruption, WhereItIsNotedTheFirstEndsTheChildrenAlone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t runner = fork();
  if (runner == 0) be_a_runner_that_notes(ends[1]);
  char said[6] = {};
  ASSERT_EQ(read(ends[0], said, 1), 1);
  kill(runner, SIGINT);
  ASSERT_EQ(read(ends[0], said, 5), 5);
  EXPECT_STREQ(said, "ended");
  EXPECT_EQ(waitpid(runner, nullptr, WNOHANG), 0) << "goes on, to say what is known";
  kill(runner, SIGINT);
  const int status = status_of(runner);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  for (const int end : ends) close(end);
}

TEST(Interruption, SignalThatIsIgnoredStaysIgnored) {
  const pid_t runner = fork();
  if (runner == 0) {
    signal(SIGHUP, SIG_IGN);  // nohup
    register_leader(getpid());
    raise(SIGHUP);
    _exit(7);
  }
  const int status = status_of(runner);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace lanewise
