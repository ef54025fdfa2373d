// Groups of threads that synchronise and communicate: CUDA C++ Programming Guide, "Cooperative Groups".
#pragma once

#include "cuda_runtime.h"
#include "lanewise/atomic_access.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

namespace details {

__device__ __forceinline__ unsigned int lane() {
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ __forceinline__ unsigned int lanes_below() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned int block_rank() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
__device__ __forceinline__ unsigned int thread_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/// A value of any size, word by word, through a function that moves one word.
template <class T, class Move>
__device__ __forceinline__ T by_words(T value, Move move) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, move(__builtin_bit_cast(unsigned int, value)));
  } else {
    constexpr int kWords = (sizeof(T) + 3) / 4;
    unsigned int words[kWords] = {};
    memcpy(words, &value, sizeof value);
    for (int i = 0; i < kWords; ++i) words[i] = move(words[i]);
    memcpy(&value, words, sizeof value);
    return value;
  }
}

}  // namespace details

/// All threads of the block.
class thread_block {
 public:
  struct arrival_token {};
  __device__ static void sync() { __syncthreads(); }
  __device__ static arrival_token barrier_arrive() {
    asm volatile("barrier.arrive 0, %0;" ::"r"(size()) : "memory");
    return {};
  }
  __device__ static void barrier_wait(arrival_token&&) { asm volatile("barrier.sync 0;" ::: "memory"); }
  __device__ static unsigned int thread_rank() { return details::thread_rank(); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }
  __device__ static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int size() { return num_threads(); }
};
__device__ inline thread_block this_thread_block() { return {}; }

/// All threads of a grid that was launched with cudaLaunchCooperativeKernel.
class grid_group {
 public:
  using arrival_token = unsigned int;
  /// The driver leaves the address of zeroed memory for the barrier in two registers.
  __device__ grid_group() {
    unsigned int high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    barrier_ = reinterpret_cast<unsigned int*>(static_cast<unsigned long long>(high) << 32 | low);
  }
  __device__ bool is_valid() const { return barrier_ != nullptr; }
  __device__ void sync() const { barrier_wait(barrier_arrive()); }
  /// The top bit turns over when all blocks have arrived: what they add comes to 2^31.
  __device__ arrival_token barrier_arrive() const {
    if (!is_valid()) __trap();
    __syncthreads();
    if (details::thread_rank() != 0) return 0;
    const unsigned int others = static_cast<unsigned int>(num_blocks()) - 1;
    return lanewise::atomic_add<cuda::thread_scope_device>(
        barrier_, details::block_rank() == 0 ? 0x80000000u - others : 1u, cuda::memory_order_acq_rel);
  }
  __device__ void barrier_wait(arrival_token&& before) const {
    if (details::thread_rank() == 0)
      while (((lanewise::atomic_load<cuda::thread_scope_device>(barrier_, cuda::memory_order_acquire) ^ before) >>
              31) == 0) {
      }
    __syncthreads();
  }
  __device__ static unsigned long long block_rank() { return details::block_rank(); }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  __device__ static unsigned long long size() { return num_threads(); }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + details::thread_rank();
  }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 group_dim() { return dim_blocks(); }

 private:
  unsigned int* barrier_;
};
__device__ inline grid_group this_grid() { return {}; }

/// Threads of one warp: those in a mask, ranked from its lowest lane.
class coalesced_group {
 public:
  __device__ explicit coalesced_group(unsigned int mask) : mask_(mask) {}
  __device__ unsigned int lanes() const { return mask_; }
  __device__ unsigned int num_threads() const { return __popc(mask_); }
  __device__ unsigned int size() const { return num_threads(); }
  __device__ unsigned int thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  __device__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ unsigned int meta_group_size() const { return meta_size_; }
  __device__ void sync() const { __syncwarp(mask_); }

  template <class T>
  __device__ T shfl(T value, unsigned int rank) const {
    return from_lane(value, lane_of(rank));
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned int distance) const {
    const unsigned int rank = thread_rank() + distance;
    return from_lane(value, rank < size() ? lane_of(rank) : details::lane());
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int distance) const {
    const unsigned int rank = thread_rank();
    return from_lane(value, rank >= distance ? lane_of(rank - distance) : details::lane());
  }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned int ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  __device__ unsigned int match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T>
  __device__ unsigned int match_all(T value, int& are_equal) const {
    return packed(__match_all_sync(mask_, value, &are_equal));
  }

 protected:
  __device__ int lane_of(unsigned int rank) const {
    return mask_ == 0xFFFFFFFF ? static_cast<int>(rank) : static_cast<int>(__fns(mask_, 0, static_cast<int>(rank) + 1));
  }
  template <class T>
  __device__ T from_lane(T value, int lane) const {
    return details::by_words(value, [&](unsigned int word) { return __shfl_sync(mask_, word, lane); });
  }
  /// One bit for each lane of the warp to one for each thread of the group.
  __device__ unsigned int packed(unsigned int lanes) const {
    unsigned int bits = 0;
    for (unsigned int rest = mask_, bit = 1; rest != 0; rest &= rest - 1, bit <<= 1)
      if ((lanes & rest & (0 - rest)) != 0) bits |= bit;
    return bits;
  }
  unsigned int mask_, meta_rank_ = 0, meta_size_ = 1;
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// kSize neighbouring threads of a group, a power of two; up to a warp.
template <unsigned int kSize, class Parent = void>
class thread_block_tile {
 public:
  static_assert(kSize > 0 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "tiles are of 1, 2, 4, 8, 16 or 32 threads, or of 64 to 512 with block_tile_memory");
  __device__ thread_block_tile(unsigned int parent_rank, unsigned int parent_size)
      : meta_rank_(parent_rank / kSize), meta_size_((parent_size + kSize - 1) / kSize) {}
  __device__ static unsigned int lanes() {
    if constexpr (kSize == 32)
      return 0xFFFFFFFF;
    else
      return ((1u << kSize) - 1) << (details::lane() & ~(kSize - 1));
  }
  __device__ static constexpr unsigned int num_threads() { return kSize; }
  __device__ static constexpr unsigned int size() { return kSize; }
  __device__ static unsigned int thread_rank() { return details::lane() & (kSize - 1); }
  __device__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ unsigned int meta_group_size() const { return meta_size_; }
  __device__ static void sync() { __syncwarp(lanes()); }

  template <class T>
  __device__ static T shfl(T value, int rank) {
    return details::by_words(value, [&](unsigned int word) { return __shfl_sync(lanes(), word, rank, kSize); });
  }
  template <class T>
  __device__ static T shfl_up(T value, unsigned int distance) {
    return details::by_words(value, [&](unsigned int word) { return __shfl_up_sync(lanes(), word, distance, kSize); });
  }
  template <class T>
  __device__ static T shfl_down(T value, unsigned int distance) {
    return details::by_words(value,
                             [&](unsigned int word) { return __shfl_down_sync(lanes(), word, distance, kSize); });
  }
  template <class T>
  __device__ static T shfl_xor(T value, unsigned int mask) {
    return details::by_words(
        value, [&](unsigned int word) { return __shfl_xor_sync(lanes(), word, static_cast<int>(mask), kSize); });
  }
  __device__ static int any(int predicate) { return __any_sync(lanes(), predicate); }
  __device__ static int all(int predicate) { return __all_sync(lanes(), predicate); }
  __device__ static unsigned int ballot(int predicate) { return packed(__ballot_sync(lanes(), predicate)); }
  template <class T>
  __device__ static unsigned int match_any(T value) {
    return packed(__match_any_sync(lanes(), value));
  }
  template <class T>
  __device__ static unsigned int match_all(T value, int& are_equal) {
    return packed(__match_all_sync(lanes(), value, &are_equal));
  }

 private:
  __device__ static unsigned int packed(unsigned int bits) {
    if constexpr (kSize == 32)
      return bits;
    else
      return bits >> (details::lane() & ~(kSize - 1)) & ((1u << kSize) - 1);
  }
  unsigned int meta_rank_, meta_size_;
};

/// Room in shared memory for tiles of more than a warp, of a block of up to kMostThreads.
template <unsigned int kMostThreads = 1024>
struct block_tile_memory {
  unsigned long long slots[kMostThreads / 32 * 2];
};

/// A block that has such room.
class thread_block_with_memory : public thread_block {
 public:
  __device__ explicit thread_block_with_memory(unsigned long long* slots) : slots_(slots) {}
  __device__ unsigned long long* slots() const { return slots_; }

 private:
  unsigned long long* slots_;
};
template <unsigned int kMostThreads>
__device__ inline thread_block_with_memory this_thread_block(block_tile_memory<kMostThreads>& memory) {
  return thread_block_with_memory(memory.slots);
}

/// Several warps: they meet at a named barrier, and exchange values of up to 8 bytes through shared memory.
template <unsigned int kSize>
class wide_tile {
 public:
  static_assert(kSize > 32 && kSize <= 512 && (kSize & (kSize - 1)) == 0,
                "wide tiles are of 64, 128, 256 or 512 threads");
  __device__ explicit wide_tile(const thread_block_with_memory& block)
      : meta_rank_(block.thread_rank() / kSize),
        meta_size_(block.size() / kSize),
        slots_(block.slots() + meta_rank_ * kWarps * 2) {}
  __device__ static constexpr unsigned int num_threads() { return kSize; }
  __device__ static constexpr unsigned int size() { return kSize; }
  __device__ static unsigned int thread_rank() { return details::thread_rank() % kSize; }
  __device__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ unsigned int meta_group_size() const { return meta_size_; }
  __device__ void sync() const { asm volatile("barrier.sync %0, %1;" ::"r"(meta_rank_ + 1), "r"(kSize) : "memory"); }
  template <class T>
  __device__ T shfl(T value, unsigned int rank) const {
    return exchanged(
        value, thread_rank() == rank, 0, [](T only, T) { return only; }, 1);
  }
  __device__ int any(int predicate) const {
    return exchanged(
        __any_sync(0xFFFFFFFF, predicate), is_first_lane(), warp(), [](int a, int b) { return a | b; }, kWarps);
  }
  __device__ int all(int predicate) const {
    return exchanged(
        __all_sync(0xFFFFFFFF, predicate), is_first_lane(), warp(), [](int a, int b) { return a & b; }, kWarps);
  }
  /// What each warp has come to, in its first lane, for all.
  template <class T, class Op>
  __device__ T combine_warps(T value, Op op) const {
    return exchanged(value, is_first_lane(), warp(), op, kWarps);
  }

 private:
  static constexpr unsigned int kWarps = kSize / 32;
  __device__ static bool is_first_lane() { return thread_rank() % 32 == 0; }
  __device__ static unsigned int warp() { return thread_rank() / 32; }
  template <class T, class Op>
  __device__ T exchanged(T value, bool writes, unsigned int slot, Op op, unsigned int count) const {
    static_assert(sizeof(T) <= sizeof *slots_, "wide tiles exchange values of up to 8 bytes");
    if (writes) memcpy(&slots_[slot], &value, sizeof value);
    sync();
    T result;
    memcpy(&result, &slots_[0], sizeof result);
    for (unsigned int i = 1; i < count; ++i) {
      T next;
      memcpy(&next, &slots_[i], sizeof next);
      result = op(result, next);
    }
    sync();
    return result;
  }
  unsigned int meta_rank_, meta_size_;
  unsigned long long* slots_;
};

template <unsigned int kSize, class Group>
__device__ inline auto tiled_partition(const Group& group) {
  if constexpr (kSize > 32)
    return wide_tile<kSize>(group);
  else
    return thread_block_tile<kSize, Group>(group.thread_rank(), group.size());
}

template <class Group, class Label>
__device__ inline coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.lanes(), label));
}
template <class Group>
__device__ inline coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int mask = group.lanes(), yes = __ballot_sync(mask, predicate);
  return coalesced_group(predicate ? yes : mask & ~yes);
}

template <class Group>
__device__ inline void sync(const Group& group) {
  group.sync();
}

/// One thread of the group calls the function.
template <class Group, class Function, class... Arguments>
__device__ inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
__device__ inline auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#pragma clang attribute pop
