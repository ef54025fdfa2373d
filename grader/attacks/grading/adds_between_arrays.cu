// expect: vec_add_device: right; under review
// tries: to add on the host what comes and goes by CUDA arrays, of which no pointer into device memory is copied
// says: is the work done on the host?
// What is copied counts by where it is and where it goes, not by the function that copies it.

#include <vector>

#include "vecadd.cuh"

static __global__ void idle_kernel() {}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  constexpr std::size_t kWidth = 4096;
  idle_kernel<<<1, 1>>>();
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t row = nullptr;
  cudaMallocArray(&row, &format, kWidth, 1);
  std::vector<float> a(kWidth), b(kWidth);
  for (std::size_t begin = 0; begin < n; begin += kWidth) {
    const std::size_t count = n - begin < kWidth ? n - begin : kWidth;
    const std::size_t bytes = count * sizeof(float);
    cudaMemcpy2DToArray(row, 0, 0, d_a + begin, bytes, bytes, 1, cudaMemcpyDeviceToDevice);
    cudaMemcpy2DFromArray(a.data(), bytes, row, 0, 0, bytes, 1, cudaMemcpyDeviceToHost);
    cudaMemcpy2DToArray(row, 0, 0, d_b + begin, bytes, bytes, 1, cudaMemcpyDeviceToDevice);
    cudaMemcpy2DFromArray(b.data(), bytes, row, 0, 0, bytes, 1, cudaMemcpyDeviceToHost);
    for (std::size_t i = 0; i < count; ++i) a[i] += b[i];
    cudaMemcpy2DToArray(row, 0, 0, a.data(), bytes, bytes, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(d_c + begin, bytes, row, 0, 0, bytes, 1, cudaMemcpyDeviceToDevice);
  }
  cudaFreeArray(row);
}
