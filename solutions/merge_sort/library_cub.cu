// peer: cub::DeviceMergeSort
// What a user of the CUDA Core Compute Libraries writes. On an H200 its tiles have 256 threads of 17 keys each; blocks
// sort them, and above them it merges runs in pairs, with borders found beforehand. Not a submission: the lab forbids
// the library.
#include <cstdint>
#include <cstdio>
#include <cub/device/device_merge_sort.cuh>

#include "merge_sort.cuh"

namespace {

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

struct Less {
  __device__ bool operator()(std::int32_t a, std::int32_t b) const { return a < b; }
};

}  // namespace

void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceMergeSort::SortKeysCopy(nullptr, bytes, d_in, d_out, count, Less{}));
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
  const cudaError_t sorted = cub::DeviceMergeSort::SortKeysCopy(scratch, bytes, d_in, d_out, count, Less{});
  CHECK(cudaFreeAsync(scratch, nullptr));
  CHECK(sorted);
}
