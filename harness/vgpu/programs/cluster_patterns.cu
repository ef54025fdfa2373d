// Ways in which blocks of a cluster use each other's shared memory, right ones and wrong ones, each a kernel.
// Usage: cluster_patterns NAME
// A line that ends in "CHECKER: NAME" is where that checker must report that pattern: at one of the lines at least (a
// race has two sides), and nowhere else.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 64;
constexpr int kBlocks = 8;
constexpr int kSize = 4;  // blocks of a cluster

struct Buffers {
  int* out;    // zeros
  int* flags;  // zeros
};

__device__ int place() { return blockIdx.x * kThreads + threadIdx.x; }

/// The same array of the next block of the cluster.
__device__ int* of_next(int* array) {
  const cg::cluster_group cluster = cg::this_cluster();
  return cluster.map_shared_rank(array, (cluster.block_rank() + 1) % cluster.num_blocks());
}

// --- right ---

__global__ void read_between_barriers(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = place();
  cg::this_cluster().sync();
  b.out[place()] = of_next(tile)[kThreads - 1 - threadIdx.x];
  cg::this_cluster().sync();
}

__global__ void written_between_barriers(Buffers b) {
  __shared__ int tile[kThreads];
  cg::this_cluster().sync();
  for (int round = 0; round < 3; ++round) {
    of_next(tile)[threadIdx.x] = round + place();
    cg::this_cluster().sync();
    b.out[place()] += tile[kThreads - 1 - threadIdx.x];
    cg::this_cluster().sync();
  }
}

__global__ void counted_by_all(Buffers b) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  cg::this_cluster().sync();
  atomicAdd(cg::this_cluster().map_shared_rank(&count, 0), 1);
  cg::this_cluster().sync();
  if (threadIdx.x == 0) b.out[blockIdx.x] = *cg::this_cluster().map_shared_rank(&count, 0);
  cg::this_cluster().sync();
}

__global__ void arrived_early(Buffers b) {
  __shared__ int tile[kThreads], own[kThreads];
  tile[threadIdx.x] = place();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  own[threadIdx.x] = 1;  // nobody else's business, be it before or after
  __syncthreads();
  const int sum = own[kThreads - 1 - threadIdx.x];
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  b.out[place()] = sum + of_next(tile)[threadIdx.x];
  cg::this_cluster().sync();
}

// The first thread of each block tells the next one, at its mbarrier, that the tile there is complete.
__global__ void told_by_an_mbarrier(Buffers b) {
  __shared__ int tile[kThreads];
  __shared__ alignas(8) unsigned long long bar;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  const unsigned next = (cg::this_cluster().block_rank() + 1) % kSize;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  cg::this_cluster().sync();
  of_next(tile)[threadIdx.x] = place();
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(at),
      "r"(next)
      : "memory");
  int is_done = 0;
  while (is_done == 0)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, "
        "p;\n}"
        : "=r"(is_done)
        : "r"(at)
        : "memory");
  b.out[place()] = tile[kThreads - 1 - threadIdx.x];
  cg::this_cluster().sync();
}

// --- wrong: blocks that do not wait for each other ---

__global__ void read_before_the_barrier(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = 0;
  cg::this_cluster().sync();
  tile[threadIdx.x] = place();  // racecheck: read_before_the_barrier
  __syncthreads();
  b.out[place()] = of_next(tile)[threadIdx.x];  // racecheck: read_before_the_barrier
  cg::this_cluster().sync();
}

__global__ void overwritten_too_early(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = place();
  cg::this_cluster().sync();
  b.out[place()] = of_next(tile)[threadIdx.x];  // racecheck: overwritten_too_early
  __syncthreads();
  tile[threadIdx.x] = 0;  // racecheck: overwritten_too_early
  cg::this_cluster().sync();
}

__global__ void two_write_one_place(Buffers b) {
  __shared__ int last;
  cg::this_cluster().sync();
  if (threadIdx.x == 0) *cg::this_cluster().map_shared_rank(&last, 0) = place();  // racecheck: two_write_one_place
  cg::this_cluster().sync();
  if (threadIdx.x == 0) b.out[blockIdx.x] = *cg::this_cluster().map_shared_rank(&last, 0);
  cg::this_cluster().sync();
}

__global__ void arrived_relaxed(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = place();  // racecheck: arrived_relaxed
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  b.out[place()] = of_next(tile)[threadIdx.x];  // racecheck: arrived_relaxed
  cg::this_cluster().sync();
}

__global__ void changed_beside_atomics(Buffers b) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  cg::this_cluster().sync();
  atomicAdd(cg::this_cluster().map_shared_rank(&count, 1), 1);                      // racecheck: changed_beside_atomics
  if (threadIdx.x == 0 && cg::this_cluster().block_rank() == 1) count = count + 1;  // racecheck: changed_beside_atomics
  cg::this_cluster().sync();
  if (threadIdx.x == 0) b.out[blockIdx.x] = count;
}

// --- wrong: a block that may end while another one is in its shared memory ---

__global__ void no_barrier_at_the_end(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = place();
  cg::this_cluster().sync();
  // The others' reads are over when all have arrived; but that order is not passed on.
  b.out[place()] = of_next(tile)[threadIdx.x];  // racecheck: no_barrier_at_the_end
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void read_when_it_has_ended(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = place();
  cg::this_cluster().sync();
  const int rank = cg::this_cluster().block_rank();
  if (rank == 0 && threadIdx.x == 0) atomicExch(b.flags + blockIdx.x / kSize * 32, 1);
  if (rank != kSize - 1) return;
  if (threadIdx.x == 0)
    while (atomicAdd(b.flags + blockIdx.x / kSize * 32, 0) == 0) __nanosleep(100);
  __syncthreads();
  for (int n = 0; n < 2000; ++n) __nanosleep(1000);
  b.out[place()] = of_next(tile)[threadIdx.x];  // memcheck: read_when_it_has_ended
}

// --- wrong: outside of what is there ---

__global__ void past_the_end_of_anothers_array(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = place();
  cg::this_cluster().sync();
  b.out[place()] = of_next(tile)[threadIdx.x + 1];  // memcheck: past_the_end_of_anothers_array
  cg::this_cluster().sync();
}

__global__ void a_rank_too_high(Buffers b) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = place();
  cg::this_cluster().sync();
  const int next = cg::this_cluster().block_rank() + 1;
  b.out[place()] = cg::this_cluster().map_shared_rank(tile, next)[threadIdx.x];  // memcheck: a_rank_too_high
  cg::this_cluster().sync();
}

__global__ void what_nobody_wrote(Buffers b) {
  __shared__ int tile[kThreads];
  if (threadIdx.x != 5) tile[threadIdx.x] = place();
  cg::this_cluster().sync();
  b.out[place()] = of_next(tile)[threadIdx.x];  // initcheck: what_nobody_wrote
  cg::this_cluster().sync();
}

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
};

#define PATTERN(kernel) \
  { #kernel, kernel }
const Pattern kPatterns[] = {
    PATTERN(read_between_barriers),
    PATTERN(written_between_barriers),
    PATTERN(counted_by_all),
    PATTERN(arrived_early),
    PATTERN(told_by_an_mbarrier),
    PATTERN(read_before_the_barrier),
    PATTERN(overwritten_too_early),
    PATTERN(two_write_one_place),
    PATTERN(arrived_relaxed),
    PATTERN(changed_beside_atomics),
    PATTERN(no_barrier_at_the_end),
    PATTERN(read_when_it_has_ended),
    PATTERN(past_the_end_of_anothers_array),
    PATTERN(a_rank_too_high),
    PATTERN(what_nobody_wrote),
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
    for (int** buffer : {&buffers.out, &buffers.flags}) {
      cudaMalloc(buffer, kBytes);
      cudaMemset(*buffer, 0, kBytes);
    }
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = kSize;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(kBlocks);
    config.blockDim = dim3(kThreads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, pattern.kernel, buffers);
    const cudaError_t status = cudaDeviceSynchronize();
    for (int* buffer : {buffers.out, buffers.flags}) cudaFree(buffer);
    std::printf("%s: %s\n", pattern.name, cudaGetErrorName(status));
    return 0;
  }
  return argc < 2 ? 0 : 1;
}
