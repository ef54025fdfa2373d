// Blocks hand a sum on, each to the next one: the example of lecture 11.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o chain chain.cu
//   lanewise run -- ./chain
#include <cuda/atomic>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (false)

constexpr int kTiles = 5000;

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Each block takes a tile, waits for the sum of the tiles before, adds its own number, and hands the sum on.
__global__ void chain_kernel(unsigned* next_tile, unsigned* flags, unsigned* prefixes) {
  const unsigned tile = Word(*next_tile).fetch_add(1, cuda::memory_order_relaxed);
  unsigned before = 0;
  if (tile > 0) {
    while (Word(flags[tile - 1]).load(cuda::memory_order_acquire) == 0) {
    }
    before = prefixes[tile - 1];
  }
  prefixes[tile] = before + tile;
  Word(flags[tile]).store(1, cuda::memory_order_release);
}

int main() {
  unsigned* memory = nullptr;  // the ticket, the flags, the prefixes
  CHECK(cudaMalloc(&memory, (1 + 2 * kTiles) * sizeof(unsigned)));
  CHECK(cudaMemset(memory, 0, (1 + 2 * kTiles) * sizeof(unsigned)));
  chain_kernel<<<kTiles, 1>>>(memory, memory + 1, memory + 1 + kTiles);
  CHECK(cudaGetLastError());
  unsigned last = 0;
  CHECK(cudaMemcpy(&last, memory + 2 * kTiles, sizeof last, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  std::printf("the sum of 0 to %d is %u\n", kTiles - 1, last);
}
