// expect: vec_add_device: right
// timed: truthfully
// Allocates and adds up what it can before anything is timed, in a constructor. No inputs are there yet.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

struct Early {
  Early() {
    cudaMalloc(&memory, 1 << 20);
    cudaMemset(memory, 0, 1 << 20);
    cudaFree(memory);
  }
  float* memory = nullptr;
};
static const Early kEarly;

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) { add(d_a, d_b, d_c, n); }
