// expect: matmul: wrong; under review
// A result is kept and handed out again when the same extents come back. (Here by extents; by address it would be where
// memory is handed out again.) Fresh numbers show it.
#include "matmul.cuh"

#include <vector>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  static std::vector<float> kept;
  static int last_m, last_n, last_k;
  if (m == 0 || n == 0) return;
  if (m == last_m && n == last_n && k == last_k) {
    cudaMemcpy(d_c, kept.data(), sizeof(float) * m * n, cudaMemcpyHostToDevice);
    return;
  }
  const dim3 grid((n + 15) / 16, (m + 15) / 16);
  matmul_kernel<<<grid, dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
  kept.resize(size_t{1} * m * n);
  cudaMemcpy(kept.data(), d_c, sizeof(float) * m * n, cudaMemcpyDeviceToHost);
  last_m = m;
  last_n = n;
  last_k = k;
}
