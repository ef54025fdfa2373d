// peer: cub::DeviceScan
// What a user of the CUDA Core Compute Libraries writes: ask for the size of the scratch memory, allocate it, call
// again. It is a single pass with decoupled look-back. Not a submission: the lab forbids the library.
#include "scan.cuh"

#include <cub/device/device_scan.cuh>

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  CHECK(pool::keep_freed_memory());
  // As unsigned numbers: their sums wrap around.
  const auto* const d_numbers = reinterpret_cast<const std::uint32_t*>(d_in);
  auto* const d_sums = reinterpret_cast<std::uint32_t*>(d_out);
  std::size_t bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, d_numbers, d_sums, n));
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(cub::DeviceScan::InclusiveSum(d_scratch.get(), bytes, d_numbers, d_sums, n));
}
