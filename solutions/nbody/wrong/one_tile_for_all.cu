// expect: accelerations: cuda error; memcheck; runtime
// A tile for all bodies of the cases that most people look at, and no loop over tiles. Only many bodies show it.
#include "nbody.cuh"

constexpr int kThreadsPerBlock = 128;
constexpr int kBodies = 2;
constexpr int kAll = 2048;  // bodies, it was thought, and no more

__global__ void accelerations_kernel(const float4* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  __shared__ float4 tile[kAll];
  const int k0 = blockIdx.x * kThreadsPerBlock * kBodies + threadIdx.x;
  float x[kBodies], y[kBodies], z[kBodies];
  float ax[kBodies], ay[kBodies], az[kBodies];
#pragma unroll
  for (int b = 0; b < kBodies; ++b) {
    const int k = k0 + b * kThreadsPerBlock;
    float4 self = make_float4(0, 0, 0, 0);
    if (k < count) self = bodies[first + k];
    x[b] = self.x;
    y[b] = self.y;
    z[b] = self.z;
    ax[b] = ay[b] = az[b] = 0;
  }
  const int length = (n + 15) / 16 * 16;
  for (int j = threadIdx.x; j < length; j += kThreadsPerBlock) tile[j] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
  __syncthreads();
  {
#pragma unroll 16
    for (int j = 0; j < length; ++j) {
      const float4 other = tile[j];
#pragma unroll
      for (int b = 0; b < kBodies; ++b) {
        const float dx = other.x - x[b], dy = other.y - y[b], dz = other.z - z[b];
        const float inverse = rsqrtf(softening2 + dx * dx + dy * dy + dz * dz);
        const float factor = inverse * inverse * inverse * other.w;
        ax[b] += factor * dx;
        ay[b] += factor * dy;
        az[b] += factor * dz;
      }
    }
  }
#pragma unroll
  for (int b = 0; b < kBodies; ++b) {
    const int k = k0 + b * kThreadsPerBlock;
    if (k < count) {
      acceleration[3 * k] = ax[b];
      acceleration[3 * k + 1] = ay[b];
      acceleration[3 * k + 2] = az[b];
    }
  }
}

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;
  const float4* bodies = reinterpret_cast<const float4*>(d_bodies);
  const int blocks = (count + kThreadsPerBlock * kBodies - 1) / (kThreadsPerBlock * kBodies);
  accelerations_kernel<<<blocks, kThreadsPerBlock>>>(bodies, d_acceleration, n, first, count, softening * softening);
}
