// peer: cub::DeviceReduce::Sum
// What a user of the CUDA Core Compute Libraries writes. Its result is the same in every run on the same GPU, though
// not on every GPU (the level of determinism that CUB calls run-to-run). Not a submission: the lab forbids the library.
#include "reduction.cuh"

#include <cub/device/device_reduce.cuh>

void sum(const float* d_x, std::size_t n, float* d_sum) {
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, d_x, d_sum, count));
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(cub::DeviceReduce::Sum(d_scratch.get(), bytes, d_x, d_sum, count));
}
