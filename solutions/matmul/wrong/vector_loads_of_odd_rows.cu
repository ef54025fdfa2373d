// expect: matmul: cuda error; memcheck
// Rows of B are read as float4 whatever n is: where n is not a multiple of 4, most of them begin at addresses that no
// vector load can use.
#include "matmul.cuh"

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int p = 0; p < k; ++p) {
    const float4 four = *reinterpret_cast<const float4*>(&b[p * n + col]);
    sum.x += a[row * k + p] * four.x;
    sum.y += a[row * k + p] * four.y;
    sum.z += a[row * k + p] * four.z;
    sum.w += a[row * k + p] * four.w;
  }
  const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
  for (int j = 0; j < 4 && col + j < n; ++j) c[row * n + col + j] = sums[j];
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  const dim3 grid((n + 63) / 64, (m + 15) / 16);
  matmul_kernel<<<grid, dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
}
