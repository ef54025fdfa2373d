// mbarrier objects in shared memory: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
#pragma once

#include "async_copy.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace lanewise {

__device__ __forceinline__ void mbarrier_init(unsigned long long* barrier, unsigned int expected) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(expected) : "memory");
}
__device__ __forceinline__ void mbarrier_inval(unsigned long long* barrier) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ unsigned long long mbarrier_arrive(unsigned long long* barrier, unsigned int count = 1) {
  unsigned long long state;
  if (count == 1)
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(barrier)) : "memory");
  else
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(shared_address(barrier)), "r"(count)
                 : "memory");
  return state;
}
__device__ __forceinline__ unsigned long long mbarrier_arrive_expect_tx(unsigned long long* barrier,
                                                                        unsigned int bytes) {
  unsigned long long state;
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(shared_address(barrier)), "r"(bytes)
               : "memory");
  return state;
}
__device__ __forceinline__ void mbarrier_arrive_drop(unsigned long long* barrier) {
  unsigned long long state;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(barrier)) : "memory");
}
/// The thread's cp.async so far arrive, as one that nobody counted on, once they are done.
__device__ __forceinline__ void mbarrier_arrive_on_copies(unsigned long long* barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ bool mbarrier_try_wait(unsigned long long* barrier, unsigned long long state) {
  unsigned int is_over;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(is_over)
               : "r"(shared_address(barrier)), "l"(state)
               : "memory");
  return is_over != 0;
}
__device__ __forceinline__ bool mbarrier_try_wait_parity(unsigned long long* barrier, unsigned int parity) {
  unsigned int is_over;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(is_over)
               : "r"(shared_address(barrier)), "r"(parity)
               : "memory");
  return is_over != 0;
}

}  // namespace lanewise

#pragma clang attribute pop
