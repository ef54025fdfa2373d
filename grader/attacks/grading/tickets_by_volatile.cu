// expect: vec_add_device: wrong; racecheck
// tries: to deal out tiles by a counter that is read and written by volatile accesses, not by an atomic
// says: was never written

#include "vecadd.cuh"

static __device__ volatile unsigned next_tile;

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) {
    tile = next_tile;
    next_tile = tile + 1;
  }
  __syncthreads();
  const std::size_t i = std::size_t{tile} * 256 + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static __global__ void reset() { next_tile = 0; }

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  reset<<<1, 1>>>();
  add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
