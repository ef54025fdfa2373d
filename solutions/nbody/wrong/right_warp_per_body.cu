// expect: accelerations: right
// A warp for each body: lanes read different bodies, and their sums are added up by shuffles. powf, for once.
#include "nbody.cuh"

__device__ float sum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
}

__global__ void accelerations_kernel(const float4* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  const int k = blockIdx.x * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (k >= count) return;
  const float4 self = bodies[first + k];
  float ax = 0, ay = 0, az = 0;
  for (int j = lane; j < n; j += 32) {
    const float4 other = bodies[j];
    const float dx = other.x - self.x;
    const float dy = other.y - self.y;
    const float dz = other.z - self.z;
    const float factor = other.w * powf(dx * dx + dy * dy + dz * dz + softening2, -1.5f);
    ax += factor * dx;
    ay += factor * dy;
    az += factor * dz;
  }
  ax = sum_of_warp(ax);
  ay = sum_of_warp(ay);
  az = sum_of_warp(az);
  if (lane < 3) acceleration[3 * k + lane] = lane == 0 ? ax : lane == 1 ? ay : az;
}

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;
  accelerations_kernel<<<(count + 3) / 4, 128>>>(reinterpret_cast<const float4*>(d_bodies), d_acceleration, n, first,
                                                 count, softening * softening);
}
