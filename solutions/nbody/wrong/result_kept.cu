// expect: accelerations: wrong; under review
// A result is kept and handed out again when as many bodies come back. Fresh bodies show it.
#include "nbody.cuh"

#include <vector>

__global__ void accelerations_kernel(const float4* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  const int k = blockIdx.x * 256 + threadIdx.x;
  if (k >= count) return;
  const float4 self = bodies[first + k];
  float3 sum = make_float3(0, 0, 0);
  for (int j = 0; j < n; ++j) {
    const float dx = bodies[j].x - self.x;
    const float dy = bodies[j].y - self.y;
    const float dz = bodies[j].z - self.z;
    const float r2 = dx * dx + dy * dy + dz * dz + softening2;
    const float factor = bodies[j].w / (r2 * sqrtf(r2));
    sum = make_float3(sum.x + factor * dx, sum.y + factor * dy, sum.z + factor * dz);
  }
  acceleration[3 * k] = sum.x;
  acceleration[3 * k + 1] = sum.y;
  acceleration[3 * k + 2] = sum.z;
}

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  static std::vector<float> kept;
  static int last_n, last_first, last_count;
  if (count == 0) return;
  if (n == last_n && first == last_first && count == last_count) {
    cudaMemcpy(d_acceleration, kept.data(), sizeof(float) * 3 * count, cudaMemcpyHostToDevice);
    return;
  }
  accelerations_kernel<<<(count + 255) / 256, 256>>>(reinterpret_cast<const float4*>(d_bodies), d_acceleration, n,
                                                     first, count, softening * softening);
  kept.resize(size_t{3} * count);
  cudaMemcpy(kept.data(), d_acceleration, sizeof(float) * 3 * count, cudaMemcpyDeviceToHost);
  last_n = n;
  last_first = first;
  last_count = count;
}
