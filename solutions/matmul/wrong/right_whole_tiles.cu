// expect: matmul: right; no points of efficient
// Tiles in shared memory, but only where all extents are multiples of 16; any other shape takes stage 1, which needs no
// thought about partial tiles.
#include "matmul.cuh"

constexpr int kTile = 16;  // a block has kTile x kTile threads and computes a tile of C of that size

__global__ void whole_tiles_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int first = 0; first < k; first += kTile) {
    const int a_col = first + threadIdx.x;
    const int b_row = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = a[std::size_t(row) * k + a_col];
    b_tile[threadIdx.y][threadIdx.x] = b[std::size_t(b_row) * n + col];
    __syncthreads();
    for (int p = 0; p < kTile; ++p) sum += a_tile[threadIdx.y][p] * b_tile[p][threadIdx.x];
    __syncthreads();
  }
  c[std::size_t(row) * n + col] = sum;
}

__global__ void any_shape_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[std::size_t(row) * k + p] * b[std::size_t(p) * n + col];
  c[std::size_t(row) * n + col] = sum;
}

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  dim3 block(kTile, kTile);
  dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  if (m % kTile == 0 && n % kTile == 0 && k % kTile == 0 && k > 0)
    whole_tiles_kernel<<<grid, block>>>(d_a, d_b, d_c, m, n, k);
  else
    any_shape_kernel<<<grid, block>>>(d_a, d_b, d_c, m, n, k);
  CHECK(cudaGetLastError());
}
