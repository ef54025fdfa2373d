// expect: vec_add_device: wrong; initcheck
// tries: to be right because work is done in the order in which it is queued, in whatever stream
// says: right only in one order of execution

#include "vecadd.cuh"

static __global__ void copy_kernel(const float* a, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}

static __global__ void add_kernel(const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] += b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  static cudaStream_t one, other;
  if (one == nullptr && (cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking) != cudaSuccess ||
                         cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) != cudaSuccess))
    return;
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  copy_kernel<<<blocks, 256, 0, one>>>(d_a, d_c, n);
  add_kernel<<<blocks, 256, 0, other>>>(d_b, d_c, n);
}
