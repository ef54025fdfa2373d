// expect: stretch: wrong; right on a GPU
// The host computes the digests, beside a kernel that only passes the keys on.
#include "overlap.cuh"

__global__ void pass(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) digests[i] = keys[i];
}

void stretch(const std::uint32_t* keys_h, std::uint32_t* digests_h, std::size_t n, int rounds) {
  if (n == 0) return;
  std::uint32_t* memory = nullptr;
  cudaMalloc(&memory, 2 * n * sizeof(*memory));
  cudaMemcpy(memory, keys_h, n * sizeof(*memory), cudaMemcpyHostToDevice);
  pass<<<(n + 255) / 256, 256>>>(memory, memory + n, n);
  cudaMemcpy(digests_h, memory + n, n * sizeof(*memory), cudaMemcpyDeviceToHost);
  cudaFree(memory);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t x = digests_h[i];
    for (int round = 0; round < rounds; ++round) {
      x = (x ^ (x >> 15)) * kFactor + kTerm;
      x = x ^ (x >> 13);
    }
    digests_h[i] = x;
  }
}
