// peer: cub::DeviceScan
// What a user of the CUDA Core Compute Libraries writes: ask for the size of the scratch memory, allocate it, call
// again. It is a single pass with decoupled look-back. Not a submission: the lab forbids the library.
#include "scan.cuh"

#include <cstdio>
#include <cub/device/device_scan.cuh>

namespace {

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

// The pool keeps what is freed: to have memory mapped anew for every call would take longer than many a scan.
cudaError_t keep_freed_memory() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t all = ~std::uint64_t{0};
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) return status;
  if (const cudaError_t status = cudaDeviceGetDefaultMemPool(&pool, device); status != cudaSuccess) return status;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
}

}  // namespace

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  CHECK(keep_freed_memory());
  // As unsigned numbers: their sums wrap around.
  const auto* const d_numbers = reinterpret_cast<const std::uint32_t*>(d_in);
  auto* const d_sums = reinterpret_cast<std::uint32_t*>(d_out);
  std::size_t bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, d_numbers, d_sums, n));
  void* d_scratch = nullptr;
  CHECK(cudaMallocAsync(&d_scratch, bytes, nullptr));
  const cudaError_t scanned = cub::DeviceScan::InclusiveSum(d_scratch, bytes, d_numbers, d_sums, n);
  CHECK(cudaFreeAsync(d_scratch, nullptr));
  CHECK(scanned);
}
