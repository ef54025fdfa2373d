// Five-point stencil: a block loads its tile and one cell around it, and counts what is outside of the picture as zero.
#include "check.cuh"

constexpr int kTile = 16;
constexpr int kSide = kTile + 2;

__device__ int cell(const int* in, int width, int height, int x, int y) {
  return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0;
}

__global__ void stencil(const int* in, int* out, int width, int height) {
  __shared__ int tile[kSide][kSide];
  const int left = blockIdx.x * kTile - 1, top = blockIdx.y * kTile - 1;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < kSide * kSide; i += kTile * kTile)
    tile[i / kSide][i % kSide] = cell(in, width, height, left + i % kSide, top + i / kSide);
  __syncthreads();
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = left + tx, y = top + ty;
  if (x < width && y < height)
    out[y * width + x] =
        7 * tile[ty][tx] + 5 * tile[ty - 1][tx] + 3 * tile[ty + 1][tx] + 2 * tile[ty][tx - 1] + tile[ty][tx + 1];
}

bool test(int width, int height) {
  const std::vector<int> in = numbers(width * height, 1000, 4);
  const auto at = [&](int x, int y) { return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0; };
  std::vector<int> expected;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      expected.push_back(7 * at(x, y) + 5 * at(x, y - 1) + 3 * at(x, y + 1) + 2 * at(x - 1, y) + at(x + 1, y));
  const DeviceArray<int> d_in(in), d_out(in.size());
  const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  stencil<<<grid, dim3(kTile, kTile)>>>(d_in.get(), d_out.get(), width, height);
  finish();
  return is_right("picture", d_out.values(), expected);
}

int main() { return test(37, 23) && test(16, 32) && test(1, 1) ? 0 : 1; }
