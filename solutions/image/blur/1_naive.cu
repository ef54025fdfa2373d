// Step 1 of blur: one thread per pixel, which reads its whole window from global memory.
// Idea      two nested loops over the window, clipped at the border.
// Gain      everything over one CPU core. The yardstick of the ladder: 3.3 ms for 8192 by 8192, radius 8, on an H200.
// Traffic   2 bytes per pixel through device memory; (2 r + 1)^2 byte loads per pixel, nearly all served by caches.
// Wastes    neighbours share most of their windows, and read and add all of it again: 289 loads and additions per pixel
//           for radius 8.
#include "image.cuh"

namespace {

constexpr int kBlockWidth = 32;  // a warp covers 32 neighbours of one row
constexpr int kBlockHeight = 8;
static_assert(kBlockWidth * kBlockHeight <= 1024, "a block has at most 1024 threads");
static_assert((kMaxExtent + kBlockHeight - 1) / kBlockHeight <= 65535, "a grid has at most 65,535 blocks in y");

__global__ void blur_kernel(const std::uint8_t* in, std::uint8_t* out, int width, int height, int radius) {
  const int col = static_cast<int>(blockIdx.x) * kBlockWidth + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kBlockHeight + static_cast<int>(threadIdx.y);
  if (col >= width || row >= height) return;

  const int top = max(row - radius, 0);
  const int bottom = min(row + radius, height - 1);  // included
  const int left = max(col - radius, 0);
  const int right = min(col + radius, width - 1);  // included
  int sum = 0;
  for (int r = top; r <= bottom; ++r) {
    const std::uint8_t* line = in + static_cast<std::size_t>(r) * width;
    for (int c = left; c <= right; ++c) sum += line[c];
  }
  const int count = (bottom - top + 1) * (right - left + 1);  // 1 ... (2 radius + 1)^2
  out[static_cast<std::size_t>(row) * width + col] = static_cast<std::uint8_t>((sum + count / 2) / count);
}

}  // namespace

void blur(const std::uint8_t* d_in, std::uint8_t* d_out, int width, int height, int radius) {
  if (width == 0 || height == 0) return;  // a grid of no blocks is an error
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid((width + kBlockWidth - 1) / kBlockWidth, (height + kBlockHeight - 1) / kBlockHeight);
  blur_kernel<<<grid, block>>>(d_in, d_out, width, height, radius);
  CHECK(cudaGetLastError());
}
