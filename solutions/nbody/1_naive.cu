// Step 1 of nbody: one thread per body, as the sequential program has it.
// Idea      Thread i runs the loop over all bodies j and keeps three sums in registers.
// Gain      the starting point. All lanes of a warp read the same body at the same time: one sector serves all of them.
// Traffic   16 bytes requested per interaction, by four loads.
// Wastes    four loads, a square root and a division, each rounded exactly, in every interaction.
#include "nbody.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void accelerations_kernel(const float* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  const int k = static_cast<int>(blockIdx.x) * kThreadsPerBlock + static_cast<int>(threadIdx.x);
  if (k >= count) return;
  const int i = first + k;
  const float x = bodies[4 * i];
  const float y = bodies[4 * i + 1];
  const float z = bodies[4 * i + 2];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    const float dx = bodies[4 * j] - x;
    const float dy = bodies[4 * j + 1] - y;
    const float dz = bodies[4 * j + 2] - z;
    const float r2 = dx * dx + dy * dy + dz * dz + softening2;  // not 0, even with j == i
    const float factor = bodies[4 * j + 3] / sqrtf(r2 * r2 * r2);
    ax += factor * dx;
    ay += factor * dy;
    az += factor * dz;
  }
  acceleration[3 * k] = ax;
  acceleration[3 * k + 1] = ay;
  acceleration[3 * k + 2] = az;
}

}  // namespace

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;  // a grid of no blocks is an error
  const int blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  accelerations_kernel<<<blocks, kThreadsPerBlock>>>(d_bodies, d_acceleration, n, first, count, softening * softening);
  CHECK(cudaGetLastError());
}
