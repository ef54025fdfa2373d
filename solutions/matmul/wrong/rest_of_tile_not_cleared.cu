// expect: matmul: wrong; initcheck; misconception = "rest of the last tile not set to zero"
// Threads that have nothing to load store nothing: the rest of the last tile holds what was there before.
#include "matmul.cuh"

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[16][16];
  __shared__ float b_tile[16][16];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * 16 + tx;
  const int row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    if (row < m && first + tx < k) a_tile[ty][tx] = a[row * k + first + tx];
    if (first + ty < k && col < n) b_tile[ty][tx] = b[(first + ty) * n + col];
    __syncthreads();
    for (int p = 0; p < 16; ++p) sum += a_tile[ty][p] * b_tile[p][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  const dim3 grid((n + 15) / 16, (m + 15) / 16);
  matmul_kernel<<<grid, dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
}
