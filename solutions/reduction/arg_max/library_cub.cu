// peer: cub::DeviceReduce::ArgMax
// What a user of the CUDA Core Compute Libraries writes. Of equal elements it takes the first, too. Not a submission:
// the lab forbids the library.
#include "reduction.cuh"

#include <cub/device/device_reduce.cuh>

void arg_max(const std::int32_t* d_x, std::size_t n, std::int64_t* d_index) {
  if (n == 0) {  // the library's answer would be an index that stands for "none"
    CHECK(cudaMemsetAsync(d_index, 0xff, sizeof(std::int64_t)));
    return;
  }
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  pool::Scratch<std::int32_t> d_greatest;
  CHECK(cub::DeviceReduce::ArgMax(nullptr, bytes, d_x, d_greatest.get(), d_index, count));
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(d_greatest.allocate(1));
  CHECK(cub::DeviceReduce::ArgMax(d_scratch.get(), bytes, d_x, d_greatest.get(), d_index, count));
}
