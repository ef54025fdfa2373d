// Step 5 of nbody: each thread has two bodies, which does not pay.
// Idea      Registers are to shared memory what shared memory is to global memory: a body that was loaded once serves
//           two of the thread's own, whose sums stay in registers.
// Gain      half of the loads from shared memory. But a load is one of 17 instructions for an interaction, so that only
//           3 % of them are saved, and half as many warps are there to hide the latency of the rest: a loss on an H200,
//           a small one where bodies are many.
// Traffic   16 / 256 bytes per interaction from global memory, as before; 8 bytes per interaction from shared memory.
// Wastes    a grid of few warps if there are few bodies: 16,384 of them are 64 blocks, for 132 multiprocessors.
#include "nbody.cuh"

namespace {

constexpr int kThreadsPerBlock = 128;
constexpr int kBodiesPerThread = 2;
constexpr int kBodiesPerBlock = kThreadsPerBlock * kBodiesPerThread;
constexpr int kGroup = 16;  // bodies whose interactions are unrolled
static_assert(kBodiesPerBlock % kGroup == 0, "a tile is made of whole groups");

__global__ void accelerations_kernel(const float4* bodies, float* acceleration, int n, int first, int count,
                                     float softening2) {
  __shared__ float4 tile[kBodiesPerBlock];
  const int t = static_cast<int>(threadIdx.x);
  // This thread's bodies are not neighbours but a block's width apart, so that lanes load and store neighbours.
  const int own = static_cast<int>(blockIdx.x) * kBodiesPerBlock + t;
  float3 self[kBodiesPerThread];
  float3 sums[kBodiesPerThread];
#pragma unroll
  for (int k = 0; k < kBodiesPerThread; ++k) {
    const int place = own + k * kThreadsPerBlock;
    const float4 body = place < count ? bodies[first + place] : make_float4(0, 0, 0, 0);
    self[k] = make_float3(body.x, body.y, body.z);
    sums[k] = make_float3(0, 0, 0);
  }
  for (int begin = 0; begin < n; begin += kBodiesPerBlock) {
#pragma unroll
    for (int k = 0; k < kBodiesPerThread; ++k) {
      const int place = k * kThreadsPerBlock + t;
      tile[place] = begin + place < n ? bodies[begin + place] : make_float4(0, 0, 0, 0);
    }
    __syncthreads();  // the tile is complete before anyone reads it
    // A body of mass 0 attracts nobody: only whole groups of 16 without any body are left out.
    const int count = min(kBodiesPerBlock, (n - begin + kGroup - 1) / kGroup * kGroup);
    for (int group = 0; group < count; group += kGroup)
#pragma unroll
      for (int j = group; j < group + kGroup; ++j) {
        const float4 other = tile[j];
#pragma unroll
        for (int k = 0; k < kBodiesPerThread; ++k) {
          const float dx = other.x - self[k].x;
          const float dy = other.y - self[k].y;
          const float dz = other.z - self[k].z;
          const float r2 = softening2 + dx * dx + dy * dy + dz * dz;  // three multiply-adds
          const float inverse = rsqrtf(r2);
          const float factor = other.w * inverse * (inverse * inverse);
          sums[k].x += factor * dx;
          sums[k].y += factor * dy;
          sums[k].z += factor * dz;
        }
      }
    __syncthreads();  // everyone has read it before anyone loads the next one
  }
#pragma unroll
  for (int k = 0; k < kBodiesPerThread; ++k) {
    const int place = own + k * kThreadsPerBlock;
    if (place >= count) break;
    acceleration[3 * place] = sums[k].x;
    acceleration[3 * place + 1] = sums[k].y;
    acceleration[3 * place + 2] = sums[k].z;
  }
}

}  // namespace

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;  // a grid of no blocks is an error
  const int blocks = (count + kBodiesPerBlock - 1) / kBodiesPerBlock;
  accelerations_kernel<<<blocks, kThreadsPerBlock>>>(reinterpret_cast<const float4*>(d_bodies), d_acceleration, n,
                                                     first, count, softening * softening);
  CHECK(cudaGetLastError());
}
