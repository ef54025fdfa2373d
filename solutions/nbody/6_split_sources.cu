// Step 6 of nbody: where bodies are few, several blocks share the sums of the same bodies.
// Idea      A block adds up only a part of the tiles, and stores a partial sum; a second kernel adds the parts, always
//           in the same order. The host makes as many parts as it takes to give every multiprocessor four blocks.
// Gain      16,384 bodies are 64 blocks of step 5, on 132 multiprocessors. With 9 parts they are 576. Where there are
//           enough blocks anyway, it is step 5.
// Traffic   as step 5; and 12 bytes for each part of each body, twice.
// Wastes    scratch memory, and a launch.
#include "nbody.cuh"

#include <algorithm>

namespace {

constexpr int kThreadsPerBlock = 128;
constexpr int kBodiesPerThread = 2;
constexpr int kBodiesPerBlock = kThreadsPerBlock * kBodiesPerThread;
constexpr int kBlocksPerMultiprocessor = 4;  // that the grid should have
constexpr int kGroup = 16;                   // bodies whose interactions are unrolled
static_assert(kBodiesPerBlock % kGroup == 0, "a tile is made of whole groups");

__global__ void accelerations_kernel(const float4* bodies, float* partial, int n, int first, int count,
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
  // Part blockIdx.y has every gridDim.y-th tile.
  const int stride = static_cast<int>(gridDim.y) * kBodiesPerBlock;
  for (int begin = static_cast<int>(blockIdx.y) * kBodiesPerBlock; begin < n; begin += stride) {
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
    float* const to = partial + (static_cast<std::size_t>(blockIdx.y) * count + place) * 3;
    to[0] = sums[k].x;
    to[1] = sums[k].y;
    to[2] = sums[k].z;
  }
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
  const int blocks = (count + kBodiesPerBlock - 1) / kBodiesPerBlock;
  const int enough = kBlocksPerMultiprocessor * multiprocessors;
  const int tiles = (n + kBodiesPerBlock - 1) / kBodiesPerBlock;
  const int parts = std::min(tiles, (enough + blocks - 1) / blocks);
  const float4* const bodies = reinterpret_cast<const float4*>(d_bodies);
  if (parts == 1) {
    accelerations_kernel<<<blocks, kThreadsPerBlock>>>(bodies, d_acceleration, n, first, count, softening * softening);
    CHECK(cudaGetLastError());
    return;
  }
  pool::Scratch<float> d_partial;
  CHECK(d_partial.allocate(std::size_t{3} * parts * count));
  accelerations_kernel<<<dim3(blocks, parts), kThreadsPerBlock>>>(bodies, d_partial.get(), n, first, count,
                                                                  softening * softening);
  CHECK(cudaGetLastError());
  add_parts_kernel<<<(3 * count + kThreadsPerBlock - 1) / kThreadsPerBlock, kThreadsPerBlock>>>(
      d_partial.get(), parts, d_acceleration, 3 * count);
  CHECK(cudaGetLastError());
}
