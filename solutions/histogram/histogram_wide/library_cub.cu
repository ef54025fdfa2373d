// peer: cub::DeviceHistogram
// What a user of the CUDA Core Compute Libraries writes: num_bins levels of width 1. Not a submission: the lab forbids
// the library.
#include "histogram.cuh"

#include <cub/device/device_histogram.cuh>

void histogram_wide(const std::uint32_t* d_data, std::size_t n, std::uint32_t* d_bins, int num_bins) {
  if (n == 0) {
    CHECK(cudaMemsetAsync(d_bins, 0, num_bins * sizeof(std::uint32_t)));
    return;
  }
  const auto count = static_cast<std::int64_t>(n);
  const auto end = static_cast<std::uint32_t>(num_bins);
  std::size_t bytes = 0;
  CHECK(cub::DeviceHistogram::HistogramEven(nullptr, bytes, d_data, d_bins, num_bins + 1, 0u, end, count));
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(cub::DeviceHistogram::HistogramEven(d_scratch.get(), bytes, d_data, d_bins, num_bins + 1, 0u, end, count));
}
