// expect: matmul: right; racecheck
// A block is a single warp, so its lanes are believed to be in step and both barriers are left out. The result is right
// most of the time; nothing promises it (__syncwarp() would).
#include "matmul.cuh"

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[32];
  const int lane = threadIdx.x;
  const int col = blockIdx.x * 32 + lane;
  const int row = blockIdx.y;
  float sum = 0;
  for (int first = 0; first < k; first += 32) {
    a_tile[lane] = first + lane < k ? a[row * k + first + lane] : 0.0f;
    for (int p = 0; p < min(32, k - first); ++p)
      if (col < n) sum += a_tile[p] * b[(first + p) * n + col];
  }
  if (col < n) c[row * n + col] = sum;
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  matmul_kernel<<<dim3((n + 31) / 32, m), 32>>>(d_a, d_b, d_c, m, n, k);
}
