// Ways in which threads hand data to each other and wait for each other, right ones and wrong ones, each a kernel.
// Usage: checked_patterns NAME
// A line that ends in "CHECKER: NAME" is where that checker must report that pattern: at one of the lines at least (a
// race has two sides), and nowhere else.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 40;

struct Buffers {
  int* in;      // zeros
  int* out;     // zeros
  int* flags;   // zeros
  int* result;  // zeros
};

// --- right ---

__device__ int block_sum(int value, int* sums) {
  const int t = threadIdx.x;
  sums[t] = value;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) sums[t] += sums[t + d];
    __syncthreads();
  }
  return sums[0];
}

__global__ void tree_reduction(Buffers b) {
  __shared__ int sums[kThreads];
  const int sum = block_sum(b.in[blockIdx.x * kThreads + threadIdx.x], sums);
  if (threadIdx.x == 0) b.out[blockIdx.x] = sum;
}

// The last block to finish adds up what all have written (threadFenceReduction in NVIDIA's samples).
__device__ unsigned finished = 0;
__global__ void last_block(Buffers b) {
  __shared__ int sums[kThreads];
  __shared__ bool is_last;
  volatile int* parts = b.flags;
  const int sum = block_sum(b.in[blockIdx.x * kThreads + threadIdx.x], sums);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  const int total = block_sum(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0, sums);
  if (threadIdx.x == 0) {
    *b.result = total;
    finished = 0;
  }
}

__global__ void warp_reduction(Buffers b) {
  __shared__ int sums[32];
  const int t = threadIdx.x;
  sums[t] = t;
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    const int other = t < d ? sums[t + d] : 0;
    __syncwarp();
    sums[t] += other;
    __syncwarp();
  }
  if (t == 0) *b.result = sums[0];
}

__global__ void tiles_of_a_warp(Buffers b) {
  __shared__ int values[32];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int t = threadIdx.x;
  values[t] = t;
  tile.sync();
  const int other = values[t ^ 3];
  tile.sync();
  values[t] = other;
  tile.sync();
  b.out[t] = values[t ^ 1];
}

// Each block waits for the one before it (decoupled look-back, without the looking far).
__global__ void chained_scan(Buffers b) {
  __shared__ int before;
  volatile int* sums = b.result;
  volatile int* flags = b.flags;
  const int block = static_cast<int>(blockIdx.x), t = threadIdx.x;
  int value = b.in[block * 32 + t];
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFFu, value, d);
    if (t >= d) value += other;
  }
  if (t == 31) {
    int sum = 0;
    if (block > 0) {
      while (flags[block - 1] == 0) {
      }
      sum = sums[block - 1];
    }
    sums[block] = sum + value;
    __threadfence();
    flags[block] = 1;
    before = sum;
  }
  __syncwarp();
  b.out[block * 32 + t] = before + value;
}

__global__ void grid_barrier(Buffers b) {
  const cg::grid_group grid = cg::this_grid();
  const int n = static_cast<int>(grid.size()), i = static_cast<int>(grid.thread_rank());
  for (int round = 0; round < 3; ++round) {
    const int value = b.out[(i + 17) % n];
    grid.sync();
    b.out[i] = value + 1;
    grid.sync();
  }
}

__global__ void lock(Buffers b) {
  for (bool done = false; !done;) {
    if (atomicCAS(b.flags, 0, 1) != 0) continue;
    __threadfence();
    *b.result += 1;
    __threadfence();
    atomicExch(b.flags, 0);
    done = true;
  }
}

// An atomic operation that the hardware has not, as the programming guide makes it.
__global__ void swap_until_it_fits(Buffers b) {
  const int value = static_cast<int>(threadIdx.x);
  int now = *b.result, guess;
  do {
    guess = now;
    now = atomicCAS(b.result, guess, guess > value ? guess : value);
  } while (now != guess);
}

// Two lanes of a warp, each with a flag of its own, which are read in the other order.
__global__ void flags_of_two_lanes(Buffers b) {
  volatile int* flags = b.flags;
  if (threadIdx.x == 0) {
    b.out[0] = 7;
    __threadfence();
    flags[0] = 1;
  }
  if (threadIdx.x == 1) {
    b.out[1] = 8;
    __threadfence();
    flags[1] = 1;
  }
  if (threadIdx.x == 32) {
    while (flags[1] == 0) {
    }
    while (flags[0] == 0) {
    }
    *b.result = b.out[0] + b.out[1];
  }
}

__global__ void privatised_histogram(Buffers b) {
  __shared__ int bins[kThreads];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[b.in[threadIdx.x + blockIdx.x * kThreads]], 1);
  __syncthreads();
  atomicAdd(&b.out[threadIdx.x], bins[threadIdx.x]);
}

// Neighbouring bytes belong to different threads.
__global__ void bytes(Buffers b) {
  __shared__ unsigned char values[kThreads];
  values[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  __syncthreads();
  reinterpret_cast<unsigned char*>(b.out)[blockIdx.x * kThreads + threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}

__global__ void volatile_flag_in_shared(Buffers b) {
  __shared__ int data;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 7;
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (ready == 0) {
    }
    b.out[blockIdx.x] = data;
  }
}

__device__ unsigned in_shared(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void wait_for_first_phase(unsigned long long& barrier) {
  for (unsigned over = 0; over == 0;)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(over)
                 : "r"(in_shared(&barrier))
                 : "memory");
}

// What threads copied arrives at a barrier in their place.
__global__ void copies_arrive(Buffers b) {
  __shared__ int values[kThreads];
  __shared__ unsigned long long barrier;
  const unsigned t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(in_shared(&barrier)), "r"(kThreads));
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(in_shared(values + t)), "l"(b.in + t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(in_shared(&barrier)) : "memory");
  wait_for_first_phase(barrier);
  b.out[blockIdx.x * kThreads + t] = values[kThreads - 1 - t];
}

// One thread says how many bytes will come, then has them copied; all wait for them.
__global__ void bulk_copy(Buffers b) {
  __shared__ alignas(16) int values[kThreads];
  __shared__ unsigned long long barrier;
  const unsigned t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(in_shared(&barrier)));
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(in_shared(&barrier)), "r"(4 * kThreads));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     in_shared(values)),
                 "l"(b.in), "r"(4 * kThreads), "r"(in_shared(&barrier))
                 : "memory");
  }
  wait_for_first_phase(barrier);
  b.out[blockIdx.x * kThreads + t] = values[kThreads - 1 - t];
}

// The block meets, but nobody asks the barrier that the bytes arrive at.
__global__ void bulk_copy_not_awaited(Buffers b) {
  __shared__ alignas(16) int values[kThreads];
  __shared__ unsigned long long barrier;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(in_shared(&barrier)));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(in_shared(&barrier)), "r"(4 * kThreads));
    asm volatile(  // racecheck: bulk_copy_not_awaited
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            in_shared(values)),
        "l"(b.in), "r"(4 * kThreads), "r"(in_shared(&barrier))
        : "memory");
  }
  __syncthreads();
  b.out[blockIdx.x * kThreads + t] = values[kThreads - 1 - t];  // racecheck: bulk_copy_not_awaited
}

// One thread asks for all of them.
__global__ void bulk_copies_in_turn(Buffers b) {
  __shared__ alignas(16) int values[kThreads];
  __shared__ unsigned long long barrier;
  const unsigned t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(in_shared(&barrier)));
  int sum = 0;
#pragma unroll 1
  for (unsigned turn = 0; turn < 4; ++turn) {
    __syncthreads();
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(in_shared(&barrier)), "r"(4 * kThreads));
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       in_shared(values)),
                   "l"(b.in), "r"(4 * kThreads), "r"(in_shared(&barrier))
                   : "memory");
      for (unsigned over = 0; over == 0;)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over)
                     : "r"(in_shared(&barrier)), "r"(turn % 2)
                     : "memory");
    }
    __syncthreads();
    sum += values[kThreads - 1 - t];
  }
  b.out[blockIdx.x * kThreads + t] = sum;
}

// --- copies of four bytes that are waited for in groups ---

#define COPY_ASYNC(to, from) \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(in_shared(to)), "l"(from) : "memory")
#define CLOSE_GROUP() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_FOR_ALL_BUT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")

constexpr int kTiles = 7;

__device__ void clear_tiles(int* tiles, int count) {
  for (int tile = 0; tile < count; ++tile) tiles[tile * kThreads + threadIdx.x] = 0;
  __syncthreads();
}

// One of three tiles is added up while two are on their way.
__global__ void copies_in_stages(Buffers b) {
  __shared__ int tiles[3][kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tiles[0], 3);
  int sum = 0;
#pragma unroll 1
  for (int tile = -2; tile < kTiles; ++tile) {
    if (tile >= 0) {
      WAIT_FOR_ALL_BUT(1);
      __syncthreads();
      sum += tiles[tile % 3][kThreads - 1 - t];
    }
    if (tile + 2 < kTiles) COPY_ASYNC(&tiles[(tile + 2) % 3][t], b.in + (tile + 2) * kThreads + t);
    CLOSE_GROUP();
  }
  b.out[blockIdx.x * kThreads + t] = sum;
}

// Two tiles and two barriers; each thread also uses what it copied itself, for which it needs no barrier.
__global__ void copies_to_and_fro(Buffers b) {
  __shared__ int tiles[2][kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tiles[0], 2);
  COPY_ASYNC(&tiles[0][t], b.in + t);
  CLOSE_GROUP();
  int sum = 0;
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles) COPY_ASYNC(&tiles[(tile + 1) % 2][t], b.in + (tile + 1) * kThreads + t);
    CLOSE_GROUP();
    WAIT_FOR_ALL_BUT(1);
    sum += tiles[tile % 2][t];
    __syncthreads();
    sum += tiles[tile % 2][kThreads - 1 - t];
    __syncthreads();
  }
  b.out[blockIdx.x * kThreads + t] = sum;
}

__global__ void copies_not_awaited(Buffers b) {
  __shared__ int tile[kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tile, 1);
  COPY_ASYNC(&tile[t], b.in + t);  // racecheck: copies_not_awaited
  CLOSE_GROUP();
  __syncthreads();
  b.out[blockIdx.x * kThreads + t] = tile[kThreads - 1 - t];  // racecheck: copies_not_awaited
}

__global__ void own_copies_not_awaited(Buffers b) {
  __shared__ int tile[kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tile, 1);
  COPY_ASYNC(&tile[t], b.in + t);              // racecheck: own_copies_not_awaited
  b.out[blockIdx.x * kThreads + t] = tile[t];  // racecheck: own_copies_not_awaited
}

// The group is closed too late for the wait to count it.
__global__ void awaited_before_the_group_is_closed(Buffers b) {
  __shared__ int tile[kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tile, 1);
  COPY_ASYNC(&tile[t], b.in + t);  // racecheck: awaited_before_the_group_is_closed
  WAIT_FOR_ALL_BUT(0);
  CLOSE_GROUP();
  __syncthreads();
  b.out[blockIdx.x * kThreads + t] = tile[kThreads - 1 - t];  // racecheck: awaited_before_the_group_is_closed
}

__global__ void one_group_too_few(Buffers b) {
  __shared__ int tiles[3][kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tiles[0], 3);
  int sum = 0;
#pragma unroll 1
  for (int tile = -2; tile < kTiles; ++tile) {
    if (tile >= 0) {
      WAIT_FOR_ALL_BUT(2);
      __syncthreads();
      sum += tiles[tile % 3][kThreads - 1 - t];  // racecheck: one_group_too_few
    }
    if (tile + 2 < kTiles)
      COPY_ASYNC(&tiles[(tile + 2) % 3][t], b.in + (tile + 2) * kThreads + t);  // racecheck: one_group_too_few
    CLOSE_GROUP();
  }
  b.out[blockIdx.x * kThreads + t] = sum;
}

// Barriers on both sides order the reads and what arrives after them.
__global__ void one_group_too_few_between_barriers(Buffers b) {
  __shared__ int tiles[3][kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tiles[0], 3);
  int sum = 0;
#pragma unroll 1
  for (int tile = -1; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles)
      COPY_ASYNC(&tiles[(tile + 1) % 3][t],  // racecheck: one_group_too_few_between_barriers
                 b.in + (tile + 1) * kThreads + t);
    CLOSE_GROUP();
    if (tile < 0) continue;
    WAIT_FOR_ALL_BUT(2);
    __syncthreads();
    sum += tiles[tile % 3][kThreads - 1 - t];  // racecheck: one_group_too_few_between_barriers
    __syncthreads();
  }
  b.out[blockIdx.x * kThreads + t] = sum;
}

__global__ void awaited_behind_the_barrier(Buffers b) {
  __shared__ int tile[kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tile, 1);
  COPY_ASYNC(&tile[t], b.in + t);  // racecheck: awaited_behind_the_barrier
  CLOSE_GROUP();
  __syncthreads();
  WAIT_FOR_ALL_BUT(0);
  b.out[blockIdx.x * kThreads + t] = tile[kThreads - 1 - t];  // racecheck: awaited_behind_the_barrier
}

// What is copied may arrive at once, while others still read what was there.
__global__ void copied_over_what_is_read(Buffers b) {
  __shared__ int tiles[2][kThreads];
  const unsigned t = threadIdx.x;
  clear_tiles(tiles[0], 2);
  COPY_ASYNC(&tiles[0][t], b.in + t);
  CLOSE_GROUP();
  int sum = 0;
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles)
      COPY_ASYNC(&tiles[(tile + 1) % 2][t], b.in + (tile + 1) * kThreads + t);  // racecheck: copied_over_what_is_read
    CLOSE_GROUP();
    WAIT_FOR_ALL_BUT(1);
    __syncthreads();
    sum += tiles[tile % 2][kThreads - 1 - t];  // racecheck: copied_over_what_is_read
  }
  b.out[blockIdx.x * kThreads + t] = sum;
}

// --- wrong ---

__global__ void no_barrier(Buffers b) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = 0;
  __syncthreads();
  values[threadIdx.x] = b.in[threadIdx.x];                                          // racecheck: no_barrier
  b.out[blockIdx.x * kThreads + threadIdx.x] = values[kThreads - 1 - threadIdx.x];  // racecheck: no_barrier
}

__global__ void no_second_barrier(Buffers b) {
  __shared__ int values[kThreads];
  int sum = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    values[threadIdx.x] = b.in[threadIdx.x] + round;  // racecheck: no_second_barrier
    __syncthreads();
    sum += values[kThreads - 1 - threadIdx.x];  // racecheck: no_second_barrier
  }
  b.out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void no_syncwarp(Buffers b) {
  __shared__ int values[32];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);  // racecheck: no_syncwarp
  b.out[threadIdx.x] = values[31 - threadIdx.x];        // racecheck: no_syncwarp
}

__global__ void barrier_of_the_tile_only(Buffers b) {
  __shared__ int values[32];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  values[threadIdx.x] = static_cast<int>(threadIdx.x);  // racecheck: barrier_of_the_tile_only
  tile.sync();
  b.out[threadIdx.x] = values[31 - threadIdx.x];  // racecheck: barrier_of_the_tile_only
}

__global__ void bins_without_atomics(Buffers b) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[threadIdx.x % 16] += 1;  // racecheck: bins_without_atomics
  __syncthreads();
  if (threadIdx.x < 16) b.out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

__global__ void sum_of_all_threads(Buffers b) {
  *b.result += 1;  // racecheck: sum_of_all_threads
}

__global__ void neighbour_in_place(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i > 0) b.out[i] = b.out[i - 1] + 1;  // racecheck: neighbour_in_place
}

__global__ void flag_without_fence(Buffers b) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    b.out[0] = 7;  // racecheck: flag_without_fence
    atomicExch(b.flags, 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(b.flags, 0) == 0) {
    }
    *b.result = b.out[0];  // racecheck: flag_without_fence
  }
}

// The fence is there, but the other threads' results may come after it.
__global__ void fence_before_the_others(Buffers b) {
  b.out[blockIdx.x * kThreads + threadIdx.x] = 1;  // racecheck: fence_before_the_others
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(b.flags, 1);
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
    while (atomicAdd(b.flags, 0) < static_cast<int>(gridDim.x)) {
    }
    *b.result = b.out[kThreads - 1];  // racecheck: fence_before_the_others
  }
}

__global__ void plain_write_beside_atomics(Buffers b) {
  if (threadIdx.x < 32)
    atomicAdd(b.result, 1);  // racecheck: plain_write_beside_atomics
  else if (threadIdx.x == 33 && blockIdx.x == 0)
    *b.result = 5;  // racecheck: plain_write_beside_atomics
}

// Both sides of the branch have a barrier of their own.
__global__ void barrier_in_each_branch(Buffers b) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = b.in[threadIdx.x];
  if (threadIdx.x < kThreads / 2) {
    values[threadIdx.x] += 1;
    __syncthreads();  // synccheck: barrier_in_each_branch
  } else {
    values[threadIdx.x] += 2;
    b.flags[blockIdx.x * kThreads + threadIdx.x] = 1;
    __syncthreads();  // synccheck: barrier_in_each_branch
  }
  b.out[blockIdx.x * kThreads + threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}

// The thread without a neighbour passes by the barrier at which the others wait.
__global__ void barrier_in_a_branch(Buffers b) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = b.in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x >= 1) {
    const int left = values[threadIdx.x - 1];
    __syncthreads();  // synccheck: barrier_in_a_branch
    values[threadIdx.x] += left;
  }
  b.out[blockIdx.x * kThreads + threadIdx.x] = values[threadIdx.x];
}

// Every other thread has something else to do.
__global__ void barrier_in_one_of_two_branches(Buffers b) {
  if (threadIdx.x % 2 == 0) {
    b.out[blockIdx.x * kThreads + threadIdx.x] = 1;
    __syncthreads();  // synccheck: barrier_in_one_of_two_branches
  } else {
    b.flags[blockIdx.x * kThreads + threadIdx.x] = 2;
    b.out[blockIdx.x * kThreads + threadIdx.x] = static_cast<int>(sqrtf(static_cast<float>(threadIdx.x)));
  }
  b.in[blockIdx.x * kThreads + threadIdx.x] = 3;
}

__device__ __noinline__ void wait_unless_first(Buffers b) {
  if (threadIdx.x % 32 == 0) return;
  b.flags[blockIdx.x * kThreads + threadIdx.x] = 1;
  __syncthreads();  // synccheck: barrier_behind_a_return
}

__global__ void barrier_behind_a_return(Buffers b) {
  wait_unless_first(b);
  b.out[blockIdx.x * kThreads + threadIdx.x] = 1;
}

__global__ void mask_without_the_caller(Buffers b) {
  int sum = static_cast<int>(threadIdx.x);
  sum += __shfl_xor_sync(0x0000FFFFu, sum, 1);  // synccheck: mask_without_the_caller
  b.out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// Threads without work have ended; the others' barriers do not wait for them.
__global__ void early_return(Buffers b) {
  __shared__ int values[kThreads];
  if (threadIdx.x >= 100) return;
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  b.out[blockIdx.x * kThreads + threadIdx.x] = values[99 - threadIdx.x];
}

// The same, written as a branch that is all that is left of the kernel.
__global__ void barrier_in_the_last_branch(Buffers b) {
  __shared__ int values[kThreads];
  if (threadIdx.x < 100) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    b.out[blockIdx.x * kThreads + threadIdx.x] = values[99 - threadIdx.x];
  }
}

// Half of the block waits for the other half at barrier 1, which that half only passes by.
__global__ void producer_and_consumer(Buffers b) {
  __shared__ int values[kThreads / 2];
  if (threadIdx.x < kThreads / 2) {
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    asm volatile("barrier.cta.arrive 1, 256;" ::: "memory");
  } else {
    asm volatile("barrier.cta.sync 1, 256;" ::: "memory");
    b.out[blockIdx.x * kThreads + threadIdx.x] = values[kThreads - 1 - threadIdx.x];
  }
}

// A thread's wait for its own copies says nothing of the others'.
__global__ void own_copies_awaited(Buffers b) {
  __shared__ int values[kThreads];
  const unsigned t = threadIdx.x, to = in_shared(values + t);
  values[t] = 0;
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(b.in + t));  // racecheck: own_copies_awaited
  asm volatile("cp.async.wait_all;" ::: "memory");
  b.out[blockIdx.x * kThreads + t] = values[kThreads - 1 - t];  // racecheck: own_copies_awaited
}

// --- selection in place: elements that are kept move to the front of their array, over those that are not ---

__device__ bool is_kept(int value) { return (value + threadIdx.x) % 3 != 0; }

__device__ int rank_among_kept(bool keep) {
  __shared__ bool kept[kThreads];
  kept[threadIdx.x] = keep;
  __syncthreads();
  int rank = 0;
  for (unsigned other = 0; other < threadIdx.x; ++other) rank += kept[other] ? 1 : 0;
  return rank;
}

// How many the blocks before this one keep. Tells the next one of it and of this one's own, and has no fence.
__device__ int kept_before_block(bool keep, volatile int* told) {
  __shared__ int before;
  const int count = __syncthreads_count(keep);
  if (threadIdx.x == 0) {
    int sum = 1;  // 0 is what nobody has told yet
    if (blockIdx.x > 0)
      while ((sum = told[blockIdx.x - 1]) == 0) {
      }
    told[blockIdx.x] = sum + count;
    before = sum - 1;
  }
  __syncthreads();
  return before;
}

// What a block writes over has been read: the blocks before it could not have counted otherwise.
__global__ void selection_in_place(Buffers b) {
  const int value = b.out[blockIdx.x * kThreads + threadIdx.x];
  const bool keep = is_kept(value);
  const int rank = rank_among_kept(keep), before = kept_before_block(keep, b.flags);
  if (keep) b.out[before + rank] = value;
}

// Another array says who is kept, so that the count is told before the elements are read.
__global__ void selection_told_too_early(Buffers b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const bool keep = is_kept(b.in[i]);
  const int rank = rank_among_kept(keep), before = kept_before_block(keep, b.flags);
  const int value = b.out[i];  // racecheck: selection_told_too_early
  __syncthreads();
  if (keep) b.out[before + rank] = value;  // racecheck: selection_told_too_early
}

// To the end of the array, where later blocks have not read yet.
__global__ void selection_to_the_back(Buffers b) {
  const int value = b.out[blockIdx.x * kThreads + threadIdx.x];  // racecheck: selection_to_the_back
  const bool keep = is_kept(value);
  const int rank = rank_among_kept(keep), before = kept_before_block(keep, b.flags);
  if (keep) b.out[gridDim.x * kThreads - 1 - (before + rank)] = value;  // racecheck: selection_to_the_back
}

// What has been counted has been read, but what has been written may still be on its way.
__global__ void selection_read_by_the_next(Buffers b) {
  const unsigned t = threadIdx.x, i = blockIdx.x * kThreads + t;
  const bool keep = is_kept(b.in[i]);
  b.out[i] = keep ? 1 : 0;  // racecheck: selection_read_by_the_next
  const int before = kept_before_block(keep, b.flags);
  b.result[i] = before + (blockIdx.x > 0 ? b.out[i - kThreads] : 0);  // racecheck: selection_read_by_the_next
}

// Those before have read all that they want of the table; those behind may not have begun.
__global__ void selection_over_a_table(Buffers b) {
  const bool keep = is_kept(b.out[threadIdx.x]);  // racecheck: selection_over_a_table
  const int before = kept_before_block(keep, b.flags);
  if (threadIdx.x == 0 && blockIdx.x > 0) b.out[blockIdx.x] = before;  // racecheck: selection_over_a_table
}

// That a flag is set says nothing: the value may arrive after it.
__global__ void given_back_without_fence(Buffers b) {
  volatile int* is_free = b.flags;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    const int value = b.out[0];  // racecheck: given_back_without_fence
    *is_free = 1;
    *b.result = value;
  } else {
    while (*is_free == 0) {
    }
    b.out[0] = 7;  // racecheck: given_back_without_fence
  }
}

// Threads without work return early, from a function that the kernel ends with.
__device__ __noinline__ void share_unless_late(Buffers b) {
  __shared__ int values[kThreads];
  if (threadIdx.x >= 100) return;
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  b.out[blockIdx.x * kThreads + threadIdx.x] = values[99 - threadIdx.x];
}

__global__ void return_from_the_last_function(Buffers b) { share_unless_late(b); }

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
  int blocks, threads;
};
#define PATTERN(kernel, blocks, threads) \
  { #kernel, kernel, blocks, threads }
const Pattern kPatterns[] = {
    PATTERN(tree_reduction, kBlocks, kThreads),
    PATTERN(last_block, kBlocks, kThreads),
    PATTERN(warp_reduction, 1, 32),
    PATTERN(tiles_of_a_warp, 1, 32),
    PATTERN(chained_scan, 200, 32),
    PATTERN(grid_barrier, 8, 128),
    PATTERN(lock, 4, 64),
    PATTERN(swap_until_it_fits, 4, 64),
    PATTERN(flags_of_two_lanes, 1, 64),
    PATTERN(privatised_histogram, kBlocks, kThreads),
    PATTERN(bytes, kBlocks, kThreads),
    PATTERN(volatile_flag_in_shared, kBlocks, 64),
    PATTERN(copies_arrive, 2, kThreads),
    PATTERN(bulk_copy, 2, kThreads),
    PATTERN(bulk_copy_not_awaited, 2, kThreads),
    PATTERN(bulk_copies_in_turn, 2, kThreads),
    PATTERN(copies_in_stages, 2, kThreads),
    PATTERN(copies_to_and_fro, 2, kThreads),
    PATTERN(copies_not_awaited, 2, kThreads),
    PATTERN(own_copies_not_awaited, 2, kThreads),
    PATTERN(awaited_before_the_group_is_closed, 2, kThreads),
    PATTERN(one_group_too_few, 2, kThreads),
    PATTERN(one_group_too_few_between_barriers, 2, kThreads),
    PATTERN(awaited_behind_the_barrier, 2, kThreads),
    PATTERN(copied_over_what_is_read, 2, kThreads),
    PATTERN(no_barrier, 2, kThreads),
    PATTERN(no_second_barrier, 2, kThreads),
    PATTERN(no_syncwarp, 1, 32),
    PATTERN(barrier_of_the_tile_only, 1, 32),
    PATTERN(bins_without_atomics, 2, kThreads),
    PATTERN(sum_of_all_threads, 4, 64),
    PATTERN(neighbour_in_place, 4, kThreads),
    PATTERN(flag_without_fence, 2, 32),
    PATTERN(fence_before_the_others, 4, kThreads),
    PATTERN(plain_write_beside_atomics, 2, 64),
    PATTERN(barrier_in_each_branch, 2, kThreads),
    PATTERN(barrier_in_a_branch, 2, kThreads),
    PATTERN(barrier_in_one_of_two_branches, 2, kThreads),
    PATTERN(barrier_behind_a_return, 2, kThreads),
    PATTERN(mask_without_the_caller, 2, 32),
    PATTERN(early_return, 2, kThreads),
    PATTERN(barrier_in_the_last_branch, 2, kThreads),
    PATTERN(return_from_the_last_function, 2, kThreads),
    PATTERN(producer_and_consumer, 2, kThreads),
    PATTERN(own_copies_awaited, 2, kThreads),
    PATTERN(selection_in_place, 8, kThreads),
    PATTERN(selection_told_too_early, 8, kThreads),
    PATTERN(selection_to_the_back, 8, kThreads),
    PATTERN(selection_read_by_the_next, 8, kThreads),
    PATTERN(selection_over_a_table, 8, kThreads),
    PATTERN(given_back_without_fence, 2, 32),
};

}  // namespace

int main(int argc, char** argv) {
  for (const Pattern& pattern : kPatterns) {
    if (argc < 2) {
      std::printf("%s\n", pattern.name);
      continue;
    }
    if (std::strcmp(argv[1], pattern.name) != 0) continue;
    constexpr std::size_t kBytes = kBlocks * kThreads * sizeof(int);
    Buffers buffers{};
    for (int** buffer : {&buffers.in, &buffers.out, &buffers.flags, &buffers.result}) {
      cudaMalloc(buffer, kBytes);
      cudaMemset(*buffer, 0, kBytes);
    }
    void* arguments[] = {&buffers};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(pattern.kernel), dim3(pattern.blocks), dim3(pattern.threads),
                                arguments, 0, nullptr);
    const cudaError_t status = cudaDeviceSynchronize();
    for (int* buffer : {buffers.in, buffers.out, buffers.flags, buffers.result}) cudaFree(buffer);
    std::printf("%s: %s\n", pattern.name, cudaGetErrorName(status));
    return 0;
  }
  return argc < 2 ? 0 : 1;
}
