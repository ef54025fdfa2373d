// expect: vec_add_device: right
// timed: truthfully
// Asks that the inputs persist in the L2 cache from one call to the next, where a flush does not reach them. What
// persists is reset before every sample, and the room for it taken away. Seen on a GPU only: the virtual one starts
// every launch with empty caches.

#include <algorithm>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, properties.persistingL2CacheMaxSize);
    cudaStreamCreate(&made);
    return made;
  }();
  cudaStreamAttrValue attribute{};
  attribute.accessPolicyWindow.base_ptr = const_cast<float*>(d_a);
  attribute.accessPolicyWindow.num_bytes = std::min<std::size_t>(n * sizeof(float), 32 << 20);
  attribute.accessPolicyWindow.hitRatio = 1;
  attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  attribute.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &attribute);
  cudaGetLastError();  // where there is no such thing, it does without
  add(d_a, d_b, d_c, n, stream);
}
