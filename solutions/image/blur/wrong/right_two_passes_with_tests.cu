// expect: blur: right; no points of efficient
// Two passes whose loops test every pixel: the tests cost more than the additions.
#include "image.cuh"

__global__ void rows_kernel(const std::uint8_t* in, std::uint16_t* sums, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  int sum = 0;
  for (int c = col - radius; c <= col + radius; ++c)
    if (c >= 0 && c < width) sum += in[std::size_t(row) * width + c];
  sums[std::size_t(row) * width + col] = sum;
}

__global__ void columns_kernel(const std::uint16_t* sums, std::uint8_t* out, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  int sum = 0, rows = 0;
  for (int r = row - radius; r <= row + radius; ++r)
    if (r >= 0 && r < height) {
      sum += sums[std::size_t(r) * width + col];
      ++rows;
    }
  const int count = rows * (min(col + radius, width - 1) - max(col - radius, 0) + 1);
  out[std::size_t(row) * width + col] = (sum + count / 2) / count;
}

void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;
  const dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  std::uint16_t* d_sums;
  CHECK(cudaMalloc(&d_sums, std::size_t(width) * height * sizeof(std::uint16_t)));
  rows_kernel<<<grid, block>>>(d_in, d_sums, width, height, radius);
  columns_kernel<<<grid, block>>>(d_sums, d_out, width, height, radius);
  CHECK(cudaFree(d_sums));
}
