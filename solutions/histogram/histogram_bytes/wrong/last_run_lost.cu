// expect: histogram_bytes: wrong; misconception = "last run of every thread lost"
// A run is added when another value comes. After the thread's last element none comes.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const size_t vectors = n / 16;
  if (i < vectors) {
    const uint4 vector = reinterpret_cast<const uint4*>(data)[i];
    uint32_t value = vector.x & 0xFF;
    uint32_t length = 0;
    for (const uint32_t word : {vector.x, vector.y, vector.z, vector.w})
      for (int k = 0; k < 4; ++k) {
        const uint32_t next = word >> (8 * k) & 0xFF;
        if (next != value) {
          atomicAdd(&bins[value], length);
          value = next;
          length = 0;
        }
        ++length;
      }
  }
  if (vectors * 16 + i < n) atomicAdd(&bins[data[vectors * 16 + i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<n / 16 / 256 + 1, 256>>>(d_data, n, d_bins);
}
