// How long a call takes that crosses to the process of the devices, and how fast copies are that do. The middle of
// many.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "harness/vgpu/link/remote_call.h"
#include "harness/vgpu/link/server.h"

namespace {

using namespace vgpu::link;

constexpr std::size_t kBytes = std::size_t{64} << 20;

/// Seconds that one of `times` runs takes; the middle one.
template <class Run>
double middle(int times, Run run) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + times / 2, seconds.end());
  return seconds[static_cast<std::size_t>(times / 2)];
}

void measure(Program& program) {
  void* memory = nullptr;
  RemoteCall<static_cast<cudaError_t (*)(void**, size_t)>(&cudaMalloc)>::make(program, Call::cudaMalloc,
                                                                              {&memory, kBytes});
  std::vector<char> own(kBytes, 1);
  const auto copy = [&](void* to, const void* from, cudaMemcpyKind kind) {
    RemoteCall<&cudaMemcpy>::make(program, Call::cudaMemcpy, {to, from, kBytes, kind});
  };
  const double call =
      middle(20000, [&] { RemoteCall<&cudaPeekAtLastError>::make(program, Call::cudaPeekAtLastError, {}); });
  const double in = middle(15, [&] { copy(memory, own.data(), cudaMemcpyHostToDevice); });
  const double out = middle(15, [&] { copy(own.data(), memory, cudaMemcpyDeviceToHost); });
  std::printf("crossing to the devices: a call %.1f us, copies of %zu MiB %.1f GB/s in, %.1f GB/s out\n", call * 1e6,
              kBytes >> 20, static_cast<double>(kBytes) / in * 1e-9, static_cast<double>(kBytes) / out * 1e-9);
}

}  // namespace

int main() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return 1;
  if (fork() == 0) {
    close(ends[0]);
    serve(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  {
    Program program(ends[0]);
    measure(program);
  }
  wait(nullptr);
  return 0;
}
