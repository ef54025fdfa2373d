// lanewise-device: the virtual GPU in a process of its own. Started by a runner, who keeps a connection to it, or to
// run a program.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/vgpu/link/server.h"
#include "harness/vgpu/link/serving_only.h"

namespace {

constexpr int kUsage = 2, kEnvironment = 3;
constexpr int kNotForDevices[] = {SIGINT, SIGTERM, SIGHUP};  // they end with those whom they serve

int usage() {
  std::fputs(
      "lanewise-device is started by lanewise:\n"
      "  lanewise-device --owner DESCRIPTOR\n"
      "  lanewise-device --run RUNTIME PROGRAM [ARGUMENT ...]\n",
      stderr);
  return kUsage;
}

/// In the child. `runtime` is the libcudart.so.13 that the program is to use.
[[noreturn]] void become(const std::string& runtime, int socket, char** command) {
  for (const int signal : kNotForDevices) std::signal(signal, SIG_DFL);
  setenv("LANEWISE_VGPU_DEVICES_AT", std::to_string(socket).c_str(), 1);
  const char* const libraries = std::getenv("LD_LIBRARY_PATH");
  const std::string folder = runtime.substr(0, runtime.rfind('/'));
  setenv("LD_LIBRARY_PATH", (folder + (libraries != nullptr ? std::string(":") + libraries : "")).c_str(), 1);
  execvp(command[0], command);
  std::fprintf(stderr, "lanewise-device: %s cannot be run: %s\n", command[0], std::strerror(errno));
  _exit(kEnvironment);
}

/// Serves a program until it has ended. Returns how it did.
int run(const std::string& runtime, char** command) {
  int ends[2];
  const pid_t program = socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 ? fork() : -1;
  if (program == -1) {
    std::fprintf(stderr, "lanewise-device: a program cannot be started: %s\n", std::strerror(errno));
    return kEnvironment;
  }
  if (program == 0) {
    close(ends[0]);
    become(runtime, ends[1], command);
  }
  close(ends[1]);
  vgpu::link::serve(ends[0]);
  int status = 0;
  waitpid(program, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](int at, const char* option) { return argc > at && std::strcmp(argv[at], option) == 0; };
  for (const int signal : kNotForDevices) std::signal(signal, SIG_IGN);
  if (is(1, "--run") && argc > 3) return run(argv[2], argv + 3);
  if (!is(1, "--owner") || argc != 3) return usage();
  prctl(PR_SET_DUMPABLE, 0);  // a program runs as the same user, and may not look in here
  if (!vgpu::link::serve_only()) {
    std::fputs("lanewise-device: its system calls cannot be limited\n", stderr);
    return kEnvironment;
  }
  vgpu::link::serve_owned(static_cast<int>(std::strtol(argv[2], nullptr, 10)));
  _exit(0);  // there is nobody left to report to
}
