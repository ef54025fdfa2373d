// expect: matmul: wrong; misconception = "last n mod 4 columns skipped"
// Four columns a thread; the one to three that are left over are forgotten.
#include "matmul.cuh"

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col + 3 >= n) return;
  float sums[4] = {};
  for (int p = 0; p < k; ++p)
    for (int j = 0; j < 4; ++j) sums[j] += a[row * k + p] * b[p * n + col + j];
  for (int j = 0; j < 4; ++j) c[row * n + col + j] = sums[j];
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  const dim3 grid((n + 63) / 64, (m + 15) / 16);
  matmul_kernel<<<grid, dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
}
