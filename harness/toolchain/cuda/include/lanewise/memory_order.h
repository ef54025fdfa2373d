// Orders and scopes of memory operations, and fences: libcu++'s cuda::memory_order and cuda::thread_scope.
#pragma once

#include "../cuda_runtime.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cuda {
namespace std {
enum memory_order {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
};
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10
};

__host__ __device__ __forceinline__ void atomic_thread_fence(memory_order order,
                                                             thread_scope scope = thread_scope_system) {
#ifdef __CUDA_ARCH__
  if (order == memory_order_relaxed || scope == thread_scope_thread) return;
  if (order == memory_order_seq_cst) {
    if (scope == thread_scope_block) asm volatile("fence.sc.cta;" ::: "memory");
    if (scope == thread_scope_device) asm volatile("fence.sc.gpu;" ::: "memory");
    if (scope == thread_scope_system) asm volatile("fence.sc.sys;" ::: "memory");
  } else {
    if (scope == thread_scope_block) asm volatile("fence.acq_rel.cta;" ::: "memory");
    if (scope == thread_scope_device) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (scope == thread_scope_system) asm volatile("fence.acq_rel.sys;" ::: "memory");
  }
#else
  __atomic_thread_fence(order);
  static_cast<void>(scope);
#endif
}
namespace std {
__host__ __device__ __forceinline__ void atomic_thread_fence(memory_order order) { cuda::atomic_thread_fence(order); }
}  // namespace std
}  // namespace cuda

#pragma clang attribute pop
