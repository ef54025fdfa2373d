// peer: cub::DeviceMerge
// What a user of the CUDA Core Compute Libraries writes. It cuts the output along the merge path too, and merges tiles
// of 15 keys a thread on an H200. Not a submission: the lab forbids the library.
#include "merge.cuh"

#include <cstdio>
#include <cub/device/device_merge.cuh>

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

void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out) {
  if (m + n == 0) return;
  const auto a_count = static_cast<std::int64_t>(m);
  const auto b_count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceMerge::MergeKeys(nullptr, bytes, d_a, a_count, d_b, b_count, d_out));
  // Scratch memory comes from a pool. Let the pool keep it from one call to the next: to give it back to the system and
  // fetch it again would take longer than many a merge.
  int device = 0;
  CHECK(cudaGetDevice(&device));
  cudaMemPool_t pool = nullptr;
  std::uint64_t keep_all = UINT64_MAX;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  void* scratch = nullptr;
  CHECK(cudaMallocAsync(&scratch, bytes, nullptr));
  const cudaError_t merged = cub::DeviceMerge::MergeKeys(scratch, bytes, d_a, a_count, d_b, b_count, d_out);
  CHECK(cudaFreeAsync(scratch, nullptr));
  CHECK(merged);
}
