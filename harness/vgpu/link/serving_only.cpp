// A seccomp filter that lists what is allowed: this program is small, and all of it is known.
#include "harness/vgpu/link/serving_only.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace vgpu::link {
namespace {

#if defined(__x86_64__)
constexpr unsigned kCallingConvention = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kCallingConvention = AUDIT_ARCH_AARCH64;
#endif

constexpr int kAllowed[] = {
#ifdef SYS_poll  // libc's poll() is this one on x86-64
    SYS_poll,
#endif
    // The sockets that it has.
    SYS_recvmsg, SYS_sendmsg, SYS_ppoll, SYS_shutdown, SYS_setsockopt, SYS_close, SYS_write,
    // Memory, also what it shares.
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_memfd_create, SYS_ftruncate, SYS_fallocate, SYS_fcntl, SYS_fstat,
    SYS_newfstatat,
    // Itself, and its end.
    SYS_futex, SYS_sched_yield, SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettid, SYS_getpid, SYS_getrandom,
    SYS_sysinfo, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit,
    SYS_exit_group};
constexpr int kAllowedUnlessCode[] = {SYS_mmap, SYS_mprotect};
constexpr std::size_t kProtection = 2;  // their argument

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }
sock_filter answer(unsigned action) { return BPF_STMT(BPF_RET | BPF_K, action); }
/// Goes on behind `skipped` more instructions if the value is another one.
sock_filter unless_equal(unsigned value, unsigned char skipped) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
}

}  // namespace

std::vector<sock_filter> serving_filter() {
  std::vector<sock_filter> code = {load(offsetof(seccomp_data, arch)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kCallingConvention, 1, 0),
                                   answer(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  for (const int number : kAllowed) {
    code.push_back(unless_equal(static_cast<unsigned>(number), 1));
    code.push_back(answer(SECCOMP_RET_ALLOW));
  }
  for (const int number : kAllowedUnlessCode) {
    code.push_back(unless_equal(static_cast<unsigned>(number), 4));
    code.push_back(load(offsetof(seccomp_data, args) + kProtection * sizeof(__u64)));
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
    code.push_back(answer(SECCOMP_RET_ALLOW));
    code.push_back(answer(SECCOMP_RET_ERRNO | EPERM));
  }
  code.push_back(answer(SECCOMP_RET_ERRNO | EPERM));
  return code;
}

bool serve_only() {
  std::vector<sock_filter> code = serving_filter();
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace vgpu::link
