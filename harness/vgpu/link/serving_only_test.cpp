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
#include <csignal>
#include <functional>

#include "harness/vgpu/link/testing/filter_answer.h"

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

class ServingOnly : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::filters_can_be_installed()) GTEST_SKIP() << "this system installs no filters";
  }
};

TEST_F(ServingOnly, MemoryCanBeMappedAndShared) {
  EXPECT_EQ(error_of([] { return map(PROT_READ | PROT_WRITE); }), 0);
  EXPECT_EQ(error_of([] { return memfd_create("x", MFD_CLOEXEC) >= 0 ? 0 : -1; }), 0);
}

TEST_F(ServingOnly, NoMemoryBecomesCode) {
  EXPECT_EQ(error_of([] { return map(PROT_READ | PROT_EXEC); }), EPERM);
  EXPECT_EQ(error_of([] {
              void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return mprotect(page, 4096, PROT_READ | PROT_EXEC);
            }),
            EPERM);
}

TEST_F(ServingOnly, FilesProgramsProcessesAndSocketsAreOutOfReach) {
  EXPECT_EQ(error_of([] { return open("/etc/passwd", O_RDONLY | O_CLOEXEC); }), EPERM);
  EXPECT_EQ(error_of([] { return execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_ptrace, 0, 0, 0, 0); }), EPERM);
}

TEST_F(ServingOnly, ItCanEnd) {
  EXPECT_EQ(error_of([] { return 0; }), 0);
}

// The same by the numbers, and those that no function of libc's asks for any more.
TEST(ServingFilter, RefusesWhatIsNotListed) {
  constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  const auto filter = serving_filter();
  const auto answer = [&](long number, std::vector<std::uint64_t> arguments = {}) {
    return test::answer(filter, test::call(number, std::move(arguments)));
  };
  for (const long number :
       {SYS_recvmsg, SYS_sendmsg, SYS_ppoll, SYS_munmap, SYS_memfd_create, SYS_futex, SYS_rt_sigreturn, SYS_exit_group})
    EXPECT_EQ(answer(number), SECCOMP_RET_ALLOW) << number;
  for (const long number : {SYS_openat, SYS_execve, SYS_clone, SYS_clone3, SYS_socket, SYS_kill, SYS_ptrace, SYS_prctl,
                            SYS_seccomp, SYS_readlinkat, SYS_io_uring_setup})
    EXPECT_EQ(answer(number), kRefused) << number;
  for (const long number : {SYS_mmap, SYS_mprotect}) {
    EXPECT_EQ(answer(number, {0, 4096, PROT_READ | PROT_WRITE}), SECCOMP_RET_ALLOW) << number;
    EXPECT_EQ(answer(number, {0, 4096, PROT_READ | PROT_EXEC}), kRefused) << number;
  }
}

TEST(ServingFilter, EndsWhoeverCallsByAnotherConvention) {
  for (const std::uint32_t convention : test::kConventions)
    if (convention != test::kOwnConvention) {
      EXPECT_EQ(test::answer(serving_filter(), test::call(SYS_futex, {}, convention)), SECCOMP_RET_KILL_PROCESS);
    }
}

}  // namespace
}  // namespace vgpu::link
