// lanewise-device: the virtual GPU in a process of its own. Started by a runner, who keeps a connection to it, or by a
// program that is to have devices of its own.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/vgpu/link/server.h"
#include "harness/vgpu/link/serving_only.h"
#include "harness/vgpu/machine/translator/code_memory.h"

namespace {

constexpr int kUsage = 2, kEnvironment = 3;
constexpr int kNotForDevices[] = {SIGINT, SIGTERM, SIGHUP};  // they end with those whom they serve

int usage() {
  std::fputs(
      "lanewise-device is started by lanewise:\n"
      "  lanewise-device --owner DESCRIPTOR\n"
      "  lanewise-device --serve DESCRIPTOR\n",
      stderr);
  return kUsage;
}

/// The report of each program is one of its own if the name says so: %p stands for the number of the program's process.
/// A program that has become another one has kept its number: the second report of a number is NUMBER-2.
void name_report_of(int program) {
  const char* const path = std::getenv("LANEWISE_VGPU_REPORT");
  std::string name = path != nullptr ? path : "";
  const std::size_t place = name.find("%p");
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (place == std::string::npos || getsockopt(program, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return;
  constexpr int kMostReports = 10'000;
  for (int n = 1; n <= kMostReports; ++n) {
    const std::string number = std::to_string(peer.pid) + (n == 1 ? "" : "-" + std::to_string(n));
    const std::string own = std::string(name).replace(place, 2, number);
    const int file = open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file == -1 && errno == EEXIST) continue;
    if (file != -1) close(file);
    setenv("LANEWISE_VGPU_REPORT", own.c_str(), 1);
    return;
  }
}

/// Readers of the report wait until nobody has this lock, which ends with the process. Programs that run at the same
/// time, such as one and another that it has started, do not wait for each other.
void lock_report() {
  const char* const path = std::getenv("LANEWISE_VGPU_REPORT");
  const int file = path != nullptr ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (file != -1) flock(file, LOCK_SH);
}

/// Closes what the program has open, but for standard error.
void let_go_of_files(int program) {
  const int nothing = open("/dev/null", O_RDWR);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO}) dup2(nothing, file);
  close_range(static_cast<unsigned>(program) + 1, ~0U, 0);
}

/// Serves the program that started this one until it has ended. It does not wait for this process, but for its parent.
int serve(int program) {
  if (const pid_t child = fork(); child != 0) return child == -1 ? kEnvironment : 0;
  let_go_of_files(program);
  name_report_of(program);
  lock_report();
  vgpu::link::serve(program);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](int at, const char* option) { return argc > at && std::strcmp(argv[at], option) == 0; };
  for (const int signal : kNotForDevices) std::signal(signal, SIG_IGN);
  if (argc != 3) return usage();
  const int descriptor = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  if (is(1, "--serve")) return serve(descriptor);
  if (!is(1, "--owner")) return usage();
  prctl(PR_SET_DUMPABLE, 0);  // a program runs as the same user, and may not look in here
  vgpu::CodeMemory::get();    // while it can be had
  if (!vgpu::link::serve_only()) {
    std::fputs("lanewise-device: its system calls cannot be limited\n", stderr);
    return kEnvironment;
  }
  vgpu::link::serve_owned(descriptor);
  _exit(0);  // there is nobody left to report to
}
