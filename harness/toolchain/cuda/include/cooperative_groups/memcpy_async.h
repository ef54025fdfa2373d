// Copies that a group makes together, to shared memory: CUDA C++ Programming Guide, "memcpy_async".
#pragma once

#include "../cooperative_groups.h"
#include "../cuda_pipeline.h"
#include "../lanewise/async_copy.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

/// Each is a batch of its own.
template <class Group, class T, class Size>
__device__ inline void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  lanewise::copy_part<lanewise::AlignmentOf<Size>::kValue>(to, from, bytes, group.thread_rank(), group.size());
  __pipeline_commit();
}
/// All batches but the last kPrior are there, for all threads of the group.
template <unsigned int kPrior, class Group>
__device__ inline void wait_prior(const Group& group) {
  __pipeline_wait_prior(kPrior);
  group.sync();
}
template <class Group>
__device__ inline void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups

#pragma clang attribute pop
