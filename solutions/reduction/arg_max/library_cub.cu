// peer: cub::DeviceReduce::ArgMax
// What a user of the CUDA Core Compute Libraries writes. Of equal elements it takes the first, too. Not a submission:
// the lab forbids the library.
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

void arg_max(const std::int32_t* d_x, std::size_t n, std::int64_t* d_index) {
  if (n == 0) {  // the library's answer would be an index that stands for "none"
    CHECK(cudaMemsetAsync(d_index, 0xff, sizeof(std::int64_t)));
    return;
  }
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  std::int32_t* greatest = nullptr;
  CHECK(cub::DeviceReduce::ArgMax(nullptr, bytes, d_x, greatest, d_index, count));
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
  CHECK(cudaMallocAsync(reinterpret_cast<void**>(&greatest), sizeof(std::int32_t), nullptr));
  const cudaError_t found = cub::DeviceReduce::ArgMax(scratch, bytes, d_x, greatest, d_index, count);
  CHECK(cudaFreeAsync(greatest, nullptr));
  CHECK(cudaFreeAsync(scratch, nullptr));
  CHECK(found);
}
