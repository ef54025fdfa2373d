// expect: vec_add_device: right
// tries: to meet the goal for requests by textures, which are no load instructions
// says: requests, global reads: 125,000
// Goals bound reads, whatever instruction makes them; and a fetch occupies the first-level cache as a load does.

#include "vecadd.cuh"

static __global__ void add_kernel(cudaTextureObject_t a, cudaTextureObject_t b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = tex1Dfetch<float>(a, static_cast<int>(i)) + tex1Dfetch<float>(b, static_cast<int>(i));
}

static cudaTextureObject_t texture_of(const float* data, std::size_t n) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<float*>(data);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = n * sizeof(float);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  const cudaTextureObject_t a = texture_of(d_a, n);
  const cudaTextureObject_t b = texture_of(d_b, n);
  add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(a, b, d_c, n);
  cudaDestroyTextureObject(a);
  cudaDestroyTextureObject(b);
}
