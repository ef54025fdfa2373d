// expect: stretch: right
// Eight pieces in four streams, without a check of any call.
// The differences next to it spoil it in one way each.
#include "overlap.cuh"

#include <algorithm>

__global__ void stretch_kernel(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t x = keys[i];
  for (int round = 0; round < rounds; ++round) {
    x = (x ^ (x >> 15)) * kFactor + kTerm;
    x = x ^ (x >> 13);
  }
  digests[i] = x;
}

void stretch(const std::uint32_t* keys_h, std::uint32_t* digests_h, std::size_t n, int rounds) {
  if (n == 0) return;
  constexpr int kStreams = 4;
  const std::size_t items = (n + 7) / 8;
  std::uint32_t *keys = nullptr, *digests = nullptr;
  cudaMalloc(&keys, n * sizeof(*keys));
  cudaMalloc(&digests, n * sizeof(*digests));
  cudaStream_t streams[kStreams];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);

  int piece = 0;
  for (std::size_t first = 0; first < n; first += items) {
    const std::size_t count = std::min(items, n - first);
    const std::size_t bytes = count * sizeof(*keys);
    const cudaStream_t stream = streams[piece++ % kStreams];
    cudaMemcpyAsync(keys + first, keys_h + first, bytes, cudaMemcpyHostToDevice, stream);
    stretch_kernel<<<(count + 255) / 256, 256, 0, stream>>>(keys + first, digests + first, count, rounds);
    cudaMemcpyAsync(digests_h + first, digests + first, bytes, cudaMemcpyDeviceToHost, stream);
  }
  for (cudaStream_t stream : streams) {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  cudaFree(keys);
  cudaFree(digests);
}
