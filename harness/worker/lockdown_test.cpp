// Every denied call fails once the process is locked down, and what a submission needs goes on working.
#include "harness/worker/lockdown.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <thread>

#include "harness/vgpu/link/testing/filter_answer.h"
#include "harness/worker/channel.h"
#include "harness/worker/denied_calls.h"

namespace lanewise {
namespace {

constexpr unsigned long kFileBytes = 4096;
constexpr int kLockdownFailed = 99;

// Runs `body` in a locked-down child; its wait status. The body's value is the exit code.
int status_locked_down(const std::function<int()>& body, unsigned long more_bytes = 0) {
  const pid_t child = fork();
  if (child == 0) {
    const Lockdown lockdown = lock_down(Refusal::kErrorOnly, {kFileBytes, more_bytes});
    _exit(lockdown.failure.empty() ? body() : kLockdownFailed);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// errno of one call in a locked-down process; 0 if it succeeded.
int error_of(const std::function<long()>& call, unsigned long more_bytes = 0) {
  const int status = status_locked_down([&] { return call() == -1 ? errno : 0; }, more_bytes);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

namespace kernel = vgpu::link::test;

class InstalledLockdown : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernel::filters_can_be_installed()) GTEST_SKIP() << "this system installs no filters";
  }
};

TEST_F(InstalledLockdown, EveryListedCallIsDenied) {
  for (const DeniedCall& call : kDeniedCalls)
    EXPECT_EQ(error_of([&] { return syscall(call.number, 0, 0, 0, 0, 0, 0); }), EPERM) << call.name;
}

TEST_F(InstalledLockdown, NumbersOfTheOtherCallingConventionAreDenied) {
  EXPECT_EQ(error_of([] { return syscall(0x40000000 | SYS_getpid); }), EPERM);
}

TEST_F(InstalledLockdown, ThreadIsRefusedAndTheProcessLivesOn) {
  const int status = status_locked_down([] {
    try {
      std::thread([] {}).join();
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), EPERM);
}

TEST_F(InstalledLockdown, OthersMayNotBeSignalledOneselfMay) {
  EXPECT_EQ(error_of([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(0, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(-1, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_tgkill, getppid(), getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_tkill, getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(getpid(), 0); }), 0);
}

TEST_F(InstalledLockdown, AbortStillEndsTheProcess) {
  const int status = status_locked_down([]() -> int { std::abort(); });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

TEST_F(InstalledLockdown, LimitsMayBeReadNotSet) {
  rlimit limits{};
  EXPECT_EQ(error_of([&] { return getrlimit(RLIMIT_STACK, &limits); }), 0);
  EXPECT_EQ(error_of([&] { return setrlimit(RLIMIT_NOFILE, &limits); }), EPERM);
  EXPECT_EQ(error_of([&] { return syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, &limits, nullptr); }), EPERM);
}

TEST_F(InstalledLockdown, LimitsBehindAnAddressWhoseLowHalfIsZeroMayNotBeSet) {
  // Somewhere in twice four gibibytes there is such an address.
  constexpr std::size_t kFourGibibytes = std::size_t{1} << 32;
  void* const room = mmap(nullptr, 2 * kFourGibibytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  const std::uintptr_t rounded = (reinterpret_cast<std::uintptr_t>(room) + kFourGibibytes - 1) & ~(kFourGibibytes - 1);
  auto* const limits = reinterpret_cast<rlimit*>(rounded);
  ASSERT_EQ(mprotect(limits, sizeof(rlimit), PROT_READ | PROT_WRITE), 0);
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, limits), 0);
  EXPECT_EQ(error_of([&] { return syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, limits, nullptr); }), EPERM);
  munmap(room, 2 * kFourGibibytes);
}

TEST_F(InstalledLockdown, ParentDeathSignalCannotBeCleared) {
  EXPECT_EQ(error_of([] { return prctl(PR_SET_PDEATHSIG, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return prctl(PR_SET_NAME, "renamed"); }), 0);
}

// A filter of the submission's own could call it back in the middle of the worker's work.
TEST_F(InstalledLockdown, NoFurtherFilterCanBeInstalled) {
  EXPECT_EQ(error_of([] { return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr); }), EPERM);
}

TEST_F(InstalledLockdown, MemoryFilesAndAnonymousMemoryStillWork) {
  EXPECT_EQ(error_of([] { return open("/dev/null", O_RDWR | O_CLOEXEC) >= 0 ? 0 : -1; }), 0);
  EXPECT_EQ(error_of([] { return memfd_create("x", 0) >= 0 ? 0 : -1; }), 0);
  EXPECT_EQ(error_of([] {
              return mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
            }),
            0);
}

TEST_F(InstalledLockdown, FilesStopGrowingAtTheLimit) {
  const int error = error_of([]() -> long {
    signal(SIGXFSZ, SIG_IGN);
    const int file = memfd_create("x", 0);
    return ftruncate(file, kFileBytes) == 0 ? ftruncate(file, kFileBytes + 1) : 0;
  });
  EXPECT_EQ(error, EFBIG);
}

// Memory that is shared with nobody counts like any other, and a file in memory would not count until it is mapped.
TEST_F(InstalledLockdown, MemoryIsLimitedHoweverItIsMade) {
  constexpr unsigned long kMore = 64 << 20;
  for (const int kind : {MAP_PRIVATE, MAP_SHARED}) {
    const auto map = [kind](std::size_t bytes) -> long {
      return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
    };
    EXPECT_EQ(error_of([&] { return map(kMore / 2); }, kMore), 0);
    EXPECT_EQ(error_of([&] { return map(kMore + 1); }, kMore), ENOMEM);
  }
  EXPECT_EQ(error_of([] { return memfd_create("x", 0); }, kMore), EPERM);
}

TEST(LockdownFilter, AnswersByNumberAndArguments) {
  constexpr std::uint32_t kDeny = SECCOMP_RET_USER_NOTIF;
  const auto filter = lockdown_filter(kDeny, {kFileBytes});
  const auto answer = [&](long number, std::vector<std::uint64_t> arguments = {}) {
    return kernel::answer(filter, kernel::call(number, std::move(arguments)));
  };
  for (const DeniedCall& denied : kDeniedCalls) EXPECT_EQ(answer(denied.number), kDeny) << denied.name;
  for (const long number : {SYS_read, SYS_write, SYS_openat, SYS_mmap, SYS_munmap, SYS_futex, SYS_ioctl, SYS_recvmsg,
                            SYS_sendmsg, SYS_ppoll, SYS_memfd_create, SYS_rt_sigreturn, SYS_exit_group})
    EXPECT_EQ(answer(number), SECCOMP_RET_ALLOW) << number;
  EXPECT_EQ(answer(SYS_clone3), SECCOMP_RET_ERRNO | ENOSYS);
  const auto self = static_cast<std::uint64_t>(getpid()), other = static_cast<std::uint64_t>(getppid());
  for (const long number : {SYS_kill, SYS_tgkill, SYS_tkill}) {
    EXPECT_EQ(answer(number, {self}), SECCOMP_RET_ALLOW) << number;
    EXPECT_EQ(answer(number, {other}), kDeny) << number;
  }
  EXPECT_EQ(answer(SYS_prctl, {PR_SET_NAME}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(SYS_prctl, {PR_SET_SECCOMP}), kDeny);
  EXPECT_EQ(answer(SYS_prlimit64, {0, RLIMIT_STACK, 0}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(SYS_prlimit64, {0, RLIMIT_STACK, std::uint64_t{1} << 32}), kDeny);
  EXPECT_EQ(kernel::answer(lockdown_filter(kDeny, {kFileBytes, 1}), kernel::call(SYS_memfd_create)),
            SECCOMP_RET_ERRNO | EPERM);
}

TEST(LockdownFilter, EndsWhoeverCallsByAnotherConvention) {
  for (const std::uint32_t convention : kernel::kConventions)
    if (convention != kernel::kOwnConvention) {
      EXPECT_EQ(
          kernel::answer(lockdown_filter(SECCOMP_RET_USER_NOTIF, {kFileBytes}), kernel::call(SYS_read, {}, convention)),
          SECCOMP_RET_KILL_PROCESS);
    }
}

TEST_F(InstalledLockdown, ListenerSeesWhatWasRefused) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Lockdown lockdown = lock_down(Refusal::kAskListener, {kFileBytes});
    send_message(ends[1], protocol::make_message<protocol::Go>(), lockdown.listener);
    if (lockdown.listener == -1) _exit(kLockdownFailed);
    _exit(socket(AF_INET, SOCK_STREAM, 0) == -1 ? errno : 0);
  }
  Packet packet;
  ASSERT_EQ(receive_packet(ends[0], packet), Received::kPacket);
  if (packet.descriptor == -1) {
    waitpid(child, nullptr, 0);
    GTEST_SKIP() << "this system allows no listener";
  }
  seccomp_notif notification{};
  ASSERT_EQ(ioctl(packet.descriptor, SECCOMP_IOCTL_NOTIF_RECV, &notification), 0);
  EXPECT_EQ(notification.data.nr, SYS_socket);
  seccomp_notif_resp response{};
  response.id = notification.id;
  response.error = -EACCES;  // not the EPERM of the filter itself: the listener decides
  ASSERT_EQ(ioctl(packet.descriptor, SECCOMP_IOCTL_NOTIF_SEND, &response), 0);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), EACCES);
  for (const int descriptor : {packet.descriptor, ends[0], ends[1]}) close(descriptor);
}

}  // namespace
}  // namespace lanewise
