// Refusals by libseccomp: the rest is allowed, since compilers and drivers change what they call from version to
// version.
#include "grader/sandbox/system_calls.h"

#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>

#include "harness/worker/denied_calls.h"

namespace lanewise {
namespace {

// Ways out, ways into the kernel that have had more holes than uses, and what only an administrator does.
constexpr const char* kRefused[] = {"ptrace",
                                    "process_vm_readv",
                                    "process_vm_writev",
                                    "pidfd_getfd",
                                    "kcmp",
                                    "process_madvise",
                                    "mount",
                                    "umount2",
                                    "pivot_root",
                                    "chroot",
                                    "unshare",
                                    "setns",
                                    "open_tree",
                                    "move_mount",
                                    "fsopen",
                                    "fsconfig",
                                    "fsmount",
                                    "fspick",
                                    "mount_setattr",
                                    "open_by_handle_at",
                                    "name_to_handle_at",
                                    "add_key",
                                    "request_key",
                                    "keyctl",
                                    "bpf",
                                    "perf_event_open",
                                    "userfaultfd",
                                    "io_uring_setup",
                                    "io_uring_enter",
                                    "io_uring_register",
                                    "fanotify_init",
                                    "lookup_dcookie",
                                    "vhangup",
                                    "vmsplice",
                                    "kexec_load",
                                    "kexec_file_load",
                                    "init_module",
                                    "finit_module",
                                    "delete_module",
                                    "reboot",
                                    "swapon",
                                    "swapoff",
                                    "acct",
                                    "quotactl",
                                    "quotactl_fd",
                                    "nfsservctl",
                                    "settimeofday",
                                    "clock_settime",
                                    "clock_adjtime",
                                    "adjtimex",
                                    "sethostname",
                                    "setdomainname",
                                    "syslog",
                                    "iopl",
                                    "ioperm",
                                    "uselib",
                                    "ustat",
                                    "sysfs",
                                    "_sysctl",
                                    "modify_ldt"};

// A compiler has no use for these either; a driver might.
constexpr const char* kRefusedToCompilers[] = {"socket", "socketpair", "connect",     "bind",         "listen",
                                               "accept", "accept4",    "shmget",      "shmat",        "msgget",
                                               "semget", "mq_open",    "personality", "memfd_create", "memfd_secret"};

constexpr std::uint64_t kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

// Names that this version of the library or this kind of machine does not know cannot be called for either.
bool refuse(scmp_filter_ctx filter, const char* name) {
  const int number = seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) return true;
  const int error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
  return error == 0 || error == -EDOM;
}

bool refuse_namespaces(scmp_filter_ctx filter) {
  for (std::uint64_t flag = 1; flag <= kNamespaces; flag <<= 1) {
    if ((kNamespaces & flag) == 0) continue;
    const scmp_arg_cmp is_asked = SCMP_A0_64(SCMP_CMP_MASKED_EQ, flag, flag);
    if (seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, &is_asked) != 0) return false;
  }
  return true;
}

// Typing on the terminal of whoever started the grader, were there one.
bool refuse_typing(scmp_filter_ctx filter) {
  for (const unsigned request : {unsigned{TIOCSTI}, 0x541CU /* TIOCLINUX */}) {
    const scmp_arg_cmp is_asked = SCMP_A1_32(SCMP_CMP_EQ, request, 0);
    if (seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, &is_asked) != 0) return false;
  }
  return true;
}

// Its own refusals are told in the verdict, which a worker's could not be if they were made here; and nothing foreign
// is in it before it is able to refuse.
bool is_refused_by_worker(const char* name) {
  const int number = seccomp_syscall_resolve_name(name);
  return std::any_of(std::begin(kDeniedCalls), std::end(kDeniedCalls),
                     [number](const DeniedCall& call) { return call.number == number; });
}

bool fill(scmp_filter_ctx filter, ForeignWork work) {
  const bool is_worker = work == ForeignWork::kRun;
  for (const char* const name : kRefused)
    if (!(is_worker && is_refused_by_worker(name)) && !refuse(filter, name)) return false;
  for (const char* const name : kRefusedToCompilers)
    if (!is_worker && !refuse(filter, name)) return false;
  if (!is_worker && !refuse_namespaces(filter)) return false;
  // Its flags lie behind a pointer that a filter cannot follow; libc falls back to clone.
  return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 && refuse_typing(filter);
}

}  // namespace

Expected<Descriptor> make_call_filter(ForeignWork work) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (!filter || !fill(filter.get(), work)) return Failure{"the sandbox's system-call filter could not be created"};
  Descriptor file(memfd_create("lanewise_call_filter", MFD_CLOEXEC));
  if (!file || seccomp_export_bpf(filter.get(), file.get()) != 0)
    return Failure{fmt::format("the sandbox's system-call filter could not be written ({})", std::strerror(errno))};
  return file;
}

}  // namespace lanewise
