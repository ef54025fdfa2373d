// Threads that wait for each other by spinning: in ways that never end, and in ways that do. Usage: endless_waits NAME
// A line that ends in "spins: NAME" is where the report of that kernel must have its threads spin, one that ends in
// "waits: NAME" where it must have others wait. What has no such line ends; `right` runs all of these.
#include <cooperative_groups.h>

#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <cuda/atomic>
#include <thread>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 96;

struct Buffers {
  int* flags;      // zeros
  int* values;     // zeros
  int* host_flag;  // zero, in memory that the host can write to
};

__device__ int load_acquire(const int* at) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(at));  // spins: acquired_with_back_off
  return value;
}

// --- that never end ---

__global__ void lanes_of_a_warp(Buffers b) {
  volatile int* flag = b.flags;
  if (threadIdx.x == 0) {
    while (*flag == 0) {  // spins: lanes_of_a_warp
    }
  } else {
    __syncthreads();  // waits: lanes_of_a_warp
    if (threadIdx.x == 1) *flag = 1;
  }
}

__global__ void warps_of_a_block(Buffers b) {
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (ready == 0) {  // spins: warps_of_a_block
    }
  }
  __syncthreads();  // waits: warps_of_a_block
  if (threadIdx.x == 40) ready = 1;
  b.values[threadIdx.x] = ready;
}

__global__ void barrier_of_all_blocks_but_one(Buffers b) {
  if (blockIdx.x == 2) return;
  if (threadIdx.x == 0) {
    atomicAdd(b.flags, 1);
    while (atomicAdd(b.flags, 0) < gridDim.x) {  // spins: barrier_of_all_blocks_but_one
    }
  }
  __syncthreads();  // waits: barrier_of_all_blocks_but_one
}

__global__ void more_blocks_than_there_is_room_for(Buffers b) {
  if (threadIdx.x == 0) {
    atomicAdd(b.flags, 1);
    while (*(volatile int*)b.flags < 3000) {  // spins: more_blocks_than_there_is_room_for
    }
  }
  __syncthreads();  // waits: more_blocks_than_there_is_room_for
}

__global__ void lock_held_at_a_barrier(Buffers b) {
  if (threadIdx.x % 32 == 0)
    while (atomicCAS(b.flags, 0, 1) != 0) {  // spins: lock_held_at_a_barrier
    }
  __syncthreads();  // waits: lock_held_at_a_barrier
  if (threadIdx.x % 32 == 0) atomicExch(b.flags, 0);
}

__global__ void lock_never_released(Buffers b) {
  if (threadIdx.x != 0) return;
  while (atomicExch(b.flags, 1) != 0) {  // spins: lock_never_released
  }
  ++b.values[0];
}

__global__ void acquired_with_back_off(Buffers b) {
  if (threadIdx.x == 0) {
    unsigned nanoseconds = 8;
    while (load_acquire(b.flags + 7) == 0) {
      __nanosleep(nanoseconds);
      if (nanoseconds < 256) nanoseconds *= 2;
    }
  }
  __syncwarp();  // waits: acquired_with_back_off
  b.flags[7] = 1;
}

__global__ void counted_without_a_bound(Buffers b) {
  int spins = 0;
  while (*(volatile int*)b.flags == 0) ++spins;  // spins: counted_without_a_bound
  b.values[threadIdx.x] = spins;
  b.flags[0] = 1;
}

__global__ void warps_that_vote(Buffers b) {
  volatile int* flags = b.flags;
  while (!__all_sync(0xFFFFFFFF, flags[threadIdx.x % 32] != 0)) {  // spins: warps_that_vote
  }
  flags[threadIdx.x % 32] = 1;
}

__global__ void each_waits_for_the_other(Buffers b) {
  volatile int* flags = b.flags;
  if (threadIdx.x == 0) {
    while (flags[1 - blockIdx.x] == 0) {  // spins: each_waits_for_the_other
    }
    flags[blockIdx.x] = 1;
  }
  __syncthreads();  // waits: each_waits_for_the_other
}

__global__ void look_back_without_a_first(Buffers b) {
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device> before(b.flags[block]), own(b.flags[block + 1]);
    int sum;
    while ((sum = before.load(cuda::memory_order_acquire)) == 0) {  // spins: look_back_without_a_first
    }
    own.store(sum + 1, cuda::memory_order_release);
  }
  __syncthreads();  // waits: look_back_without_a_first
}

__global__ void list_with_a_ring(Buffers b) {
  const volatile int* next = b.values + 1000;  // all zeros: it comes back to 0
  int at = threadIdx.x;
  while (at != -1) at = next[at];  // spins: list_with_a_ring
  b.values[threadIdx.x] = at;
}

__global__ void grid_without_a_block(Buffers) {
  if (blockIdx.x != 1) cg::this_grid().sync();  // waits: grid_without_a_block
}

__device__ bool phase_has_ended(const unsigned long long* barrier) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  unsigned ended;
  asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
               : "=r"(ended)
               : "r"(at)  // spins: lost_arrival
               : "memory");
  return ended != 0;
}

__device__ void init_barrier(const unsigned long long* barrier, unsigned threads) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(threads) : "memory");
  __syncthreads();
}

__device__ void arrive_at(const unsigned long long* barrier) {
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
}

__global__ void lost_arrival(Buffers) {
  __shared__ unsigned long long barrier;
  init_barrier(&barrier, kThreads);
  if (threadIdx.x != 5) arrive_at(&barrier);
  if (threadIdx.x < 32) {
    while (!phase_has_ended(&barrier)) {  // spins: lost_arrival
    }
  }
  __syncthreads();  // waits: lost_arrival
}

// --- that end ---

__global__ void memory_barrier_after_long_work(Buffers b) {
  __shared__ unsigned long long barrier;
  init_barrier(&barrier, kThreads);
  if (threadIdx.x >= 32)
    for (int n = 0; n < 2000; ++n) atomicAdd(b.values + threadIdx.x, n);
  arrive_at(&barrier);
  while (!phase_has_ended(&barrier)) {
  }
  b.values[threadIdx.x] += b.values[threadIdx.x ^ 1];
}

// The third block is to be heard, although the others always have something to do.
__global__ void looks_at_two_places(Buffers b) {
  __shared__ volatile int own;
  own = 0;
  __syncthreads();
  volatile int* flags = b.flags;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 2) {
    while (flags[8] == 0 && own == 0) {
    }
    flags[16] = 1;
    return;
  }
  for (int n = 1; flags[16] == 0; ++n) {
    if (n == 50) flags[8] = 1;
    flags[4 * blockIdx.x] = n;
    while (flags[16] == 0 && flags[4 - 4 * blockIdx.x] < n) {
    }
  }
}

// One warp gives up waiting, and only then does what the other one waits for.
__global__ void memory_barrier_given_up(Buffers b) {
  __shared__ unsigned long long barrier;
  init_barrier(&barrier, kThreads);
  volatile int* flag = b.flags + blockIdx.x;
  if (threadIdx.x < 32) {
    for (int n = 0; n < 300 && !phase_has_ended(&barrier); ++n) {
    }
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
  }
}

__global__ void tickets(Buffers b) {
  __shared__ int ticket;
  if (threadIdx.x == 0) {
    ticket = atomicAdd(b.flags + 1, 1);
    while (*(volatile int*)b.flags != ticket) {
    }
  }
  __syncthreads();
  b.values[threadIdx.x] += ticket;
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 0) atomicAdd(b.flags, 1);
}

__global__ void look_back(Buffers b) {
  if (threadIdx.x != 0) return;
  volatile int* sums = b.flags;
  int before = 0;
  if (blockIdx.x > 0)
    while ((before = sums[blockIdx.x - 1]) == 0) {
    }
  __threadfence();
  sums[blockIdx.x] = before + 1;
}

__global__ void lanes_with_a_lock(Buffers b) {
  bool done = false;
  while (!done) {
    if (atomicCAS(b.flags, 0, 1) == 0) {
      __threadfence();
      ++*(volatile int*)b.values;
      __threadfence();
      atomicExch(b.flags, 0);
      done = true;
    }
  }
}

__global__ void ring_of_two_warps(Buffers b) {
  __shared__ volatile int full, empty, slot;
  if (threadIdx.x == 0) full = empty = 0;
  __syncthreads();
  for (int n = 1; n <= 300; ++n) {
    if (threadIdx.x == 0) {
      while (empty != n - 1) {
      }
      slot = n;
      __threadfence_block();
      full = n;
    }
    if (threadIdx.x == 32) {
      while (full != n) __nanosleep(20);
      b.values[0] += slot;
      __threadfence_block();
      empty = n;
    }
  }
}

__global__ void grid_that_meets(Buffers b) {
  for (int n = 0; n < 20; ++n) {
    if (threadIdx.x == 0) b.values[blockIdx.x] += n;
    cg::this_grid().sync();
  }
}

__global__ void queue(Buffers b) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(b.flags, 1);
    __syncthreads();
    if (item >= 400) return;
    atomicAdd(b.values + item % 7, 1);
    __syncthreads();
  }
}

__global__ void spins_with_a_bound(Buffers b) {
  int spins = 0;
  while (*(volatile int*)b.flags == 0 && spins < 30000) ++spins;
  b.values[threadIdx.x] = spins;
}

__global__ void spins_for_a_time(Buffers b) {
  const long long begin = clock64();
  while (*(volatile int*)b.flags == 0 && clock64() - begin < 200000) {
  }
}

__global__ void waits_for_long_work(Buffers b) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 1) {
    while (load_acquire(b.flags) == 0) __nanosleep(100);
    return;
  }
  unsigned at = 1;
  for (int n = 0; n < 400000; ++n) at = at * 1664525 + 1013904223 + *(volatile int*)(b.values + (at >> 28));
  b.values[50] = static_cast<int>(at);
  __threadfence();
  atomicExch(b.flags, 1);
}

__global__ void in_waves(Buffers b) {  // each waits for one that began before it: more blocks than there is room for
  if (threadIdx.x != 0) return;
  const int ticket = atomicAdd(b.flags, 1);
  volatile int* done = b.values;
  if (ticket >= 64)
    while (done[ticket - 64] == 0) {
    }
  __threadfence();
  done[ticket] = 1;
}

__global__ void long_list(Buffers b) {
  if (threadIdx.x == 0)
    for (int n = 0; n < 20000; ++n) b.values[n] = n + 1 < 20000 ? (n * 7 + 7) % 20000 : -1;
  __syncthreads();
  const volatile int* next = b.values;
  int steps = 0;
  for (int at = 0; at != -1 && steps < 20000; at = next[at]) ++steps;
  b.flags[threadIdx.x] = steps;
}

__global__ void waits_for_the_host(Buffers b) {
  while (*(volatile int*)b.host_flag == 0) {
  }
}

// Each call waits for another value, in a frame that lies where the last one did.
__device__ __noinline__ void wait_for(volatile int* turn, int value) {
  while (*turn != value) {
  }
}

__global__ void waits_in_calls(Buffers b) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  const int me = static_cast<int>(threadIdx.x) / 32;
  for (int round = 0; round < 500; ++round) {
    wait_for(&turn, 2 * round + me);
    __syncwarp();
    if (threadIdx.x % 32 == 0) turn = 2 * round + me + 1;
    __syncwarp();
  }
  b.values[threadIdx.x] = turn;
}

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
  int blocks, threads;
  bool ends;
};

#define PATTERN(name, blocks, threads, ends) \
  { #name, name, blocks, threads, ends }

constexpr Pattern kPatterns[] = {
    PATTERN(lanes_of_a_warp, 1, 32, false),
    PATTERN(warps_of_a_block, 3, kThreads, false),
    PATTERN(barrier_of_all_blocks_but_one, 6, kThreads, false),
    PATTERN(more_blocks_than_there_is_room_for, 3000, 1024, false),
    PATTERN(lock_held_at_a_barrier, 2, kThreads, false),
    PATTERN(lock_never_released, 5, kThreads, false),
    PATTERN(acquired_with_back_off, 2, 32, false),
    PATTERN(counted_without_a_bound, 2, 64, false),
    PATTERN(warps_that_vote, 2, 64, false),
    PATTERN(each_waits_for_the_other, 2, kThreads, false),
    PATTERN(look_back_without_a_first, 9, kThreads, false),
    PATTERN(list_with_a_ring, 2, 64, false),
    PATTERN(grid_without_a_block, 3, kThreads, false),
    PATTERN(lost_arrival, 2, kThreads, false),
    PATTERN(memory_barrier_after_long_work, 1, kThreads, true),
    PATTERN(memory_barrier_given_up, 2, kThreads, true),
    PATTERN(looks_at_two_places, 3, 32, true),
    PATTERN(tickets, 60, kThreads, true),
    PATTERN(look_back, 700, 32, true),
    PATTERN(lanes_with_a_lock, 3, 64, true),
    PATTERN(ring_of_two_warps, 2, 64, true),
    PATTERN(grid_that_meets, 40, kThreads, true),
    PATTERN(queue, 12, kThreads, true),
    PATTERN(spins_with_a_bound, 2, 64, true),
    PATTERN(spins_for_a_time, 2, 64, true),
    PATTERN(waits_for_long_work, 30, 32, true),
    PATTERN(in_waves, 4000, 32, true),
    PATTERN(long_list, 1, 64, true),
    PATTERN(waits_in_calls, 1, 64, true),
    PATTERN(waits_for_the_host, 2, 32, true),
};

cudaError_t status_of(const Pattern& pattern) {
  constexpr std::size_t kBytes = 1 << 17;
  Buffers buffers{};
  cudaMalloc(&buffers.flags, kBytes);
  cudaMalloc(&buffers.values, kBytes);
  cudaMallocHost(&buffers.host_flag, sizeof(int));
  cudaMemset(buffers.flags, 0, kBytes);
  cudaMemset(buffers.values, 0, kBytes);
  *buffers.host_flag = 0;
  std::thread host([&] {
    if (pattern.kernel == waits_for_the_host) usleep(100000);
    *const_cast<volatile int*>(buffers.host_flag) = 1;
  });
  void* arguments[] = {&buffers};
  if (pattern.blocks > 1000)
    cudaLaunchKernel(reinterpret_cast<void*>(pattern.kernel), dim3(pattern.blocks), dim3(pattern.threads), arguments, 0,
                     nullptr);
  else
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(pattern.kernel), dim3(pattern.blocks), dim3(pattern.threads),
                                arguments, 0, nullptr);
  const cudaError_t status = cudaDeviceSynchronize();
  host.join();
  cudaFree(buffers.flags);
  cudaFree(buffers.values);
  cudaFreeHost(buffers.host_flag);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Pattern& pattern : kPatterns) {
    if (argc < 2) std::printf("%s\n", pattern.name);
    if (argc < 2 || (std::strcmp(argv[1], pattern.name) != 0 && !(pattern.ends && std::strcmp(argv[1], "right") == 0)))
      continue;
    std::printf("%s: %s\n", pattern.name, cudaGetErrorName(status_of(pattern)));
  }
  return 0;
}
