// peer: cub::DeviceMerge
// What a user of the CUDA Core Compute Libraries writes. It cuts the output along the merge path too, and merges tiles
// of 15 keys a thread on an H200. Not a submission: the lab forbids the library.
#include "merge.cuh"

#include <cub/device/device_merge.cuh>

void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out) {
  if (m + n == 0) return;
  const auto a_count = static_cast<std::int64_t>(m);
  const auto b_count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceMerge::MergeKeys(nullptr, bytes, d_a, a_count, d_b, b_count, d_out));
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(cub::DeviceMerge::MergeKeys(d_scratch.get(), bytes, d_a, a_count, d_b, b_count, d_out));
}
