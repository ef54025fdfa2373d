// expect: inclusive_scan: refused by audit
// The lab is about writing the scan: a call of CUB, which lab.toml forbids.
#include <cub/device/device_scan.cuh>

#include "scan.cuh"

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  std::size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, d_in, d_out, n);
  void* d_scratch = nullptr;
  cudaMalloc(&d_scratch, bytes);
  cub::DeviceScan::InclusiveSum(d_scratch, bytes, d_in, d_out, n);
  cudaFree(d_scratch);
}
