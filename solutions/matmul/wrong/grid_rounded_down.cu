// expect: matmul: cuda error; runtime; misconception = "partial tiles of C skipped"
// Blocks are counted rounding down: the last rows and columns are left out, and small matrices make a grid of no
// blocks.
#include "matmul.cuh"

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  const dim3 grid(n / 16, m / 16);
  matmul_kernel<<<grid, dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
}
