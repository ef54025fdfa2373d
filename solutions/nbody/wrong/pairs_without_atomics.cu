// expect: accelerations: time limit; racecheck; runtime
// Each pair is visited once, and both bodies get their term: but two threads add to the same sum at the same time.
#include "nbody.cuh"

__global__ void clear_kernel(float* acceleration, int components) {
  const int c = blockIdx.x * 256 + threadIdx.x;
  if (c < components) acceleration[c] = 0;
}

__global__ void pairs_kernel(const float4* bodies, float* acceleration, int n, int first, int count, float softening2) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < i; ++j) {
    const float dx = bodies[j].x - bodies[i].x;
    const float dy = bodies[j].y - bodies[i].y;
    const float dz = bodies[j].z - bodies[i].z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening2);
    const float cube = inverse * inverse * inverse;
    const auto add = [&](int to, float mass) {
      if (to < first || to >= first + count) return;
      acceleration[3 * (to - first)] += mass * cube * dx;
      acceleration[3 * (to - first) + 1] += mass * cube * dy;
      acceleration[3 * (to - first) + 2] += mass * cube * dz;
    };
    add(i, bodies[j].w);
    add(j, -bodies[i].w);
  }
}

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;
  clear_kernel<<<(3 * count + 255) / 256, 256>>>(d_acceleration, 3 * count);
  pairs_kernel<<<(n + 255) / 256, 256>>>(reinterpret_cast<const float4*>(d_bodies), d_acceleration, n, first, count,
                                         softening * softening);
}
