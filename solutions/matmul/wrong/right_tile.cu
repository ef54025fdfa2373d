// expect: matmul: right
// Tiles of 16 x 16 in shared memory.
// The differences next to it spoil it in one way each.
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
    a_tile[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    b_tile[ty][tx] = first + ty < k && col < n ? b[(first + ty) * n + col] : 0.0f;
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
