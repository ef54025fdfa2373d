// peer: cub::DeviceMergeSort
// What a user of the CUDA Core Compute Libraries writes. On an H200 its tiles have 256 threads of 17 keys each; blocks
// sort them, and above them it merges runs in pairs, with borders found beforehand. Not a submission: the lab forbids
// the library.
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>

#include "merge_sort.cuh"

namespace {

struct Less {
  __device__ bool operator()(std::int32_t a, std::int32_t b) const { return a < b; }
};

}  // namespace

void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceMergeSort::SortKeysCopy(nullptr, bytes, d_in, d_out, count, Less{}));
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(cub::DeviceMergeSort::SortKeysCopy(d_scratch.get(), bytes, d_in, d_out, count, Less{}));
}
