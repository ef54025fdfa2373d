// Step 4 of vec_add_device: a hint to the cache that the sums will not be used again.
// Idea      the sums are written once and not read here again. __stcs marks their lines "evict first", so that they do
//           not push data that is still needed out of the L2 cache.
// Gain      none for this kernel alone: it runs at the rate of a copy. Whatever runs beside or after it finds more of
//           its own data cached.
// Traffic   12 bytes per element: nothing is left to save.
// Wastes    nothing that shows. Measure hints, do not trust them: the equivalent for loads (__ldcs, __ldlu or
//           no_allocate) cost a tenth of the rate here (H200, CUDA 13.0, 2^28 elements).
#include "vecadd.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kVectorItems = 4;
constexpr int kVectorsPerThread = 2;
constexpr int kTileVectors = kThreadsPerBlock * kVectorsPerThread;  // what one block adds
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert(kThreadsPerBlock >= kVectorItems, "one thread each takes the elements that are left over");
static_assert(sizeof(float4) == kVectorItems * sizeof(float), "a float4 is four floats side by side");
static_assert(alignof(float4) <= 256, "the contract aligns arrays to 256 bytes, so element 0 begins a whole vector");

__device__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t vectors = n / kVectorItems;
  const std::size_t tile = std::size_t{blockIdx.x} * kTileVectors;
  const std::size_t first = tile + threadIdx.x;  // then first + kThreadsPerBlock: neighbours stay neighbours
  const auto* a4 = reinterpret_cast<const float4*>(a);
  const auto* b4 = reinterpret_cast<const float4*>(b);
  auto* c4 = reinterpret_cast<float4*>(c);

  if (tile + kTileVectors <= vectors) {  // the same for the whole block: a full tile needs no tests
    float4 x[kVectorsPerThread];
    float4 y[kVectorsPerThread];
#pragma unroll
    for (int v = 0; v < kVectorsPerThread; ++v) {
      x[v] = a4[first + v * kThreadsPerBlock];
      y[v] = b4[first + v * kThreadsPerBlock];
    }
#pragma unroll
    for (int v = 0; v < kVectorsPerThread; ++v) __stcs(&c4[first + v * kThreadsPerBlock], sum(x[v], y[v]));
  } else {  // the last block: what is left of the vectors, then of the elements
    for (std::size_t i = first; i < vectors; i += kThreadsPerBlock) c4[i] = sum(a4[i], b4[i]);
    const std::size_t k = vectors * kVectorItems + threadIdx.x;
    if (k < n) c[k] = a[k] + b[k];
  }
}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  const std::size_t blocks = n / kVectorItems / kTileVectors + 1;  // one for what is left over
  add_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
}
