// Step 6 of vec_add_device: bulk copies fetch the operands.
// Idea      one thread of a block requests 16 KiB of each input at once, as a bulk copy into shared memory
//           (cp.async.bulk, sm_90 and later); all 1024 threads wait for it, and then add. The two blocks that fit on a
//           multiprocessor have 64 KiB in flight, for which no thread executes a load, computes an address or holds a
//           register.
// Gain      x 1.00 over step 5 on an H200: nothing but memory limits either. This is what the libraries do, which also
//           have to serve types of one byte: there, a load per thread keeps too few bytes in flight, and a bulk copy
//           gains a factor of up to four.
// Traffic   12 bytes per element: nothing is left to save. The detour through shared memory costs no time, since
//           nothing else uses it.
// Wastes    a block of 1024 threads that waits for all of its 32 KiB starts adding late, which shows if it is the only
//           one on its multiprocessor.
#include "vecadd.cuh"

#include <cstdint>
#include <cuda/ptx>

namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kVectorItems = 4;
constexpr int kTileBytes = kThreadsPerBlock * static_cast<int>(sizeof(float4));  // of one input: a vector per thread
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert(kThreadsPerBlock >= kVectorItems, "one thread each takes the elements that are left over");
static_assert(sizeof(float4) == kVectorItems * sizeof(float), "a float4 is four floats side by side");
static_assert(alignof(float4) <= 256, "the contract aligns arrays to 256 bytes, so element 0 begins a whole vector");
static_assert(2 * kTileBytes <= 47 * 1024, "two tiles fit the 48 KiB of static shared memory");

// An mbarrier counts the arrivals of threads and the bytes of bulk copies. This waits for the end of its first phase.
__device__ void wait_for_first_phase(std::uint64_t* barrier) {
  while (!cuda::ptx::mbarrier_try_wait_parity(barrier, 0)) {
  }
}

__device__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__global__ void __launch_bounds__(kThreadsPerBlock)
    add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  __shared__ alignas(128) float4 a_tile[kThreadsPerBlock];
  __shared__ alignas(128) float4 b_tile[kThreadsPerBlock];
  __shared__ std::uint64_t loaded;  // an mbarrier

  const std::size_t vectors = n / kVectorItems;
  const std::size_t tile = std::size_t{blockIdx.x} * kThreadsPerBlock;
  const std::size_t i = tile + threadIdx.x;
  const auto* a4 = reinterpret_cast<const float4*>(a);
  const auto* b4 = reinterpret_cast<const float4*>(b);
  auto* c4 = reinterpret_cast<float4*>(c);

  if (tile + kThreadsPerBlock <= vectors) {  // the same for the whole block: a full tile needs no tests
    if (threadIdx.x == 0) {
      namespace ptx = cuda::ptx;
      ptx::mbarrier_init(&loaded, 1);                                  // one thread arrives: this one
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);  // the copy engine is to see that
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &loaded, 2 * kTileBytes);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, a_tile, a4 + tile, kTileBytes, &loaded);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, b_tile, b4 + tile, kTileBytes, &loaded);
    }
    __syncthreads();  // the mbarrier has been initialised
    wait_for_first_phase(&loaded);
    __stcs(&c4[i], sum(a_tile[threadIdx.x], b_tile[threadIdx.x]));
  } else {  // the last block: what is left of the vectors, then of the elements
    if (i < vectors) c4[i] = sum(a4[i], b4[i]);
    const std::size_t k = vectors * kVectorItems + threadIdx.x;
    if (k < n) c[k] = a[k] + b[k];
  }
}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;                                                  // a grid of no blocks is an error
  const std::size_t blocks = n / kVectorItems / kThreadsPerBlock + 1;  // one for what is left over
  add_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
}
