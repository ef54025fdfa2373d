// peer: cub::DeviceHistogram
// What a user of the CUDA Core Compute Libraries writes: 256 levels of width 1. Not a submission: the lab forbids the
// library.
#include "histogram.cuh"

#include <cub/device/device_histogram.cuh>

void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins) {
  if (n == 0) {
    CHECK(cudaMemsetAsync(d_bins, 0, kByteBins * sizeof(std::uint32_t)));
    return;
  }
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceHistogram::HistogramEven(nullptr, bytes, d_data, d_bins, kByteBins + 1, 0, kByteBins, count));
  pool::Scratch<std::byte> d_scratch;
  CHECK(d_scratch.allocate(bytes));
  CHECK(
      cub::DeviceHistogram::HistogramEven(d_scratch.get(), bytes, d_data, d_bins, kByteBins + 1, 0, kByteBins, count));
}
