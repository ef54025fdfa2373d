// A seccomp filter, assembled by hand: one comparison a denied call, argument checks where the arguments decide.
#include "harness/worker/lockdown.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <utility>

#include "harness/worker/denied_calls.h"

namespace lanewise {
namespace {

constexpr std::uint32_t kX32Bit = 0x40000000;  // the other calling convention of x86-64, with numbers of its own

class Filter {
 public:
  explicit Filter(std::uint32_t deny) : deny_(deny) {
    load(offsetof(seccomp_data, arch));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kCallingConvention, 1, 0));
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1));
    answer(SECCOMP_RET_ERRNO | EPERM);
  }

  // In all of these the accumulator holds the call's number before and after.
  void deny(int number) { answer_if(number, deny_); }
  void fail(int number, int error) { answer_if(number, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }

  /// Allows the call only if the argument is one of `values` (compared as 32 bits, which is all that the kernel looks
  /// at in an int), or, with `except`, only if it is none.
  void check(int number, int argument, std::initializer_list<std::uint32_t> values, bool except) {
    const auto count = static_cast<std::uint8_t>(values.size());
    // Laid out as: number? | load argument | a jump a value | default answer | answer on a match
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0,
                             static_cast<std::uint8_t>(count + 3)));
    load(offsetof(seccomp_data, args) + static_cast<std::size_t>(argument) * sizeof(std::uint64_t));
    std::uint8_t left = count;
    for (const std::uint32_t value : values) code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, left--, 0));
    answer(except ? SECCOMP_RET_ALLOW : deny_);
    answer(except ? deny_ : SECCOMP_RET_ALLOW);
  }

  /// Allows the call only if the argument is a null pointer: all 64 bits of it.
  void require_null(int number, int argument) {
    const std::size_t low = offsetof(seccomp_data, args) + static_cast<std::size_t>(argument) * sizeof(std::uint64_t);
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 6));
    load(low);
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2));
    load(low + sizeof(std::uint32_t));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    answer(deny_);
    answer(SECCOMP_RET_ALLOW);
  }

  void allow_rest() { answer(SECCOMP_RET_ALLOW); }

  std::vector<sock_filter> code() && { return std::move(code_); }

 private:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void answer(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void answer_if(int number, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
    answer(action);
  }

  std::uint32_t deny_;
  std::vector<sock_filter> code_;
};

/// The listener, 0 without one, or -1 with errno.
long install(std::vector<sock_filter> code, unsigned flags) {
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

Lockdown failure(const char* what) {
  return {-1, std::string("the worker could not lock itself down: ") + what + " failed (" + std::strerror(errno) + ")"};
}

/// Bytes that are mapped; 0 if that cannot be told.
unsigned long mapped_bytes() {
  std::ifstream status("/proc/self/statm");
  unsigned long pages = 0;
  status >> pages;
  return pages * static_cast<unsigned long>(sysconf(_SC_PAGESIZE));
}

bool limit(__rlimit_resource resource, rlim_t most) {
  const rlimit limits{most, most};
  return setrlimit(resource, &limits) == 0;
}

}  // namespace

std::vector<sock_filter> lockdown_filter(std::uint32_t deny, const Allowance& allowance) {
  Filter filter(deny);
  // What is written there but not mapped would be nobody's memory.
  if (allowance.more_bytes != 0) filter.fail(SYS_memfd_create, EPERM);
  for (const DeniedCall& call : kDeniedCalls) filter.deny(call.number);
  // clone3's flags lie behind a pointer a filter cannot follow. "No such call" makes libc fall back to clone.
  filter.fail(SYS_clone3, ENOSYS);
  // abort() and raise() signal the process itself: that must go on working.
  const auto self = static_cast<std::uint32_t>(getpid());
  filter.check(SYS_kill, 0, {self}, false);
  filter.check(SYS_tgkill, 0, {self}, false);
  filter.check(SYS_tkill, 0, {self}, false);
  filter.check(SYS_prctl, 0, {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_SECCOMP}, true);
  // Reading a limit passes a null pointer for the new one.
  filter.require_null(SYS_prlimit64, 2);
  filter.allow_rest();
  return std::move(filter).code();
}

Lockdown lock_down(Refusal refusal, const Allowance& allowance) {
  if (!limit(RLIMIT_CORE, 0)) return failure("setrlimit(RLIMIT_CORE)");
  if (!limit(RLIMIT_FSIZE, allowance.file_bytes)) return failure("setrlimit(RLIMIT_FSIZE)");
  if (allowance.more_bytes != 0) {
    const unsigned long mapped = mapped_bytes();
    if (mapped == 0) return failure("reading /proc/self/statm");
    if (!limit(RLIMIT_AS, mapped + allowance.more_bytes)) return failure("setrlimit(RLIMIT_AS)");
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("prctl(PR_SET_NO_NEW_PRIVS)");
  // Threads of the CUDA runtime exist already and run host callbacks: the filter must bind them too.
  if (refusal == Refusal::kAskListener) {
    const long listener =
        install(lockdown_filter(SECCOMP_RET_USER_NOTIF, allowance),
                SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH);
    if (listener >= 0) return {static_cast<int>(listener), ""};
    // Some containers hold the one listener a process may have: refuse without saying what was asked.
  }
  if (install(lockdown_filter(SECCOMP_RET_ERRNO | EPERM, allowance), SECCOMP_FILTER_FLAG_TSYNC) != 0)
    return failure("seccomp");
  return {};
}

}  // namespace lanewise
