// expect: blur: wrong; initcheck
// Tile and halo in shared memory, but what lies outside of the picture is not set to zero there: whatever shared memory
// holds is added to the sums along the border.
#include "image.cuh"

__global__ void blur_kernel(const std::uint8_t* in, std::uint8_t* out, int width, int height, int radius) {
  extern __shared__ std::uint8_t tile[];
  const int side = 16 + 2 * radius;
  const int tile_row = static_cast<int>(blockIdx.y) * 16 - radius;
  const int tile_col = static_cast<int>(blockIdx.x) * 16 - radius;
  for (int r = threadIdx.y; r < side; r += 16)
    for (int c = threadIdx.x; c < side; c += 16) {
      const int row = tile_row + r;
      const int col = tile_col + c;
      if (row >= 0 && row < height && col >= 0 && col < width) tile[r * side + c] = in[row * width + col];
    }
  __syncthreads();
  const int col = blockIdx.x * 16 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  if (col >= width || row >= height) return;
  int sum = 0;
  for (int r = 0; r <= 2 * radius; ++r)
    for (int c = 0; c <= 2 * radius; ++c) sum += tile[(threadIdx.y + r) * side + threadIdx.x + c];
  const int rows = min(row + radius, height - 1) - max(row - radius, 0) + 1;
  const int cols = min(col + radius, width - 1) - max(col - radius, 0) + 1;
  const int count = rows * cols;
  out[row * width + col] = static_cast<std::uint8_t>((sum + count / 2) / count);
}

void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  const int side = 16 + 2 * radius;
  blur_kernel<<<grid, dim3(16, 16), side * side>>>(d_in, d_out, width, height, radius);
}
