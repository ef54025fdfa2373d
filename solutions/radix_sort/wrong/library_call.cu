// expect: radix_sort: refused by audit
// The lab is about writing the sort: a call of CUB, which lab.toml forbids.
#include <cub/device/device_radix_sort.cuh>

#include "radix_sort.cuh"

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  std::size_t bytes = 0;
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, d_in, d_out, n);
  void* d_scratch = nullptr;
  cudaMalloc(&d_scratch, bytes);
  cub::DeviceRadixSort::SortKeys(d_scratch, bytes, d_in, d_out, n);
  cudaFree(d_scratch);
}
