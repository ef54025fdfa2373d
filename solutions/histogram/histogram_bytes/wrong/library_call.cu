// expect: histogram_bytes: refused by audit
// The lab is about writing the kernel: a call of CUB, which lab.toml forbids.
#include <cub/device/device_histogram.cuh>

#include "histogram.cuh"

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  void* d_scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceHistogram::HistogramEven(nullptr, bytes, d_data, d_bins, 257, 0, 256, static_cast<long long>(n));
  cudaMalloc(&d_scratch, bytes);
  cub::DeviceHistogram::HistogramEven(d_scratch, bytes, d_data, d_bins, 257, 0, 256, static_cast<long long>(n));
  cudaFree(d_scratch);
}
