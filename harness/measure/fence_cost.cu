// What it costs a warp to release what it wrote: cycles of a store by itself, behind a fence, and as one that releases.
//
//   nvcc -std=c++17 -arch=sm_90 -o fence_cost harness/measure/fence_cost.cu && ./fence_cost
//
// The cost of releasing in harness/vgpu/cost/instruction_cost.cpp comes from here.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    const cudaError_t error_ = (call);                                                 \
    if (error_ != cudaSuccess) {                                                       \
      std::fprintf(stderr, "fence_cost: %s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (0)

namespace {

constexpr int kRounds = 1024;

enum Kind { kStore, kFence, kStoreAndFence, kStoreReleases, kAdd, kAddReleases, kKinds };
constexpr const char* kNames[kKinds] = {"store", "fence", "store, fence", "store.release", "add", "add.acq_rel"};

template <int kKind>
__global__ void repeat(unsigned* word, long long* cycles) {
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> shared(*word);
  unsigned sum = 0;
  const long long begin = clock64();
  for (int round = 0; round < kRounds; ++round) {
    if constexpr (kKind == kStore) shared.store(round, cuda::memory_order_relaxed);
    if constexpr (kKind == kFence) __threadfence();
    if constexpr (kKind == kStoreAndFence) shared.store(round, cuda::memory_order_relaxed), __threadfence();
    if constexpr (kKind == kStoreReleases) shared.store(round, cuda::memory_order_release);
    if constexpr (kKind == kAdd) sum += shared.fetch_add(sum & 1, cuda::memory_order_relaxed);
    if constexpr (kKind == kAddReleases) sum += shared.fetch_add(sum & 1, cuda::memory_order_acq_rel);
  }
  *cycles = clock64() - begin + (sum == 1 ? 1 : 0);
}

template <int kKind>
void measure(unsigned* word, long long* cycles) {
  for (int run = 0; run < 2; ++run) {  // the first one warms up
    CHECK(cudaMemset(word, 0, sizeof *word));
    repeat<kKind><<<1, 1>>>(word, cycles);
    CHECK(cudaDeviceSynchronize());
  }
  long long found = 0;
  CHECK(cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost));
  std::printf("%-14s %5.0f cycles\n", kNames[kKind], static_cast<double>(found) / kRounds);
  if constexpr (kKind + 1 < kKinds) measure<kKind + 1>(word, cycles);
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s\n", properties.name);
  unsigned* word = nullptr;
  long long* cycles = nullptr;
  CHECK(cudaMalloc(&word, sizeof *word));
  CHECK(cudaMalloc(&cycles, sizeof *cycles));
  measure<kStore>(word, cycles);
  CHECK(cudaFree(word));
  CHECK(cudaFree(cycles));
  return 0;
}
