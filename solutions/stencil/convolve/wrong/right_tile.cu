// expect: convolve: right
// A tile with a halo in shared memory, and the mask in constant memory.
// The differences next to it spoil it in one way each.
#include "stencil.cuh"

constexpr int kTile = 16;
constexpr int kMostTaps = 225;
__constant__ float taps[kMostTaps];

__global__ void convolve_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ float tile[kTile + 2 * kMaxRadius][kTile + 2 * kMaxRadius];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * kTile + tx;
  const int row = blockIdx.y * kTile + ty;
  const int side = 2 * radius + 1;
  for (int i = ty; i < kTile + 2 * radius; i += kTile)
    for (int j = tx; j < kTile + 2 * radius; j += kTile) {
      const int r = row - ty - radius + i;
      const int c = col - tx - radius + j;
      const bool exists = r >= 0 && r < height && c >= 0 && c < width;
      tile[i][j] = exists ? in[r * width + c] : 0.0f;
    }
  __syncthreads();
  if (col >= width || row >= height) return;
  float sum = 0;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) sum += taps[i * side + j] * tile[ty + i][tx + j];
  out[row * width + col] = sum;
}

void convolve(const float* d_in, const float* d_mask, float* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;
  const int count = (2 * radius + 1) * (2 * radius + 1);
  cudaMemcpyToSymbolAsync(taps, d_mask, count * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  convolve_kernel<<<grid, dim3(kTile, kTile)>>>(d_in, d_out, width, height, radius);
}
