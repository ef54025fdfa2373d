// expect: vec_add_device: exit
// timed: broken
// Finds the socket between worker and runner and says that the work is done before it is. The real answer then comes
// where another one is due, and the worker is not believed any more.

#include <sys/socket.h>

#include <cstdint>
#include <cstring>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  unsigned char done[592] = {};  // harness/worker/protocol.h: the header, and zeroes for all that follows
  const std::uint32_t magic = 0x6b77776c;
  const std::uint16_t rest[] = {4, 7};  // version, and the kind Done
  std::memcpy(done, &magic, sizeof(magic));
  std::memcpy(done + sizeof(magic), rest, sizeof(rest));
  for (int descriptor = 3; descriptor < 1024; ++descriptor) send(descriptor, done, sizeof(done), MSG_NOSIGNAL);
  add(d_a, d_b, d_c, n);
}
