// expect: grayscale: wrong; memcheck; racecheck
// The row is compared with the height, the column with nothing. Threads beyond the right border make pixels of the next
// row, as its own threads do: the picture is right, and behind its end others are made of what lies behind the input.
#include "image.cuh"

__global__ void grayscale_kernel(const std::uint8_t* rgb, std::uint8_t* gray, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height) {
    const int pixel = row * width + col;
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
