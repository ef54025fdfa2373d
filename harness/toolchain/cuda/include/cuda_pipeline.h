// Asynchronous copies from global to shared memory, by hand: CUDA C++ Programming Guide, "Pipeline Primitives".
#pragma once

#include "cuda_runtime.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

/// 4, 8 or 16 bytes, of which the last `zero_bytes` are not read but become 0.
__device__ __forceinline__ void __pipeline_memcpy_async(void* __restrict__ to_shared,
                                                        const void* __restrict__ from_global, size_t bytes,
                                                        size_t zero_bytes = 0) {
  const unsigned int to = static_cast<unsigned int>(__cvta_generic_to_shared(to_shared));
  const unsigned long long from = __cvta_generic_to_global(from_global);
  const unsigned int read = static_cast<unsigned int>(bytes - zero_bytes);
  if (bytes == 4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
  else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
}
__device__ __forceinline__ void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits for all of the thread's groups but the last `prior`, of which the instruction wants to know as a constant.
__device__ __forceinline__ void __pipeline_wait_prior(size_t prior) {
  switch (prior) {
    case 0:
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      return;
    case 1:
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      return;
    case 2:
      asm volatile("cp.async.wait_group 2;" ::: "memory");
      return;
    case 3:
      asm volatile("cp.async.wait_group 3;" ::: "memory");
      return;
    case 4:
      asm volatile("cp.async.wait_group 4;" ::: "memory");
      return;
    case 5:
      asm volatile("cp.async.wait_group 5;" ::: "memory");
      return;
    case 6:
      asm volatile("cp.async.wait_group 6;" ::: "memory");
      return;
    case 7:
      asm volatile("cp.async.wait_group 7;" ::: "memory");
      return;
    default:
      asm volatile("cp.async.wait_group 8;" ::: "memory");
  }
}
__device__ __forceinline__ void __pipeline_arrive_on(unsigned long long* barrier) {
  asm volatile(
      "cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(static_cast<unsigned int>(__cvta_generic_to_shared(barrier)))
      : "memory");
}

#pragma clang attribute pop
