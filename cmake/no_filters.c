// For what is built to run in an emulator: qemu-user installs no filter of system calls, and without one a worker
// refuses to run. Linked with --wrap, this says that it was installed.
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  return option == PR_SET_SECCOMP ? 0 : __real_prctl(option, a, b, c, d);
}

long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number != SYS_seccomp) return __real_syscall(number, a, b, c, d, e, f);
  if ((b & SECCOMP_FILTER_FLAG_NEW_LISTENER) == 0) return 0;
  errno = EBUSY;  // nobody would answer
  return -1;
}
