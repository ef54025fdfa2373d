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

TEST(Lockdown, EveryListedCallIsDenied) {
  for (const DeniedCall& call : kDeniedCalls)
    EXPECT_EQ(error_of([&] { return syscall(call.number, 0, 0, 0, 0, 0, 0); }), EPERM) << call.name;
}

TEST(Lockdown, NumbersOfTheOtherCallingConventionAreDenied) {
  EXPECT_EQ(error_of([] { return syscall(0x40000000 | SYS_getpid); }), EPERM);
}

TEST(Lockdown, ThreadIsRefusedAndTheProcessLivesOn) {
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

TEST(Lockdown, OthersMayNotBeSignalledOneselfMay) {
  EXPECT_EQ(error_of([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(0, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(-1, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_tgkill, getppid(), getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_tkill, getppid(), 0); }), EPERM);
  EXPECT_EQ(error_of([] { return kill(getpid(), 0); }), 0);
}

TEST(Lockdown, AbortStillEndsTheProcess) {
  const int status = status_locked_down([]() -> int { std::abort(); });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

TEST(Lockdown, LimitsMayBeReadNotSet) {
  rlimit limits{};
  EXPECT_EQ(error_of([&] { return getrlimit(RLIMIT_STACK, &limits); }), 0);
  EXPECT_EQ(error_of([&] { return setrlimit(RLIMIT_NOFILE, &limits); }), EPERM);
  EXPECT_EQ(error_of([&] { return syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, &limits, nullptr); }), EPERM);
}

TEST(Lockdown, LimitsBehindAnAddressWhoseLowHalfIsZeroMayNotBeSet) {
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

TEST(Lockdown, ParentDeathSignalCannotBeCleared) {
  EXPECT_EQ(error_of([] { return prctl(PR_SET_PDEATHSIG, 0); }), EPERM);
  EXPECT_EQ(error_of([] { return prctl(PR_SET_NAME, "renamed"); }), 0);
}

// A filter of the submission's own could call it back in the middle of the worker's work.
TEST(Lockdown, NoFurtherFilterCanBeInstalled) {
  EXPECT_EQ(error_of([] { return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr); }), EPERM);
  EXPECT_EQ(error_of([] { return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr); }), EPERM);
}

TEST(Lockdown, MemoryFilesAndAnonymousMemoryStillWork) {
  EXPECT_EQ(error_of([] { return open("/dev/null", O_RDWR | O_CLOEXEC) >= 0 ? 0 : -1; }), 0);
  EXPECT_EQ(error_of([] { return memfd_create("x", 0) >= 0 ? 0 : -1; }), 0);
  EXPECT_EQ(error_of([] {
              return mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
            }),
            0);
}

TEST(Lockdown, FilesStopGrowingAtTheLimit) {
  const int error = error_of([]() -> long {
    signal(SIGXFSZ, SIG_IGN);
    const int file = memfd_create("x", 0);
    return ftruncate(file, kFileBytes) == 0 ? ftruncate(file, kFileBytes + 1) : 0;
  });
  EXPECT_EQ(error, EFBIG);
}

// Memory that is shared with nobody counts like any other, and a file in memory would not count until it is mapped.
TEST(Lockdown, MemoryIsLimitedHoweverItIsMade) {
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

TEST(Lockdown, ListenerSeesWhatWasRefused) {
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
