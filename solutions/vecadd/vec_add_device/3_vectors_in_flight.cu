// Step 3 of vec_add_device: two vectors per thread, all loads issued before the first result is needed.
// Idea      a thread stalls at the first use of a value, not at the load. Loads that do not depend on one another and
//           precede any use are in flight together.
// Gain      x 0.99 on an H200, where step 2 has reached the limit. It pays off where fewer threads fit on a
//           multiprocessor because they need more registers or shared memory: a thread has 64 bytes in flight.
// Traffic   12 bytes per element, as before; half as many blocks to start.
// Wastes    results go through the L2 cache although nothing reads them again.
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
    for (int v = 0; v < kVectorsPerThread; ++v) c4[first + v * kThreadsPerBlock] = sum(x[v], y[v]);
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
