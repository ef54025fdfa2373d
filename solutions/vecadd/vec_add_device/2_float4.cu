// Step 2 of vec_add_device: four elements per thread, moved as one 16-byte vector.
// Idea      a load instruction can fetch 16 bytes per lane, 512 per warp: a quarter of the instructions, four times the
//           bytes in flight.
// Gain      x 1.25 on an H200 (2^28 elements): 4.35 TB/s, the rate of a copy. 64 KiB in flight per multiprocessor.
// Traffic   12 bytes per element, as before; 3 memory instructions for 4 elements instead of 12.
// Wastes    every thread issues its two loads and then waits for both.
#include "vecadd.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kVectorItems = 4;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert(sizeof(float4) == kVectorItems * sizeof(float), "a float4 is four floats side by side");
static_assert(alignof(float4) <= 256, "the contract aligns arrays to 256 bytes, so element 0 begins a whole vector");

__device__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t vectors = n / kVectorItems;
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... vectors, and idle beyond
  if (i < vectors) {
    const float4 a4 = reinterpret_cast<const float4*>(a)[i];  // elements 4 i ... 4 i + 3
    const float4 b4 = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(c)[i] = sum(a4, b4);
  } else if (i == vectors) {
    for (std::size_t k = vectors * kVectorItems; k < n; ++k) c[k] = a[k] + b[k];  // 0 to 3 elements are left over
  }
}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;                                // a grid of no blocks is an error
  const std::size_t threads = n / kVectorItems + 1;  // one for what is left over
  const std::size_t blocks = (threads + kThreadsPerBlock - 1) / kThreadsPerBlock;
  add_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
}
