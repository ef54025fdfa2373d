// peer: cub::DeviceHistogram
// What a user of the CUDA Core Compute Libraries writes: 256 levels of width 1. Not a submission: the lab forbids the
// library.
#include "histogram.cuh"

#include <cstdio>
#include <cub/device/device_histogram.cuh>

namespace {

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

}  // namespace

void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins) {
  if (n == 0) {
    CHECK(cudaMemsetAsync(d_bins, 0, kByteBins * sizeof(std::uint32_t)));
    return;
  }
  const auto count = static_cast<std::int64_t>(n);
  std::size_t bytes = 0;
  CHECK(cub::DeviceHistogram::HistogramEven(nullptr, bytes, d_data, d_bins, kByteBins + 1, 0, kByteBins, count));
  void* d_scratch = nullptr;
  CHECK(cudaMallocAsync(&d_scratch, bytes, nullptr));
  const cudaError_t counted =
      cub::DeviceHistogram::HistogramEven(d_scratch, bytes, d_data, d_bins, kByteBins + 1, 0, kByteBins, count);
  CHECK(cudaFreeAsync(d_scratch, nullptr));
  CHECK(counted);
}
