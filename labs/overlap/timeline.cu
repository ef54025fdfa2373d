// Calls stretch and evolve once each, so that their timelines can be drawn: see README.md.
#include <cstdio>

#include "overlap.cuh"

int main() {
  constexpr std::size_t kKeys = 2'000'000;
  constexpr int kRounds = 200;
  std::uint32_t* keys_h = nullptr;
  std::uint32_t* digests_h = nullptr;
  cudaMallocHost(&keys_h, kKeys * sizeof(*keys_h));
  cudaMallocHost(&digests_h, kKeys * sizeof(*digests_h));
  for (std::size_t i = 0; i < kKeys; ++i) keys_h[i] = static_cast<std::uint32_t>(i);
  cudaDeviceSynchronize();  // whatever stream the function works in, its inputs are there
  stretch(keys_h, digests_h, kKeys, kRounds);

  constexpr int kCells = 4096;
  constexpr int kSteps = 200;
  std::uint32_t* d_cells = nullptr;
  cudaMalloc(&d_cells, 2 * kCells * sizeof(*d_cells));
  cudaMemset(d_cells, 1, kCells * sizeof(*d_cells));
  cudaDeviceSynchronize();
  evolve(d_cells, d_cells + kCells, kCells, kSteps);

  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(status));
  cudaFree(d_cells);
  cudaFreeHost(digests_h);
  cudaFreeHost(keys_h);
  return status == cudaSuccess ? 0 : 1;
}
