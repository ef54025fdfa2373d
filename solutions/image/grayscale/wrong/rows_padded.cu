// expect: grayscale: wrong; memcheck
// Rows are taken to begin at multiples of four bytes, as in a BMP file: the last rows lie beyond the end.
#include "image.cuh"

__global__ void grayscale_kernel(const std::uint8_t* rgb, std::uint8_t* gray, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    const int pixel = row * width + col;
    const int pitch = (3 * width + 3) / 4 * 4;
    const std::uint8_t* rgb_row = rgb + row * pitch;
    const int r = rgb_row[3 * col];
    const int g = rgb_row[3 * col + 1];
    const int b = rgb_row[3 * col + 2];
    gray[pixel] = static_cast<std::uint8_t>(0.21f * r + 0.72f * g + 0.07f * b + 0.5f);
  }
}

void grayscale(const std::uint8_t* d_rgb, std::uint8_t* d_gray, int width, int height) {
  if (width == 0 || height == 0) return;
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  grayscale_kernel<<<grid, dim3(16, 16)>>>(d_rgb, d_gray, width, height);
}
