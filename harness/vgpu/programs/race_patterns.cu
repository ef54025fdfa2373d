// Patterns on the borders of what is a race, right ones and wrong ones, each a kernel: communication through one word
// that tells nothing about another, lanes that are believed to be in step, and writes of one value by several threads.
// Usage: race_patterns [NAME]; without a name, all of them
// A line that ends in "racecheck: NAME" is where racecheck must report that kernel: at one of the lines at least (a
// race has two sides), and nowhere else; "warning: NAME" and "note: NAME" likewise, where it is no more than that. A
// kernel without such a line must not be reported.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>
#include <cuda/atomic>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 64;  // two warps
constexpr int kBlocks = 6;

struct Buffers {
  int* out;    // all of them zeros
  int* words;  // 32 apart
};

__device__ int* word(Buffers b, int n) { return b.words + 32 * n; }

__device__ bool is_thread(int block, int thread) {
  return static_cast<int>(blockIdx.x) == block && static_cast<int>(threadIdx.x) == thread;
}

__device__ void wait_for(int* flag, int value) {
  while (atomicAdd(flag, 0) < value) {
  }
}

// --- an atomic operation, and a plain access that nothing orders behind it: wrong ---

__global__ void looks_at_another_word(Buffers b) {
  __syncthreads();
  if (is_thread(0, 0)) atomicAdd(word(b, 0), 1);  // racecheck: looks_at_another_word
  if (is_thread(0, 32)) {
    b.out[1] = atomicAdd(word(b, 1), 1);
    b.out[0] = *word(b, 0);  // racecheck: looks_at_another_word
  }
}

__global__ void looks_at_another_shared_word(Buffers b) {
  __shared__ int counts[2];
  if (threadIdx.x < 2) counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&counts[0], 1);  // racecheck: looks_at_another_shared_word
  if (threadIdx.x == 32) {
    b.out[blockIdx.x * 32] = atomicAdd(&counts[1], 1);
    b.out[blockIdx.x * 32 + 1] = counts[0];  // racecheck: looks_at_another_shared_word
  }
}

__global__ void writes_over_what_another_word_says(Buffers b) {
  __syncthreads();
  if (is_thread(0, 0)) atomicAdd(word(b, 0), 1);  // racecheck: writes_over_what_another_word_says
  if (is_thread(0, 32) && atomicAdd(word(b, 1), 1) == 0)
    *word(b, 0) = 7;  // racecheck: writes_over_what_another_word_says
}

// Block 3 publishes the word that block 2 looks at, and knows nothing of blocks 0 and 1.
__global__ void hears_of_another_block(Buffers b) {
  if (threadIdx.x != 0) return;
  __threadfence();
  if (blockIdx.x < 2) atomicAdd(word(b, 0), 1);  // racecheck: hears_of_another_block
  if (blockIdx.x == 3) {
    for (int n = 0; n < 20; ++n) {
      __threadfence();
      atomicAdd(word(b, 1), 1);
    }
  }
  if (blockIdx.x == 2) {
    wait_for(word(b, 1), 20);
    __threadfence();
    b.out[0] = *word(b, 0);  // racecheck: hears_of_another_block
  }
}

// The sum is added to after the fence, so that the flag says nothing about it.
__global__ void adds_behind_the_fence(Buffers b) {
  if (is_thread(0, 0)) {
    __threadfence();
    atomicAdd(word(b, 0), 7);  // racecheck: adds_behind_the_fence
    atomicExch(word(b, 1), 1);
  }
  if (is_thread(1, 32)) {
    wait_for(word(b, 1), 1);
    __threadfence();
    b.out[0] = *word(b, 0);  // racecheck: adds_behind_the_fence
  }
}

// The last block to count itself in adds up, but none has a fence between its part and its count.
__global__ void last_block_without_fence(Buffers b) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(word(b, 0), 3);  // racecheck: last_block_without_fence
  if (atomicAdd(word(b, 1), 1) == static_cast<int>(gridDim.x) - 1)
    b.out[0] = *word(b, 0);  // racecheck: last_block_without_fence
}

__global__ void half_of_the_blocks_counted(Buffers b) {
  if (threadIdx.x != 0) return;
  atomicAdd(word(b, 0), 3);  // racecheck: half_of_the_blocks_counted
  __threadfence();
  if (atomicAdd(word(b, 1), 1) == static_cast<int>(gridDim.x) / 2 - 1) {
    __threadfence();
    b.out[0] = *word(b, 0);  // racecheck: half_of_the_blocks_counted
  }
}

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}

__device__ void give_back(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

// Each holds a lock, but not the same one.
__global__ void two_locks(Buffers b) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  take(word(b, 1 + static_cast<int>(blockIdx.x)));
  if (blockIdx.x == 0)
    atomicAdd(word(b, 0), 1);  // racecheck: two_locks
  else
    b.out[0] = *word(b, 0);  // racecheck: two_locks
  give_back(word(b, 1 + static_cast<int>(blockIdx.x)));
}

__global__ void polls_the_wrong_flag(Buffers b) {
  volatile int* first = word(b, 0);
  volatile int* second = word(b, 1);
  __threadfence();
  if (is_thread(0, 0)) *first = 5;  // racecheck: polls_the_wrong_flag
  if (is_thread(1, 0)) *second = 6;
  if (is_thread(2, 0)) {
    while (*second == 0) {
    }
    b.out[0] = *word(b, 0);  // racecheck: polls_the_wrong_flag
  }
}

using Atomic = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void acquires_another_word(Buffers b) {
  if (is_thread(0, 0)) {
    Atomic(*word(b, 1)).fetch_add(1, cuda::memory_order_release);
    Atomic(*word(b, 0)).fetch_add(1, cuda::memory_order_release);  // racecheck: acquires_another_word
  }
  if (is_thread(1, 0)) {
    while (Atomic(*word(b, 1)).load(cuda::memory_order_acquire) == 0) {
    }
    b.out[0] = *word(b, 0);  // racecheck: acquires_another_word
  }
}

// Who waits for the second word knows that the first has been looked at, but not that it changed once more.
__global__ void changes_it_once_more(Buffers b) {
  if (is_thread(0, 0)) {
    __threadfence();
    b.out[1] = atomicAdd(word(b, 0), 1);
    __threadfence();
    atomicExch(word(b, 1), 1);
    atomicAdd(word(b, 0), 1);  // racecheck: changes_it_once_more
  }
  if (is_thread(1, 0)) {
    wait_for(word(b, 1), 1);
    __threadfence();
    b.out[0] = *word(b, 0);  // racecheck: changes_it_once_more
  }
}

// One warp of each block has said so, the other one's part may be missing.
__global__ void one_warp_speaks_for_two(Buffers b) {
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(word(b, 0), 1);  // racecheck: one_warp_speaks_for_two
  __threadfence();
  if (threadIdx.x != 0) return;
  if (atomicAdd(word(b, 1), 1) == static_cast<int>(gridDim.x) - 1) {
    __threadfence();
    b.out[0] = *word(b, 0);  // racecheck: one_warp_speaks_for_two
  }
}

// --- the same, right ---

__global__ void last_block_reads_the_sum(Buffers b) {
  if (threadIdx.x % 32 == 0) atomicAdd(word(b, 0), 3);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(word(b, 1), 1) != static_cast<int>(gridDim.x) - 1) return;
  __threadfence();
  b.out[0] = *word(b, 0);
  *word(b, 0) = 0;
  *word(b, 1) = 0;
}

__global__ void last_warp_reads_the_sum(Buffers b) {
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(word(b, 0), 3);
  __threadfence();
  if (atomicAdd(word(b, 1), 1) != static_cast<int>(2 * gridDim.x) - 1) return;
  __threadfence();
  b.out[0] = *word(b, 0);
  *word(b, 1) = 0;
}

__global__ void last_thread_reads_the_sum(Buffers b) {
  atomicAdd(word(b, 0), 3);
  __threadfence();
  if (atomicAdd(word(b, 1), 1) != static_cast<int>(gridDim.x * blockDim.x) - 1) return;
  __threadfence();
  b.out[0] = *word(b, 0);
  *word(b, 1) = 0;
}

__global__ void last_warp_of_a_block(Buffers b) {
  __shared__ int sum, done;
  if (threadIdx.x == 0) sum = done = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&sum, 5);
  __threadfence_block();
  if (atomicAdd(&done, 1) == 1) {
    __threadfence_block();
    b.out[blockIdx.x] = sum;
  }
}

__global__ void reads_under_the_lock(Buffers b) {
  if (threadIdx.x != 0) return;
  take(word(b, 1));
  const int before = *word(b, 0);
  atomicAdd(word(b, 0), 1);
  b.out[blockIdx.x] = before;
  give_back(word(b, 1));
}

// Block 1 has looked at what block 0 did, and tells block 2.
__global__ void passed_on(Buffers b) {
  if (is_thread(0, 0)) {
    __threadfence();
    atomicAdd(word(b, 0), 1);
  }
  if (is_thread(1, 0)) {
    wait_for(word(b, 0), 1);
    __threadfence();
    atomicExch(word(b, 1), 1);
  }
  if (is_thread(2, 0)) {
    wait_for(word(b, 1), 1);
    __threadfence();
    b.out[0] = *word(b, 0);
  }
}

// The look of one thread, the barrier for the others.
__global__ void one_looks_for_all(Buffers b) {
  volatile int* flag = word(b, 0);
  if (is_thread(0, 0)) {
    __threadfence();
    *flag = 1;
  }
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    if (threadIdx.x > 31) b.out[threadIdx.x] = *word(b, 0);
  }
}

__global__ void across_the_grid(Buffers b) {
  atomicAdd(word(b, static_cast<int>(threadIdx.x % 4)), 1);
  cg::this_grid().sync();
  b.out[blockIdx.x * kThreads + threadIdx.x] = *word(b, static_cast<int>(threadIdx.x % 4));
  cg::this_grid().sync();
  if (is_thread(1, 1)) *word(b, 0) = 0;
}

__global__ void release_and_acquire(Buffers b) {
  if (is_thread(0, 0)) {
    Atomic(*word(b, 0)).store(9, cuda::memory_order_relaxed);
    Atomic(*word(b, 1)).fetch_add(1, cuda::memory_order_release);
  }
  if (is_thread(1, 0)) {
    while (Atomic(*word(b, 1)).load(cuda::memory_order_acquire) == 0) {
    }
    b.out[0] = *word(b, 0) + *word(b, 1);
  }
}

__global__ void arrives_and_waits(Buffers b) {
  __shared__ int sum;
  __shared__ unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    sum = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(kThreads));
  }
  __syncthreads();
  atomicAdd(&sum, 1);
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(at) : "memory");
  for (unsigned over = 0; over == 0;)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(over)
                 : "r"(at)
                 : "memory");
  b.out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// Block 0 puts items into a queue, the others take them out.
__global__ void queue_of_work(Buffers b) {
  if (threadIdx.x != 0) return;
  constexpr int kItems = 12;
  if (blockIdx.x == 0) {
    for (int n = 0; n < kItems; ++n) {
      word(b, 2)[n] = n;
      __threadfence();
      atomicAdd(word(b, 0), 1);
    }
    return;
  }
  for (int n = atomicAdd(word(b, 1), 1); n < kItems; n = atomicAdd(word(b, 1), 1)) {
    wait_for(word(b, 0), n + 1);
    __threadfence();
    b.out[n] = word(b, 2)[n];
  }
}

// Tickets say whose turn it is.
__global__ void one_after_the_other(Buffers b) {
  if (threadIdx.x != 0) return;
  volatile int* turn = word(b, 1);
  const int ticket = atomicAdd(word(b, 0), 1);
  while (*turn != ticket) {
  }
  __threadfence();
  b.out[0] += ticket;
  __threadfence();
  *turn = ticket + 1;
}

// --- lanes of a warp in step, through volatile memory: wrong ---

__global__ void sum_of_a_warp(Buffers b) {
  __shared__ volatile int s[kThreads];
  const unsigned t = threadIdx.x;
  s[t] = b.words[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];  // warning: sum_of_a_warp
    s[t] += s[t + 16];  // warning: sum_of_a_warp
    s[t] += s[t + 8];   // warning: sum_of_a_warp
  }
  __syncthreads();
  if (t == 0) b.out[blockIdx.x] = s[0];
}

__global__ void sum_by_fewer_and_fewer(Buffers b) {
  __shared__ volatile int s[32];
  const int t = static_cast<int>(threadIdx.x);
  if (t >= 32) return;
  s[t] = b.words[t];
  __syncwarp();
  for (int d = 16; d > 0; d /= 2)
    if (t < d) s[t] += s[t + d];  // warning: sum_by_fewer_and_fewer
  if (t == 0) b.out[blockIdx.x] = s[0];
}

__global__ void scan_of_a_warp(Buffers b) {
  __shared__ volatile int s[64];
  const unsigned t = threadIdx.x;
  if (t >= 32) return;
  s[t] = 0;
  s[t + 32] = b.words[t];
  __syncwarp();
  s[t + 32] += s[t + 31];  // warning: scan_of_a_warp
  s[t + 32] += s[t + 30];  // warning: scan_of_a_warp
  __syncwarp();
  b.out[blockIdx.x * kThreads + t] = s[t + 32];
}

__global__ void swapped_with_the_neighbour(Buffers b) {
  __shared__ volatile int s[kThreads];
  s[threadIdx.x] = static_cast<int>(threadIdx.x);                   // warning: swapped_with_the_neighbour
  b.out[blockIdx.x * kThreads + threadIdx.x] = s[threadIdx.x ^ 1];  // warning: swapped_with_the_neighbour
}

__global__ void written_over_in_step(Buffers b) {
  __shared__ volatile int s[kThreads];
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int other = s[threadIdx.x ^ 1];  // warning: written_over_in_step
  s[threadIdx.x] = other + 1;            // warning: written_over_in_step
  __syncthreads();
  b.out[blockIdx.x * kThreads + threadIdx.x] = s[threadIdx.x];
}

__global__ void turned_round_in_global_memory(Buffers b) {
  volatile int* words = word(b, 2 + 2 * static_cast<int>(blockIdx.x));
  words[threadIdx.x] = static_cast<int>(threadIdx.x);                    // warning: turned_round_in_global_memory
  b.out[blockIdx.x * kThreads + threadIdx.x] = words[threadIdx.x ^ 31];  // warning: turned_round_in_global_memory
}

__global__ void told_by_the_first_lane(Buffers b) {
  __shared__ volatile int told;
  if (threadIdx.x >= 32) return;
  if (threadIdx.x == 0) told = b.words[0] + 1;        // warning: told_by_the_first_lane
  b.out[blockIdx.x * kThreads + threadIdx.x] = told;  // warning: told_by_the_first_lane
}

__global__ void told_by_the_last_lane(Buffers b) {
  __shared__ volatile int told[2];
  if (threadIdx.x % 32 == 31) told[threadIdx.x / 32] = 3;  // warning: told_by_the_last_lane
  if (threadIdx.x % 32 < 9)
    b.out[blockIdx.x * kThreads + threadIdx.x] = told[threadIdx.x / 32];  // warning: told_by_the_last_lane
}

// Half of what has to be between the steps: after writing, not after reading.
__global__ void syncwarp_only_after_writing(Buffers b) {
  __shared__ volatile int s[kThreads];
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    const int other = s[threadIdx.x ^ d];  // warning: syncwarp_only_after_writing
    s[threadIdx.x] += other;               // warning: syncwarp_only_after_writing
    __syncwarp();
  }
  b.out[blockIdx.x * kThreads + threadIdx.x] = s[threadIdx.x];
}

__global__ void smaller_to_the_left(Buffers b) {
  __shared__ volatile int s[32];
  const unsigned t = threadIdx.x;
  if (t >= 32) return;
  s[t] = static_cast<int>(77 * t % 32);
  __syncwarp();
#pragma unroll 1
  for (unsigned round = 0; round < 32; ++round)
    if (t % 2 == round % 2 && t < 31) {
      const int left = s[t], right = s[t + 1];  // warning: smaller_to_the_left
      if (left > right) {
        s[t] = right;     // warning: smaller_to_the_left
        s[t + 1] = left;  // warning: smaller_to_the_left
      }
    }
  __syncwarp();
  b.out[blockIdx.x * kThreads + t] = s[t];
}

// What another block may do at any time is another matter than what the lanes of a warp do.
__global__ void lanes_of_different_parts(Buffers b) {
  __shared__ volatile int s[kThreads];
  s[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < 16) s[threadIdx.x] = 5;  // warning: lanes_of_different_parts
  if (threadIdx.x >= 16 && threadIdx.x < 32)
    b.out[blockIdx.x * kThreads + threadIdx.x] = s[threadIdx.x - 16];  // warning: lanes_of_different_parts
}

// --- the same, right ---

__global__ void sum_with_syncwarp(Buffers b) {
  __shared__ volatile int s[kThreads];
  const unsigned t = threadIdx.x;
  s[t] = b.words[t];
  __syncthreads();
  if (t < 32) {
    for (unsigned d = 32; d > 0; d /= 2) {
      const int other = s[t + d];
      __syncwarp();
      s[t] += other;
      __syncwarp();
    }
  }
  if (t == 0) b.out[blockIdx.x] = s[0];
}

__global__ void each_its_own_word(Buffers b) {
  __shared__ volatile int s[kThreads];
  s[threadIdx.x] = b.words[threadIdx.x];
  for (int n = 0; n < 5; ++n) s[threadIdx.x] += n;
  b.out[blockIdx.x * kThreads + threadIdx.x] = s[threadIdx.x];
}

__global__ void spins_on_a_lane_of_its_warp(Buffers b) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) flag = 1;
  if (threadIdx.x == 1)
    while (flag == 0) {
    }
  b.out[blockIdx.x * kThreads + threadIdx.x] = 1;
}

__global__ void flag_of_another_warp(Buffers b) {
  __shared__ volatile int flag, data;
  if (threadIdx.x == 0) flag = data = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 4;
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    b.out[blockIdx.x] = data;
  }
}

__global__ void status_words_of_blocks(Buffers b) {
  volatile int* status = word(b, 0);
  const int block = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x);
  if (lane >= 32) return;
  if (lane == 0) status[block] = 1;
  const bool looks = lane < block;
  while (!__all_sync(0xFFFFFFFFu, !looks || status[block - 1 - lane] != 0)) {
  }
  b.out[block * 32 + lane] = looks ? status[block - 1 - lane] : 0;
}

__global__ void exchanged_by_shuffles(Buffers b) {
  __shared__ volatile int s[kThreads];
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  const int sum = __shfl_xor_sync(0xFFFFFFFFu, s[threadIdx.x], 1) + s[threadIdx.x];
  b.out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void read_by_other_warps_only(Buffers b) {
  __shared__ volatile int s[kThreads];
  s[threadIdx.x] = 0;
  __syncthreads();
  s[threadIdx.x] = 1;
  b.out[blockIdx.x * kThreads + threadIdx.x] = s[threadIdx.x ^ 32];
}

__global__ void turns_by_volatile_tickets(Buffers b) {
  volatile int* turn = word(b, 1);
  if (threadIdx.x >= 2) return;
  const int ticket = atomicAdd(word(b, 0), 1);
  while (*turn != ticket) {
  }
  __threadfence();
  b.out[0] += 1;
  __threadfence();
  *turn = ticket + 1;
}

__global__ void volatile_between_barriers(Buffers b) {
  __shared__ volatile int s[kThreads];
  const unsigned t = threadIdx.x;
  s[t] = static_cast<int>(t);
  __syncthreads();
  for (unsigned d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  b.out[blockIdx.x * kThreads + t] = s[0];
}

__global__ void steps_of_a_tile(Buffers b) {
  __shared__ volatile int s[kThreads];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  tile.sync();
  b.out[blockIdx.x * kThreads + threadIdx.x] = s[threadIdx.x ^ 5];
}

// --- one value, written by several threads: races that no result shows ---

__global__ void says_that_one_was_found(Buffers b) {
  *word(b, 0) = 1;  // note: says_that_one_was_found
}

__global__ void says_so_in_shared_memory(Buffers b) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (threadIdx.x % 32 < 3) found = 1;  // note: says_so_in_shared_memory
  __syncthreads();
  b.out[blockIdx.x * kThreads + threadIdx.x] = found;
}

// Two vertices of a frontier have a neighbour in common.
__global__ void marks_as_visited(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  b.out[i * 7 % 50] = 1;  // note: marks_as_visited
}

__global__ void writes_the_level(Buffers b) {
  const int level = *word(b, 1) + 3;
  b.out[threadIdx.x / 2 + 16 * (blockIdx.x / 2)] = level;  // note: writes_the_level
}

__global__ void marks_bytes(Buffers b) {
  reinterpret_cast<unsigned char*>(b.out)[threadIdx.x % 40] = 1;  // note: marks_bytes
}

__global__ void writes_pairs(Buffers b) {
  reinterpret_cast<int2*>(b.out)[threadIdx.x % 8] = make_int2(1, 2);  // note: writes_pairs
}

__global__ void from_two_lines(Buffers b) {
  if (threadIdx.x < 32)
    b.out[threadIdx.x] = 4;  // note: from_two_lines
  else
    b.out[threadIdx.x - 32] = 4;  // note: from_two_lines
}

// --- the same, where it matters ---

__global__ void writes_its_number(Buffers b) {
  *word(b, 0) = static_cast<int>(blockIdx.x);  // racecheck: writes_its_number
}

__global__ void one_of_them_differs(Buffers b) {
  b.out[threadIdx.x % 32] = threadIdx.x == 40 && blockIdx.x == 2 ? 2 : 1;  // racecheck: one_of_them_differs
}

__global__ void each_lane_writes_its_number(Buffers b) {  // of one warp, by one instruction
  __shared__ int last;
  if (threadIdx.x >= 32) return;
  last = static_cast<int>(threadIdx.x);  // racecheck: each_lane_writes_its_number
  __syncwarp();
  if (threadIdx.x == 0) b.out[blockIdx.x] = last;
}

__global__ void neighbours_share_a_place(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  b.out[i / 2] = static_cast<int>(i);  // racecheck: neighbours_share_a_place
}

__global__ void neighbours_share_a_value_too(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  b.out[i / 2] = static_cast<int>(i / 2);
}

__global__ void reads_what_is_marked(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (b.words[i * 7 % 50] == 0) {  // racecheck: reads_what_is_marked
    b.words[i * 7 % 50] = 1;       // racecheck: reads_what_is_marked
    atomicAdd(&b.out[0], 1);
  }
}

__global__ void of_different_widths(Buffers b) {
  if (threadIdx.x == 0) *word(b, 0) = 0x01010101;                            // racecheck: of_different_widths
  if (threadIdx.x == 32) *reinterpret_cast<unsigned char*>(word(b, 0)) = 1;  // racecheck: of_different_widths
}

__global__ void beside_an_atomic(Buffers b) {
  if (threadIdx.x == 0) atomicExch(word(b, 0), 1);  // racecheck: beside_an_atomic
  if (threadIdx.x == 32) *word(b, 0) = 1;           // racecheck: beside_an_atomic
}

__global__ void first_one_value_then_another(Buffers b) {
  b.out[threadIdx.x % 32] = 1;  // racecheck: first_one_value_then_another
  __syncwarp();
  b.out[threadIdx.x % 32] = 2;  // racecheck: first_one_value_then_another
}

// --- no race at all ---

__global__ void marks_atomically(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  Atomic(b.out[i * 7 % 50]).store(1, cuda::memory_order_relaxed);
}

__global__ void marks_between_barriers(Buffers b) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (threadIdx.x == 40) found = 1;
  __syncthreads();
  if (threadIdx.x == 3) found = 1;
  __syncthreads();
  b.out[blockIdx.x * kThreads + threadIdx.x] = found;
}

__global__ void marks_once(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (atomicCAS(&b.words[i * 7 % 50], 0, 1) == 0) b.out[i * 7 % 50] = 1;
}

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
};
#define PATTERN(kernel) \
  { #kernel, kernel }
const Pattern kPatterns[] = {
    PATTERN(looks_at_another_word),
    PATTERN(looks_at_another_shared_word),
    PATTERN(writes_over_what_another_word_says),
    PATTERN(hears_of_another_block),
    PATTERN(adds_behind_the_fence),
    PATTERN(last_block_without_fence),
    PATTERN(half_of_the_blocks_counted),
    PATTERN(two_locks),
    PATTERN(polls_the_wrong_flag),
    PATTERN(acquires_another_word),
    PATTERN(changes_it_once_more),
    PATTERN(one_warp_speaks_for_two),
    PATTERN(last_block_reads_the_sum),
    PATTERN(last_warp_reads_the_sum),
    PATTERN(last_thread_reads_the_sum),
    PATTERN(last_warp_of_a_block),
    PATTERN(reads_under_the_lock),
    PATTERN(passed_on),
    PATTERN(one_looks_for_all),
    PATTERN(across_the_grid),
    PATTERN(release_and_acquire),
    PATTERN(arrives_and_waits),
    PATTERN(queue_of_work),
    PATTERN(one_after_the_other),
    PATTERN(sum_of_a_warp),
    PATTERN(sum_by_fewer_and_fewer),
    PATTERN(scan_of_a_warp),
    PATTERN(swapped_with_the_neighbour),
    PATTERN(written_over_in_step),
    PATTERN(turned_round_in_global_memory),
    PATTERN(told_by_the_first_lane),
    PATTERN(told_by_the_last_lane),
    PATTERN(syncwarp_only_after_writing),
    PATTERN(smaller_to_the_left),
    PATTERN(lanes_of_different_parts),
    PATTERN(sum_with_syncwarp),
    PATTERN(each_its_own_word),
    PATTERN(spins_on_a_lane_of_its_warp),
    PATTERN(flag_of_another_warp),
    PATTERN(status_words_of_blocks),
    PATTERN(exchanged_by_shuffles),
    PATTERN(read_by_other_warps_only),
    PATTERN(turns_by_volatile_tickets),
    PATTERN(volatile_between_barriers),
    PATTERN(steps_of_a_tile),
    PATTERN(says_that_one_was_found),
    PATTERN(says_so_in_shared_memory),
    PATTERN(marks_as_visited),
    PATTERN(writes_the_level),
    PATTERN(marks_bytes),
    PATTERN(writes_pairs),
    PATTERN(from_two_lines),
    PATTERN(writes_its_number),
    PATTERN(one_of_them_differs),
    PATTERN(each_lane_writes_its_number),
    PATTERN(neighbours_share_a_place),
    PATTERN(neighbours_share_a_value_too),
    PATTERN(reads_what_is_marked),
    PATTERN(of_different_widths),
    PATTERN(beside_an_atomic),
    PATTERN(first_one_value_then_another),
    PATTERN(marks_atomically),
    PATTERN(marks_between_barriers),
    PATTERN(marks_once),
};

bool runs(const Pattern& pattern, Buffers buffers, std::size_t bytes) {
  for (int* const buffer : {buffers.out, buffers.words}) cudaMemset(buffer, 0, bytes);
  void* arguments[] = {&buffers};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(pattern.kernel), dim3(kBlocks), dim3(kThreads), arguments, 0,
                              nullptr);
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s: %s\n", pattern.name, cudaGetErrorName(status));
  return status == cudaSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t kBytes = 4096 * sizeof(int);
  Buffers buffers{};
  cudaMalloc(&buffers.out, kBytes);
  cudaMalloc(&buffers.words, kBytes);
  int rc = 0;
  for (const Pattern& pattern : kPatterns)
    if ((argc < 2 || std::strcmp(argv[1], pattern.name) == 0) && !runs(pattern, buffers, kBytes)) rc = 1;
  cudaFree(buffers.out);
  cudaFree(buffers.words);
  return rc;
}
