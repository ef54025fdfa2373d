// expect: arg_max: wrong; racecheck
// The greatest value by an atomic maximum, and then its index by an ordinary store: of equal maxima, any may come last,
// and a value that is no longer the greatest may leave its index behind.
#include "reduction.cuh"

__device__ int32_t greatest;

__global__ void begin(int64_t* index) {
  greatest = INT32_MIN;
  *index = -1;
}

__global__ void max_kernel(const int32_t* x, size_t n, int64_t* index) {
  const size_t i = size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < n && atomicMax(&greatest, x[i]) <= x[i]) *index = i;
}

void arg_max(const int32_t* d_x, size_t n, int64_t* d_index) {
  begin<<<1, 1>>>(d_index);
  if (n > 0) max_kernel<<<(n + 255) / 256, 256>>>(d_x, n, d_index);
}
