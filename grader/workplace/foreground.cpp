// fork, exec, and a loop that waits for signals instead of being interrupted by them.
#include "grader/workplace/foreground.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace lanewise {
namespace {

// Blocked before the fork, so that none is lost between it and the loop that takes them.
sigset_t block_signals(sigset_t& before) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGCHLD, SIGTERM, SIGHUP}) sigaddset(&awaited, number);
  std::signal(SIGCHLD, SIG_DFL);  // ignored, as it may have been inherited, it would leave nothing to wait for
  pthread_sigmask(SIG_BLOCK, &awaited, &before);
  return awaited;
}

// As execv takes them; they live as long as `words`.
std::vector<char*> arguments_of(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

[[noreturn]] void become(std::vector<std::string>& command, const std::function<void()>& prepare, pid_t parent,
                         const sigset_t& signals, int failure) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent exited before this was set up
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  prepare();
  const std::vector<char*> arguments = arguments_of(command);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = write(failure, &reason, sizeof reason);
  _exit(127);
}

int wait_and_forward(pid_t child, const sigset_t& awaited) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const int number = sigwaitinfo(&awaited, nullptr);
    if (number == SIGTERM || number == SIGHUP) kill(child, number);
  }
  return status;
}

}  // namespace

Expected<ForegroundEnd> run_in_foreground(std::vector<std::string> command, const std::function<void()>& prepare) {
  int failure[2];  // closed by a successful exec, else tells why there was none
  if (pipe2(failure, O_CLOEXEC) != 0) return Failure{fmt::format("no pipe could be created: {}", std::strerror(errno))};
  sigset_t before;
  const sigset_t awaited = block_signals(before);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) return Failure{fmt::format("no process could be started: {}", std::strerror(errno))};
  if (child == 0) become(command, prepare, self, before, failure[1]);
  close(failure[1]);
  std::signal(SIGINT, SIG_IGN);
  ForegroundEnd end;
  if (read(failure[0], &end.start_error, sizeof end.start_error) != sizeof end.start_error) end.start_error = 0;
  close(failure[0]);
  end.status = wait_and_forward(child, awaited);
  return end;
}

Failure start_again() {
  std::vector<std::string> words;
  std::ifstream line("/proc/self/cmdline");
  for (std::string word; std::getline(line, word, '\0');) words.push_back(word);
  std::error_code error;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  constexpr std::string_view kReplaced = " (deleted)";  // by a newer one, under its old name
  if (const std::size_t at = program.rfind(kReplaced);
      at != std::string::npos && at + kReplaced.size() == program.size())
    program.resize(at);
  execv(program.c_str(), arguments_of(words).data());
  return Failure{fmt::format("{} cannot be started again: {}", program, std::strerror(errno))};
}

}  // namespace lanewise
