// System calls a submission may not make, and what each would do, so that a refusal can be named.
#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>

namespace lanewise {

/// The calling convention whose numbers these are; calls by any other end the process.
#if defined(__x86_64__)
inline constexpr std::uint32_t kCallingConvention = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t kCallingConvention = AUDIT_ARCH_AARCH64;
#else
#error "only the system calls of x86-64 and of 64-bit Arm are known"
#endif

/// One system call that is refused whatever its arguments.
struct DeniedCall {
  int number;
  const char* name;
  const char* purpose;  ///< completes "asked the system to ..."
};

inline constexpr const char* kStartProcess = "start another process";
inline constexpr const char* kStartProgram = "start another program";
inline constexpr const char* kOpenSocket = "open a socket";
inline constexpr const char* kSetTimer = "set a timer";
inline constexpr const char* kSignalOthers = "signal another process";
inline constexpr const char* kReadOthers = "look into another process";
inline constexpr const char* kLeaveGroup = "leave its process group";
inline constexpr const char* kLeaveSandbox = "change the namespaces or mounts it lives in";
inline constexpr const char* kShareMemory = "make memory or queues that outlive it";
inline constexpr const char* kInstrument = "instrument the system";
inline constexpr const char* kAdminister = "administer the system";
inline constexpr const char* kFilterCalls = "filter its own system calls";
inline constexpr const char* kChangeLimits = "change its limits";

/// Calls that depend on their arguments (kill, tgkill, tkill, prctl, prlimit64, clone3) are not listed: lockdown.cpp
/// has them.
inline constexpr DeniedCall kDeniedCalls[] = {
    {SYS_clone, "clone", "start a thread or another process"},
#ifdef SYS_fork  // on x86-64; on Arm, they are made of other calls
    {SYS_fork, "fork", kStartProcess},
    {SYS_vfork, "vfork", kStartProcess},
    {SYS_alarm, "alarm", kSetTimer},
#endif
    {SYS_execve, "execve", kStartProgram},
    {SYS_execveat, "execveat", kStartProgram},
    {SYS_socket, "socket", kOpenSocket},
    {SYS_socketpair, "socketpair", kOpenSocket},
    {SYS_connect, "connect", kOpenSocket},
    {SYS_bind, "bind", kOpenSocket},
    {SYS_listen, "listen", kOpenSocket},
    {SYS_accept, "accept", kOpenSocket},
    {SYS_accept4, "accept4", kOpenSocket},
    {SYS_setitimer, "setitimer", kSetTimer},
    {SYS_timer_create, "timer_create", kSetTimer},
    {SYS_timerfd_create, "timerfd_create", kSetTimer},
    {SYS_rt_sigqueueinfo, "rt_sigqueueinfo", kSignalOthers},
    {SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", kSignalOthers},
    {SYS_pidfd_send_signal, "pidfd_send_signal", kSignalOthers},
    {SYS_ptrace, "ptrace", kReadOthers},
    {SYS_process_vm_readv, "process_vm_readv", kReadOthers},
    {SYS_process_vm_writev, "process_vm_writev", kReadOthers},
    {SYS_pidfd_open, "pidfd_open", kReadOthers},
    {SYS_pidfd_getfd, "pidfd_getfd", kReadOthers},
    {SYS_kcmp, "kcmp", kReadOthers},
    {SYS_setsid, "setsid", kLeaveGroup},
    {SYS_setpgid, "setpgid", kLeaveGroup},
    {SYS_unshare, "unshare", kLeaveSandbox},
    {SYS_setns, "setns", kLeaveSandbox},
    {SYS_mount, "mount", kLeaveSandbox},
    {SYS_umount2, "umount2", kLeaveSandbox},
    {SYS_pivot_root, "pivot_root", kLeaveSandbox},
    {SYS_chroot, "chroot", kLeaveSandbox},
    {SYS_personality, "personality", kLeaveSandbox},
    {SYS_shmget, "shmget", kShareMemory},
    {SYS_msgget, "msgget", kShareMemory},
    {SYS_semget, "semget", kShareMemory},
    {SYS_mq_open, "mq_open", kShareMemory},
    {SYS_io_uring_setup, "io_uring_setup", kInstrument},
    {SYS_bpf, "bpf", kInstrument},
    {SYS_perf_event_open, "perf_event_open", kInstrument},
    {SYS_userfaultfd, "userfaultfd", kInstrument},
    {SYS_init_module, "init_module", kAdminister},
    {SYS_finit_module, "finit_module", kAdminister},
    {SYS_kexec_load, "kexec_load", kAdminister},
    {SYS_reboot, "reboot", kAdminister},
    {SYS_swapon, "swapon", kAdminister},
    {SYS_clock_settime, "clock_settime", kAdminister},
    {SYS_settimeofday, "settimeofday", kAdminister},
    {SYS_add_key, "add_key", kAdminister},
    {SYS_keyctl, "keyctl", kAdminister},
    {SYS_setrlimit, "setrlimit", kChangeLimits},
    {SYS_seccomp, "seccomp", kFilterCalls},
};

}  // namespace lanewise
