// Step 6 of nbody: where bodies are few, several blocks share the sums of the same bodies.
// Idea      A block of step 4 adds up only a part of the tiles, and stores a partial sum; a second kernel adds the
//           parts, in a fixed order. There are as many as it takes to give every multiprocessor 32 blocks.
// Gain      16,384 bodies are 64 blocks of step 4, on 132 multiprocessors; in 64 parts they are 4096. And where there
//           are blocks enough, more and smaller ones end at nearly the same time.
// Traffic   as step 4; and 12 bytes for each part of each body, twice.
// Wastes    scratch memory, and a launch. Of the instructions for an interaction, three are for roots of numbers below
//           2^-126, which do not occur.
#include "nbody.cuh"

#include <algorithm>

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 32;  // that the grid should have

__global__ void accelerations_kernel(const float4* bodies, float* partial, int n, int first, int count,
                                     float softening2) {
  __shared__ float4 tile[kThreadsPerBlock];
  const int t = static_cast<int>(threadIdx.x);
  const int k = static_cast<int>(blockIdx.x) * kThreadsPerBlock + t;
  // No thread leaves early: those without a body load what others need.
  const float4 self = k < count ? bodies[first + k] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  // Part blockIdx.y has every gridDim.y-th tile.
  const int stride = static_cast<int>(gridDim.y) * kThreadsPerBlock;
  for (int begin = static_cast<int>(blockIdx.y) * kThreadsPerBlock; begin < n; begin += stride) {
    // A body of mass 0 attracts nobody: the last tile is filled up with them, and the loop needs no test.
    tile[t] = begin + t < n ? bodies[begin + t] : make_float4(0, 0, 0, 0);
    __syncthreads();  // the tile is complete before anyone reads it
#pragma unroll 16
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
  float* const to = partial + (static_cast<std::size_t>(blockIdx.y) * count + k) * 3;
  to[0] = ax;
  to[1] = ay;
  to[2] = az;
}

// Adds up the parts of each component, the first part first.
__global__ void add_parts_kernel(const float* partial, int parts, float* acceleration, int components) {
  const int c = static_cast<int>(blockIdx.x) * kThreadsPerBlock + static_cast<int>(threadIdx.x);
  if (c >= components) return;
  float sum = 0;
  for (int part = 0; part < parts; ++part) sum += partial[static_cast<std::size_t>(part) * components + c];
  acceleration[c] = sum;
}

}  // namespace

void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening) {
  if (count == 0) return;  // a grid of no blocks is an error
  int device = 0, multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int blocks = (count + kThreadsPerBlock - 1) / kThreadsPerBlock;
  const int enough = kBlocksPerMultiprocessor * multiprocessors;
  const int tiles = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  const int parts = std::min(tiles, (enough + blocks - 1) / blocks);
  const float4* const bodies = reinterpret_cast<const float4*>(d_bodies);
  if (parts == 1) {
    accelerations_kernel<<<blocks, kThreadsPerBlock>>>(bodies, d_acceleration, n, first, count, softening * softening);
    CHECK(cudaGetLastError());
    return;
  }
  CHECK(pool::keep_freed_memory());
  pool::Scratch<float> d_partial;
  CHECK(d_partial.allocate(std::size_t{3} * parts * count));
  accelerations_kernel<<<dim3(blocks, parts), kThreadsPerBlock>>>(bodies, d_partial.get(), n, first, count,
                                                                  softening * softening);
  CHECK(cudaGetLastError());
  add_parts_kernel<<<(3 * count + kThreadsPerBlock - 1) / kThreadsPerBlock, kThreadsPerBlock>>>(
      d_partial.get(), parts, d_acceleration, 3 * count);
  CHECK(cudaGetLastError());
}
