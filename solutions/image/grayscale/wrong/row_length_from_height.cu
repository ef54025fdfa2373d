// expect: grayscale: wrong; memcheck; racecheck; misconception = "row length taken from the height"
// Rows are taken to be as long as the picture is high; where that is longer, they end far outside.
#include "image.cuh"

__global__ void grayscale_kernel(const std::uint8_t* rgb, std::uint8_t* gray, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    const int pixel = row * height + col;
    const int r = rgb[3 * pixel];
    const int g = rgb[3 * pixel + 1];
    const int b = rgb[3 * pixel + 2];
    gray[pixel] = static_cast<std::uint8_t>(0.21f * r + 0.72f * g + 0.07f * b + 0.5f);
  }
}

void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height) {
  if (width == 0 || height == 0) return;
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  grayscale_kernel<<<grid, dim3(16, 16)>>>(d_rgb, d_gray, width, height);
}
