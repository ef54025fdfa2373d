// expect: vec_add_device: right
// tries: to have eight blocks on a multiprocessor by a bound that leaves a third of the registers that it needs
// says: requests, global reads: 125,000
// The loads and stores that ptxas adds for that are read from the machine code, and take the time that they take.

#include "vecadd.cuh"

static constexpr int kThreads = 256;
static constexpr int kOfThread = 32;

static __global__ void __launch_bounds__(kThreads, 8)
    add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * (kThreads * kOfThread) + threadIdx.x;
  float left[kOfThread], right[kOfThread];
#pragma unroll
  for (int k = 0; k < kOfThread; ++k) {
    const std::size_t i = first + std::size_t{kThreads} * k;
    left[k] = i < n ? a[i] : 0.0f;
    right[k] = i < n ? b[i] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < kOfThread; ++k) asm volatile("" : "+f"(left[k]), "+f"(right[k]));  // all of them are here
#pragma unroll
  for (int k = 0; k < kOfThread; ++k) {
    const std::size_t i = first + std::size_t{kThreads} * k;
    if (i < n) c[i] = left[k] + right[k];
  }
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  constexpr std::size_t kOfBlock = kThreads * kOfThread;
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + kOfBlock - 1) / kOfBlock), kThreads>>>(d_a, d_b, d_c, n);
}
