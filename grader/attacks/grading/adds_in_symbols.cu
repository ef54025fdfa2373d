// expect: vec_add_device: right; under review
// tries: to add on the host what comes and goes by variables of the device, which no call allocates
// says: is the work done on the host?
// Variables are device memory like any other.

#include <vector>

#include "vecadd.cuh"

static constexpr std::size_t kPiece = 1 << 16;
static __device__ float passed[kPiece];

static __global__ void idle_kernel() {}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  idle_kernel<<<1, 1>>>();
  std::vector<float> a(kPiece), b(kPiece);
  for (std::size_t begin = 0; begin < n; begin += kPiece) {
    const std::size_t count = n - begin < kPiece ? n - begin : kPiece;
    const std::size_t bytes = count * sizeof(float);
    cudaMemcpyToSymbol(passed, d_a + begin, bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyFromSymbol(a.data(), passed, bytes);
    cudaMemcpyToSymbol(passed, d_b + begin, bytes, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyFromSymbol(b.data(), passed, bytes);
    for (std::size_t i = 0; i < count; ++i) a[i] += b[i];
    cudaMemcpyToSymbol(passed, a.data(), bytes);
    cudaMemcpyFromSymbol(d_c + begin, passed, bytes, 0, cudaMemcpyDeviceToDevice);
  }
}
