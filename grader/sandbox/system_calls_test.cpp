// The filter that libseccomp makes, asked number by number: what a compiler and a worker are refused on this kind of
// processor.
#include "grader/sandbox/system_calls.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "harness/vgpu/link/testing/filter_answer.h"
#include "harness/worker/denied_calls.h"

namespace lanewise {
namespace {

namespace kernel = vgpu::link::test;

constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;

class CallFilter : public ::testing::TestWithParam<ForeignWork> {
 protected:
  void SetUp() override {
    const auto file = make_call_filter(GetParam());
    ASSERT_TRUE(file) << file.sentence();
    sock_filter step;
    lseek(file->get(), 0, SEEK_SET);
    while (read(file->get(), &step, sizeof step) == sizeof step) filter_.push_back(step);
  }
  std::uint32_t answer(long number, std::vector<std::uint64_t> arguments = {}) const {
    return kernel::answer(filter_, kernel::call(number, std::move(arguments)));
  }

  std::vector<sock_filter> filter_;
};

TEST_P(CallFilter, AllowsWhatEveryProgramNeeds) {
  for (const long number :
       {SYS_read, SYS_write, SYS_openat, SYS_mmap, SYS_execve, SYS_futex, SYS_ppoll, SYS_wait4, SYS_exit_group})
    EXPECT_EQ(answer(number), SECCOMP_RET_ALLOW) << number;
  EXPECT_EQ(answer(SYS_clone, {CLONE_VM | CLONE_THREAD}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(SYS_ioctl, {0, TIOCGWINSZ}), SECCOMP_RET_ALLOW);
}

TEST_P(CallFilter, RefusesWaysOut) {
  for (const long number : {SYS_process_madvise, SYS_move_mount, SYS_open_by_handle_at, SYS_request_key,
                            SYS_io_uring_enter, SYS_delete_module, SYS_acct, SYS_sethostname})
    EXPECT_EQ(answer(number), kRefused) << number;
  EXPECT_EQ(answer(SYS_ioctl, {0, TIOCSTI}), kRefused);
  EXPECT_EQ(answer(SYS_clone3), SECCOMP_RET_ERRNO | ENOSYS);
}

// A worker refuses these itself, where they are told.
TEST_P(CallFilter, LeavesToAWorkerWhatItRefusesItself) {
  const auto expected = GetParam() == ForeignWork::kRun ? std::uint32_t{SECCOMP_RET_ALLOW} : kRefused;
  for (const long number : {SYS_ptrace, SYS_mount, SYS_unshare, SYS_bpf, SYS_socket, SYS_shmget, SYS_personality})
    EXPECT_EQ(answer(number), expected) << number;
  EXPECT_EQ(answer(SYS_clone, {CLONE_NEWUSER}), expected);
}

TEST_P(CallFilter, EndsWhoeverCallsByAnotherConvention) {
  for (const std::uint32_t convention : kernel::kConventions) {
    if (convention == kCallingConvention) continue;
    const auto killed = kernel::answer(filter_, kernel::call(SYS_read, {}, convention));
    EXPECT_NE(killed, SECCOMP_RET_ALLOW) << convention;
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachKindOfWork, CallFilter, ::testing::Values(ForeignWork::kCompile, ForeignWork::kRun));

}  // namespace
}  // namespace lanewise
