// expect: blur: wrong; misconception = "window cut at the block's tile"
// A tile in shared memory that holds the block's own pixels only: windows are cut at its rim.
#include "image.cuh"

__global__ void blur_kernel(const std::uint8_t* in, std::uint8_t* out, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  __shared__ std::uint8_t tile[16][16];
  const bool inside = col < width && row < height;
  if (inside) tile[threadIdx.y][threadIdx.x] = in[row * width + col];
  __syncthreads();
  if (!inside) return;
  const int tile_row = blockIdx.y * 16;
  const int tile_col = blockIdx.x * 16;
  int sum = 0;
  int count = 0;
  for (int r = max(row - radius, tile_row); r <= min(row + radius, min(tile_row + 15, height - 1)); ++r)
    for (int c = max(col - radius, tile_col); c <= min(col + radius, min(tile_col + 15, width - 1)); ++c) {
      sum += tile[r - tile_row][c - tile_col];
      ++count;
    }
  out[row * width + col] = static_cast<std::uint8_t>((sum + count / 2) / count);
}

void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  blur_kernel<<<grid, dim3(16, 16)>>>(d_in, d_out, width, height, radius);
}
