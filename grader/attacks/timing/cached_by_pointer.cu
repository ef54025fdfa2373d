// expect: vec_add_device: right; memcheck
// timed: truthfully; on a GPU: wrong
// Keeps its last result and hands it out again where the arrays lie where they lay: a copy reads half of what a sum
// reads. Contents are fresh in every sample; on the virtual GPU, so are addresses. (The memory it keeps is never freed,
// which is the finding.)

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static const float *known_a = nullptr, *known_b = nullptr;
  static float* kept = nullptr;
  static std::size_t known_n = 0;
  if (n == 0) return;
  if (d_a != known_a || d_b != known_b || n != known_n) {
    cudaFree(kept);
    cudaMalloc(&kept, n * sizeof(float));
    add(d_a, d_b, kept, n);
    known_a = d_a, known_b = d_b, known_n = n;
  }
  cudaMemcpyAsync(d_c, kept, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
