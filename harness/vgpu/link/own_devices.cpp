#include "harness/vgpu/link/own_devices.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace vgpu::link {
namespace {

constexpr int kSocketOfDevices = 3;
constexpr const char kPreloaded[] = "LD_PRELOAD=";  // for this program, not for that one

/// The process ends at once, and leaves a child that this program knows nothing of: it may wait for its own.
bool start(const char* path, int socket) {
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, kPreloaded, sizeof kPreloaded - 1) != 0) environment.push_back(*variable);
  environment.push_back(nullptr);
  std::string name(path), option("--serve"), number(std::to_string(kSocketOfDevices));
  char* const arguments[] = {name.data(), option.data(), number.data(), nullptr};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  pid_t child = -1;
  int status = -1;
  const bool is_started = posix_spawn_file_actions_adddup2(&actions, socket, kSocketOfDevices) == 0 &&
                          posix_spawn(&child, path, &actions, nullptr, arguments, environment.data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  while (is_started && waitpid(child, &status, 0) == -1 && errno == EINTR) {
  }
  return is_started && status == 0;
}

}  // namespace

int devices_of_this_program() {
  if (const char* const given = std::getenv("LANEWISE_VGPU_DEVICES_AT"))
    return static_cast<int>(std::strtol(given, nullptr, 10));
  const char* const path = std::getenv("LANEWISE_VGPU_DEVICE_PROGRAM");
  int ends[2];
  if (path == nullptr || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  const bool is_started = start(path, ends[1]);
  close(ends[1]);
  if (is_started) return ends[0];
  close(ends[0]);
  std::fprintf(stderr, "lanewise vgpu: the devices did not start (%s)\n", path);
  return -1;
}

}  // namespace vgpu::link
