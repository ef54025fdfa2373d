// A process that only serves goes on mapping and sharing memory, and gets nothing else from the system.
#include "harness/vgpu/link/serving_only.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace vgpu::link {
namespace {

constexpr int kNoFilter = 99;

/// errno of one call in a process that only serves; 0 if it succeeded.
int error_of(const std::function<long()>& call) {
  const pid_t child = fork();
  if (child == 0) {
    if (!serve_only()) _exit(kNoFilter);
    _exit(call() == -1 ? errno : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

long map(int protection) {
  return mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}

TEST(ServingOnly, MemoryCanBeMappedAndShared) {
  EXPECT_EQ(error_of([] { return map(PROT_READ | PROT_WRITE); }), 0);
  EXPECT_EQ(error_of([] { return memfd_create("x", MFD_CLOEXEC) >= 0 ? 0 : -1; }), 0);
}

TEST(ServingOnly, NoMemoryBecomesCode) {
  EXPECT_EQ(error_of([] { return map(PROT_READ | PROT_EXEC); }), EPERM);
  EXPECT_EQ(error_of([] {
              void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return mprotect(page, 4096, PROT_READ | PROT_EXEC);
            }),
            EPERM);
}

TEST(ServingOnly, FilesProgramsProcessesAndSocketsAreOutOfReach) {
  EXPECT_EQ(error_of([] { return open("/etc/passwd", O_RDONLY | O_CLOEXEC); }), EPERM);
  EXPECT_EQ(error_of([] { return execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_fork); }), EPERM);
  EXPECT_EQ(error_of([] { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_ptrace, 0, 0, 0, 0); }), EPERM);
}

TEST(ServingOnly, ItCanEnd) {
  EXPECT_EQ(error_of([] { return 0; }), 0);
}

}  // namespace
}  // namespace vgpu::link
