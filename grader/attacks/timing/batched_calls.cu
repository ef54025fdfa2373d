// expect: vec_add_device: wrong
// timed: wrong
// Only notes what is to be done, and does it in every sixteenth call for all that were noted. By then the outputs of
// the others have been looked at.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  struct Call {
    const float *a, *b;
    float* c;
    std::size_t n;
  };
  constexpr int kBatch = 16;
  static Call calls[kBatch];
  static int count = 0;
  calls[count++] = {d_a, d_b, d_c, n};
  if (count < kBatch) return;
  for (const Call& call : calls)
    if (call.c == d_c && call.n == n) add(call.a, call.b, call.c, call.n);
  count = 0;
}
