// expect: blur: wrong; misconception = "left and right border not tested"
// Only the position in the array is tested: a window that leaves a row on the left goes on at the end of the row above.
#include "image.cuh"

__global__ void blur_kernel(const std::uint8_t* in, std::uint8_t* out, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  int sum = 0;
  int count = 0;
  for (int r = row - radius; r <= row + radius; ++r)
    for (int c = col - radius; c <= col + radius; ++c)
      if (const int at = r * width + c; at >= 0 && at < width * height) {
        sum += in[at];
        ++count;
      }
  out[row * width + col] = static_cast<std::uint8_t>((sum + count / 2) / count);
}

void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  blur_kernel<<<grid, dim3(16, 16)>>>(d_in, d_out, width, height, radius);
}
