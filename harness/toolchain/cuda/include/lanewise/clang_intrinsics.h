// Shuffles, votes and the like, which clang has; but clang 19's __reduce_..._sync have the mask and the value changed
// over.
#pragma once

#define __reduce_add_sync lanewise_swapped_add
#define __reduce_min_sync lanewise_swapped_min
#define __reduce_max_sync lanewise_swapped_max
#define __reduce_and_sync lanewise_swapped_and
#define __reduce_or_sync lanewise_swapped_or
#define __reduce_xor_sync lanewise_swapped_xor
#define atomicAdd lanewise_omitted_add
#define atomicAdd_block lanewise_omitted_add_block
#define atomicAdd_system lanewise_omitted_add_system
#include <__clang_cuda_intrinsics.h>
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync

#define LANEWISE_REDUCE(name, builtin, type) \
  __device__ inline type name(unsigned int mask, type value) { return builtin(value, static_cast<int>(mask)); }
LANEWISE_REDUCE(__reduce_add_sync, __nvvm_redux_sync_add, unsigned int)
LANEWISE_REDUCE(__reduce_add_sync, __nvvm_redux_sync_add, int)
LANEWISE_REDUCE(__reduce_min_sync, __nvvm_redux_sync_umin, unsigned int)
LANEWISE_REDUCE(__reduce_min_sync, __nvvm_redux_sync_min, int)
LANEWISE_REDUCE(__reduce_max_sync, __nvvm_redux_sync_umax, unsigned int)
LANEWISE_REDUCE(__reduce_max_sync, __nvvm_redux_sync_max, int)
LANEWISE_REDUCE(__reduce_and_sync, __nvvm_redux_sync_and, unsigned int)
LANEWISE_REDUCE(__reduce_or_sync, __nvvm_redux_sync_or, unsigned int)
LANEWISE_REDUCE(__reduce_xor_sync, __nvvm_redux_sync_xor, unsigned int)
#undef LANEWISE_REDUCE

#define LANEWISE_ADD(name, scope)                                                                                 \
  __device__ inline float2 name(float2* address, float2 value) {                                                  \
    float2 old;                                                                                                   \
    asm volatile("atom" scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                                      \
                 : "=f"(old.x), "=f"(old.y)                                                                       \
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y)                             \
                 : "memory");                                                                                     \
    return old;                                                                                                   \
  }                                                                                                               \
  __device__ inline float4 name(float4* address, float4 value) {                                                  \
    float4 old;                                                                                                   \
    asm volatile("atom" scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                      \
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                                             \
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w) \
                 : "memory");                                                                                     \
    return old;                                                                                                   \
  }
LANEWISE_ADD(atomicAdd, "")
LANEWISE_ADD(atomicAdd_block, ".cta")
LANEWISE_ADD(atomicAdd_system, ".sys")
#undef LANEWISE_ADD
