// expect: vec_add_device: right; under review
// tries: to add on the host, beside a kernel that moves as much as the task is about
// says: is the work done on the host?
// What passes between host and device is counted; a task over device pointers needs next to nothing of it.
// Neither *fast* nor *efficient* is scored.

#include <vector>

#include "vecadd.cuh"

static __global__ void busy_kernel(const float4* a, const float4* b, float4* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = make_float4(a[i].x, b[i].y, a[i].z, b[i].w);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  busy_kernel<<<static_cast<unsigned>((n / 4 + 255) / 256 + 1), 256>>>(reinterpret_cast<const float4*>(d_a),
                                                                       reinterpret_cast<const float4*>(d_b),
                                                                       reinterpret_cast<float4*>(d_c), n / 4);
  std::vector<float> a(n);
  std::vector<float> b(n);
  cudaMemcpy(a.data(), d_a, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), d_b, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (std::size_t i = 0; i < n; ++i) a[i] += b[i];
  cudaMemcpy(d_c, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
