// Shuffles, votes and the like, which clang has; but clang 19's __reduce_..._sync have the mask and the value changed
// over.
#pragma once

#define __reduce_add_sync lanewise_swapped_add
#define __reduce_min_sync lanewise_swapped_min
#define __reduce_max_sync lanewise_swapped_max
#define __reduce_and_sync lanewise_swapped_and
#define __reduce_or_sync lanewise_swapped_or
#define __reduce_xor_sync lanewise_swapped_xor
#include <__clang_cuda_intrinsics.h>
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
