// expect: matmul: wrong; misconception = "factors rounded to TF32"
// The factors are rounded to TF32, as the tensor cores would have them: right for whole numbers, not for others.
#include "matmul.cuh"

// 10 of the 23 bits behind the leading one are kept: half of the last place kept is added, then the rest cut off.
__device__ float tf32(float x) { return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xFFFFE000u); }

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += tf32(a[row * k + p]) * tf32(b[p * n + col]);
  c[row * n + col] = sum;
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  const dim3 grid((n + 15) / 16, (m + 15) / 16);
  matmul_kernel<<<grid, dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
}
