// peer: cub::DeviceReduce::Sum
// What a user of the CUDA Core Compute Libraries writes. Its result is the same in every run on the same GPU, though
// not on every GPU (the level of determinism that CUB calls run-to-run). Not a submission: the lab forbids the library.
#include "reduction.cuh"

#include <cstdio>
#include <cub/device/device_reduce.cuh>

namespace {

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

}  // namespace

void sum(const float* d_x, std::size_t n, float* d_sum) {
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, d_x, d_sum, count));
  // Scratch memory comes from a pool. Let the pool keep it from one call to the next: to give it back to the system and
  // fetch it again would take longer than the reduction.
  int device = 0;
  CHECK(cudaGetDevice(&device));
  cudaMemPool_t pool = nullptr;
  std::uint64_t keep_all = UINT64_MAX;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  void* scratch = nullptr;
  CHECK(cudaMallocAsync(&scratch, bytes, nullptr));
  const cudaError_t added = cub::DeviceReduce::Sum(scratch, bytes, d_x, d_sum, count);
  CHECK(cudaFreeAsync(scratch, nullptr));
  CHECK(added);
}
