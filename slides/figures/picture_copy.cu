// Copies a grey picture of 640 x 32 pixels, one byte each, with threadIdx.x along a row or (ALONG_COLUMNS) down a
// column.
#include <cstddef>
#include <cstdint>

#ifdef ALONG_COLUMNS
constexpr bool kAlongColumns = true;
#else
constexpr bool kAlongColumns = false;
#endif
constexpr int kWidth = 640;
constexpr int kHeight = 32;

__global__ void copy_kernel(const std::uint8_t* in, std::uint8_t* out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int row = kAlongColumns ? x : y;
  const int col = kAlongColumns ? y : x;
  if (row < kHeight && col < kWidth) out[row * kWidth + col] = in[row * kWidth + col];
}

int main() {
  std::uint8_t *in = nullptr, *out = nullptr;
  const std::size_t bytes = std::size_t{kWidth} * kHeight;
  if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) return 1;
  if (cudaMemset(in, 0, bytes) != cudaSuccess) return 1;
  const dim3 block(32, 8);
  const int across = kAlongColumns ? kHeight : kWidth;
  const int down = kAlongColumns ? kWidth : kHeight;
  copy_kernel<<<dim3(across / 32, down / 8), block>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return cudaFree(in) == cudaSuccess && cudaFree(out) == cudaSuccess ? 0 : 1;
}
