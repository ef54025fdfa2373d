#include "harness/vgpu/link/crash_explanation.h"

#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "harness/vgpu/cudart/extensions.h"

namespace vgpu::link {
namespace {

void explain(int signal, siginfo_t* info, void*) {
  char what[256];
  if (vgpuDescribePointer(info->si_addr, what, sizeof what) != 0) {
    const auto put = [](const char* text) {
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
    };
    put("lanewise vgpu: host code touched ");
    put(what);
    put(". Only the device can access device memory: copy it with cudaMemcpy first\n");
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void explain_crashes() {
  if (std::getenv("LANEWISE_VGPU_EXPLAIN") == nullptr) return;
  struct sigaction before;
  if (sigaction(SIGSEGV, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_sigaction = &explain;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace vgpu::link
