// expect: accelerations: right
// Tiles of 256 bodies in shared memory.
// The differences next to it spoil it in one way each.
#include "nbody.cuh"

__global__ void accelerations_kernel(const float4* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  __shared__ float4 tile[256];
  const int t = threadIdx.x;
  const int k = blockIdx.x * 256 + t;
  const int i = min(first + k, n - 1);
  const float4 self = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int begin = 0; begin < n; begin += 256) {
    tile[t] = begin + t < n ? bodies[begin + t] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - self.x;
      const float dy = other.y - self.y;
      const float dz = other.z - self.z;
      const float r2 = dx * dx + dy * dy + dz * dz + softening2;
      const float factor = other.w / (r2 * sqrtf(r2));
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    __syncthreads();
  }
  if (k >= count) return;
  acceleration[3 * k] = ax;
  acceleration[3 * k + 1] = ay;
  acceleration[3 * k + 2] = az;
}

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;
  accelerations_kernel<<<(count + 255) / 256, 256>>>(reinterpret_cast<const float4*>(d_bodies), d_acceleration, n,
                                                     first, count, softening * softening);
}
