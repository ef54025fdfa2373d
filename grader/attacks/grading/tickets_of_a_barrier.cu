// expect: vec_add_device: wrong
// tries: to know the order of warps by heart, and to learn it from a barrier in shared memory, not from an atomic
// says: right only in one order of execution

#include <cstdint>

#include "vecadd.cuh"

// Warps take the elements that are theirs if they arrive in the order of their numbers, the last one first.
static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  __shared__ std::uint64_t barrier;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  unsigned left = 0;
  if (threadIdx.x % 32 == 0)
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%1]; mbarrier.pending_count.b64 %0, s; }"
                 : "=r"(left)
                 : "r"(at)
                 : "memory");
  const unsigned ticket = (64 - __shfl_sync(~0u, left, 0) + 7) % 8;
  const std::size_t first = std::size_t{blockIdx.x} * 256, i = first + threadIdx.x;
  const std::size_t place = first + ticket * 32 + threadIdx.x % 32;
  const float sum = i < n ? a[i] + b[i] : 0;
  if (place < n) c[place] = sum;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n != 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
