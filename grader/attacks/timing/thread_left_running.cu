// expect: vec_add_device: right; lockdown
// timed: truthfully
// Starts a thread in its first call that would go on between calls, where no clock runs. A worker may not start any;
// then it works itself.

#include <pthread.h>
#include <unistd.h>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

static void* work_between_calls(void*) {
  for (;;) usleep(100);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static bool was_tried = false;
  pthread_t thread;
  if (!was_tried) pthread_create(&thread, nullptr, work_between_calls, nullptr);
  was_tried = true;
  add(d_a, d_b, d_c, n);
}
