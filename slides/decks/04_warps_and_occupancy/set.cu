// Counts for each pixel of a map of the complex plane how many turns z = z * z + c takes to escape: the example of
// lecture 04. Pixels take from one turn to kMost, so the lanes of a warp do not leave the loop together.
//
//   nvcc -lineinfo -cudart shared -o set set.cu
//   lanewise run -- ./set
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (false)

constexpr int kBlockX = 32, kBlockY = 8;  // a warp covers 32 x 1 pixels; with 8, 32 it covers 8 x 4
static_assert(32 % kBlockX == 0, "a warp covers a rectangle");
constexpr int kWidth = 256, kHeight = 256;
constexpr int kMost = 100;

__global__ void escape_kernel(unsigned char* turns_of) {
  const int col = blockIdx.x * kBlockX + threadIdx.x;
  const int row = blockIdx.y * kBlockY + threadIdx.y;
  const float a = -2.0f + 2.5f * col / kWidth, b = -1.25f + 2.5f * row / kHeight;
  float x = 0, y = 0;
  int turns = 0;
  while (x * x + y * y <= 4 && turns < kMost) {
    const float next = x * x - y * y + a;
    y = 2 * x * y + b;
    x = next;
    ++turns;
  }
  turns_of[row * kWidth + col] = turns;
}

int main() {
  const std::size_t count = std::size_t{kWidth} * kHeight;
  std::vector<unsigned char> turns(count);
  unsigned char* d_turns = nullptr;
  CHECK(cudaMalloc(&d_turns, count));
  escape_kernel<<<dim3(kWidth / kBlockX, kHeight / kBlockY), dim3(kBlockX, kBlockY)>>>(d_turns);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(turns.data(), d_turns, count, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_turns));

  long of_pixels = 0, of_warps = 0;  // a warp takes as many turns as its slowest lane
  constexpr int kWarpX = kBlockX, kWarpY = 32 / kBlockX;
  for (int row = 0; row < kHeight; row += kWarpY) {
    for (int col = 0; col < kWidth; col += kWarpX) {
      int most = 0;
      for (int lane = 0; lane < 32; ++lane) {
        const int n = turns[std::size_t(row + lane / kWarpX) * kWidth + col + lane % kWarpX];
        of_pixels += n;
        most = std::max(most, n);
      }
      of_warps += most;
    }
  }
  std::printf("turns: %ld of pixels, %ld of warps\n", of_pixels, of_warps);
}
