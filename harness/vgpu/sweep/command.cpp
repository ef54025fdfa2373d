#include "harness/vgpu/sweep/command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

namespace vgpu::sweep {
namespace {

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool is_replaced = std::any_of(added.begin(), added.end(), [&](const auto& variable) {
      return text.compare(0, variable.first.size() + 1, variable.first + "=") == 0;
    });
    if (!is_replaced) result.push_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(std::string(name).append("=").append(value));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// False if the time was up first.
bool wait_for_end(pid_t child, std::chrono::milliseconds limit) {
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) return true;  // waitpid waits, without a limit
  pollfd ended{handle, POLLIN, 0};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int ready = 0;
  do {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    ready = poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  } while (ready < 0);
  close(handle);
  return ready > 0;
}

}  // namespace

Ended run(const Command& command) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_with(command.environment);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  Ended ended;
  pid_t child = 0;
  ended.started = posix_spawnp(&child, words[0].c_str(), &files, nullptr, pointers(words).data(),
                               pointers(environment).data()) == 0;
  posix_spawn_file_actions_destroy(&files);
  if (!ended.started) return ended;
  ended.timed_out = !wait_for_end(child, command.limit);
  if (ended.timed_out) kill(child, SIGKILL);
  waitpid(child, &ended.status, 0);
  return ended;
}

std::string read_file(const std::filesystem::path& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.size() > most) text.resize(most);
  return text;
}

}  // namespace vgpu::sweep
