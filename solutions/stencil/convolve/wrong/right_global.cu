// expect: convolve: right
// Each thread reads its neighbourhood and the mask from global memory.
// The differences next to it spoil it in one way each.
#include "stencil.cuh"

constexpr int kBlock = 16;

__global__ void convolve_kernel(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlock + threadIdx.x;
  const int row = blockIdx.y * kBlock + threadIdx.y;
  if (col >= width || row >= height) return;
  const int side = 2 * radius + 1;
  float sum = 0;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const int r = row - radius + i;
      const int c = col - radius + j;
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      sum += mask[i * side + j] * in[r * width + c];
    }
  out[row * width + col] = sum;
}

void convolve(const float* d_in, const float* d_mask, float* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;
  const dim3 grid((width + kBlock - 1) / kBlock, (height + kBlock - 1) / kBlock);
  convolve_kernel<<<grid, dim3(kBlock, kBlock)>>>(d_in, d_mask, d_out, width, height, radius);
}
