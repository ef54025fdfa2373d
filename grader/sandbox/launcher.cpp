// lanewise-launcher: the first process of a sandbox. Starts one program, reports exactly how it ended, and takes
// everything it left behind down with it. As process 1 of its namespace, it cannot be signalled from inside.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "grader/sandbox/folder_watch.h"
#include "harness/runner/launcher_message.h"

namespace {

using lanewise::LauncherMessage;

constexpr int kSocket = 4;            // Process::kLauncherNumber
constexpr int kExitNotStarted = 127;  // Process::kExitNotStarted
constexpr int kExitUsage = 2;
constexpr timespec kBetweenLooks{0, 200'000'000};  // at the folder: a fast disk takes some hundred megabytes in it

bool tell(LauncherMessage::Kind kind, int status) {
  const LauncherMessage message{kind, status};
  return send(kSocket, &message, sizeof(message), MSG_NOSIGNAL) == sizeof(message);
}

void child_ended(int) {}  // poll() is to return, no more

// The program must find nothing of ours but its own channel, which is open already if there is one.
[[noreturn]] void become(char** program, const sigset_t& signals) {
  if (!tell(LauncherMessage::Kind::kStarted, 0)) _exit(kExitNotStarted);
  close(kSocket);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  execv(program[0], program);
  std::fprintf(stderr, "%s could not be started in the sandbox (%s)\n", program[0], std::strerror(errno));
  _exit(kExitNotStarted);
}

// Reaps whatever ends. True once `program` is among it, whose status is then there.
bool reap(pid_t program, int& status) {
  for (;;) {
    int one = 0;
    const pid_t id = waitpid(-1, &one, WNOHANG);
    if (id <= 0) return false;
    if (id != program) continue;
    status = one;
    return true;
  }
}

}  // namespace

// lanewise-launcher MOST_PROCESSES FOLDER MOST_BYTES PROGRAM [ARGUMENT]...
// FOLDER is the one that may be written; empty: there is none.
int main(int count, char** arguments) {
  if (count < 5) {
    std::fputs("lanewise-launcher is started by lanewise, in a sandbox\n", stderr);
    return kExitUsage;
  }
  const char* const folder = arguments[2];
  const std::uint64_t most_bytes = std::strtoull(arguments[3], nullptr, 10);
  // Counted in this user namespace alone; the system does not count for root, where a control group has to.
  const rlim_t most = std::strtoul(arguments[1], nullptr, 10);
  const rlimit processes{most, most};
  setrlimit(RLIMIT_NPROC, &processes);
  prctl(PR_SET_DUMPABLE, 0);  // the program is of the same user and is not to look in here

  struct sigaction action {};
  action.sa_handler = child_ended;
  sigaction(SIGCHLD, &action, nullptr);
  // Held back except while polling: an end between looking and waiting would be missed.
  sigset_t children;
  sigset_t before;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &before);

  const pid_t program = fork();
  if (program == 0) become(arguments + 4, before);
  if (program < 0) {
    std::fprintf(stderr, "no process could be started in the sandbox (%s)\n", std::strerror(errno));
    return kExitNotStarted;
  }
  // The channel must close when the program's end of it does.
  syscall(SYS_close_range, 0U, static_cast<unsigned>(kSocket - 1), 0U);
  syscall(SYS_close_range, static_cast<unsigned>(kSocket + 1), ~0U, 0U);

  for (;;) {
    int status = 0;
    if (reap(program, status)) {
      tell(LauncherMessage::Kind::kEnded, status);
      return 0;
    }
    // The other side only ever closes: when it has seen enough, or when it is no more.
    pollfd socket{kSocket, POLLIN | POLLRDHUP, 0};
    if (ppoll(&socket, 1, *folder ? &kBetweenLooks : nullptr, &before) > 0) return 0;
    if (*folder && lanewise::is_overfull(folder, most_bytes)) {
      // Said as the system says it of one file that is too large. Everything else ends with this process.
      tell(LauncherMessage::Kind::kEnded, W_EXITCODE(0, SIGXFSZ));
      return 0;
    }
  }
}
