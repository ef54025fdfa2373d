// Step 3 of nbody: the threads of a block together load a tile of bodies into shared memory.
// Idea      All threads of a block need the same bodies. Each loads one; then all use all 256.
// Gain      one load from global memory per body and block, where step 2 has one per body and warp; and each of these
//           requests brings 32 bodies, not one. For 2048 bodies there are 576 requests instead of 131,136.
// Traffic   16 / 256 bytes per interaction from global memory: 320 operations per byte. 16 bytes per interaction from
//           shared memory, by one load that serves all lanes at once.
// Wastes    the square root and the division, each rounded exactly.
#include "nbody.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void accelerations_kernel(const float4* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  __shared__ float4 tile[kThreadsPerBlock];
  const int t = static_cast<int>(threadIdx.x);
  const int k = static_cast<int>(blockIdx.x) * kThreadsPerBlock + t;
  // No thread leaves early: those without a body load what others need.
  const float4 self = k < count ? bodies[first + k] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int begin = 0; begin < n; begin += kThreadsPerBlock) {
    // A body of mass 0 attracts nobody: the last tile is filled up with them, and the loop needs no test.
    tile[t] = begin + t < n ? bodies[begin + t] : make_float4(0, 0, 0, 0);
    __syncthreads();  // the tile is complete before anyone reads it
    for (int j = 0; j < kThreadsPerBlock; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - self.x;
      const float dy = other.y - self.y;
      const float dz = other.z - self.z;
      const float r2 = dx * dx + dy * dy + dz * dz + softening2;  // not 0, even with j == i
      const float factor = other.w / sqrtf(r2 * r2 * r2);
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    __syncthreads();  // everyone has read it before anyone loads the next one
  }
  if (k >= count) return;
  acceleration[3 * k] = ax;
  acceleration[3 * k + 1] = ay;
  acceleration[3 * k + 2] = az;
}

}  // namespace

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;  // a grid of no blocks is an error
  const int blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  accelerations_kernel<<<blocks, kThreadsPerBlock>>>(reinterpret_cast<const float4*>(d_bodies), d_acceleration, n,
                                                     first, count, softening * softening);
  CHECK(cudaGetLastError());
}
