// expect: matmul: wrong; initcheck; misconception = "added to the old C"
// The sum is kept in C itself, which holds anything to begin with.
#include "matmul.cuh"

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  // (The sum is C itself.)
  for (int p = 0; p < k; ++p) c[row * n + col] += a[row * k + p] * b[p * n + col];
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  const dim3 grid((n + 15) / 16, (m + 15) / 16);
  matmul_kernel<<<grid, dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
}
