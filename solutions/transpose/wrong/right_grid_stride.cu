// expect: transpose: right
// Unusual, but right: a fixed number of threads walk over the output in its own order. Reads are strided, not writes.
#include "transpose.cuh"

__global__ void transpose_kernel(const float* in, float* out, size_t rows, size_t cols) {
  const size_t threads = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * cols; i += threads)
    out[i] = in[i % rows * cols + i / rows];
}

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  transpose_kernel<<<1056, 256>>>(d_in, d_out, rows, cols);
}
