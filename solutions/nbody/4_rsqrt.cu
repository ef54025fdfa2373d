// Step 4 of nbody: 1 / sqrt(r2) in one instruction.
// Idea      The unit for special functions gives 1 / sqrt(r2) to within 2 units in the last place: enough for a sum
//           whose terms are rounded anyway. Three multiplications make mass / r^3 of it. r2 begins with the softening,
//           so that three multiply-adds make it. The loop is unrolled by 32.
// Gain      a root and a division that are rounded exactly are many instructions of the machine, though two of PTX.
// Traffic   as before.
// Wastes    one load from shared memory for every interaction: 13 other instructions for each.
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
#pragma unroll 32
    for (int j = 0; j < kThreadsPerBlock; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - self.x;
      const float dy = other.y - self.y;
      const float dz = other.z - self.z;
      const float r2 = softening2 + dx * dx + dy * dy + dz * dz;  // three multiply-adds
      const float inverse = rsqrtf(r2);
      const float factor = other.w * inverse * (inverse * inverse);
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
