// peer: cub::DeviceRadixSort
// What a user of the CUDA Core Compute Libraries writes. It sorts by one sweep a pass, too, eight bits each on an H200.
// Not a submission: the lab forbids the library.
#include "radix_sort.cuh"

#include <cub/device/device_radix_sort.cuh>

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;
  std::size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, d_in, d_out, n));
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(cub::DeviceRadixSort::SortKeys(d_scratch.get(), bytes, d_in, d_out, n));
}
