// expect: vec_add_device: exit
// tries: to confuse the grader with bytes that no worker sends
// says: cut it off from the harness
// A worker that sends what makes no sense is ended, and its case is lost.

#include <sys/socket.h>

#include <cstring>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
  char noise[4096];
  std::memset(noise, 0xa5, sizeof(noise));
  for (int descriptor = 3; descriptor < 1024; ++descriptor)
    for (int i = 0; i < 64; ++i)
      if (send(descriptor, noise, sizeof(noise), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
}
