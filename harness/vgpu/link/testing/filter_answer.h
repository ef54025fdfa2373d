// What the kernel does with a filter of system calls: so that one can be asked where none can be installed, as in an
// emulator.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace vgpu::link::test {

inline constexpr std::uint32_t kConventions[] = {AUDIT_ARCH_I386, AUDIT_ARCH_X86_64, AUDIT_ARCH_ARM,
                                                 AUDIT_ARCH_AARCH64};
#if defined(__x86_64__)
inline constexpr std::uint32_t kOwnConvention = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t kOwnConvention = AUDIT_ARCH_AARCH64;
#endif

/// A system call with these arguments; the others are 0.
inline seccomp_data call(long number, std::vector<std::uint64_t> arguments = {},
                         std::uint32_t convention = kOwnConvention) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = convention;
  for (std::size_t i = 0; i < arguments.size(); ++i) data.args[i] = arguments[i];
  return data;
}

/// SECCOMP_RET_... with its data. Knows the instructions that our filters and libseccomp's are made of.
inline std::uint32_t answer(const std::vector<sock_filter>& filter, const seccomp_data& asked) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < filter.size(); ++at) {
    const sock_filter& step = filter[at];
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (step.k > sizeof asked - sizeof accumulator) throw std::runtime_error("a load from outside");
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&asked) + step.k, sizeof accumulator);
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        accumulator &= step.k;
        break;
      case BPF_JMP | BPF_JA:
        at += step.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += accumulator == step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        at += accumulator >= step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        at += accumulator > step.k ? step.jt : step.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (accumulator & step.k) != 0 ? step.jt : step.jf;
        break;
      case BPF_RET | BPF_K:
        return step.k;
      default:
        throw std::runtime_error("an instruction that the tests do not know");
    }
  }
  throw std::runtime_error("a filter without an end");
}

/// Whether this system can install filters at all; qemu-user cannot.
inline bool filters_can_be_installed() { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != -1 || errno != EINVAL; }

}  // namespace vgpu::link::test
