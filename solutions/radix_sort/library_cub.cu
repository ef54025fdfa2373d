// peer: cub::DeviceRadixSort
// What a user of the CUDA Core Compute Libraries writes. It sorts by one sweep a pass, too, eight bits each on an H200.
// Not a submission: the lab forbids the library.
#include "radix_sort.cuh"

#include <cstdio>
#include <cub/device/device_radix_sort.cuh>

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

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;
  std::size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, d_in, d_out, n));
  // Scratch memory comes from a pool. Let the pool keep it from one call to the next: to give it back to the system and
  // fetch it again would take longer than many a sort.
  int device = 0;
  CHECK(cudaGetDevice(&device));
  cudaMemPool_t pool = nullptr;
  std::uint64_t keep_all = UINT64_MAX;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  void* scratch = nullptr;
  CHECK(cudaMallocAsync(&scratch, bytes, nullptr));
  const cudaError_t sorted = cub::DeviceRadixSort::SortKeys(scratch, bytes, d_in, d_out, n);
  CHECK(cudaFreeAsync(scratch, nullptr));
  CHECK(sorted);
}
