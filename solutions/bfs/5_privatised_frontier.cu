// Step 5 of bfs: a queue for every block, in shared memory.
// Idea      the threads of a block collect what they find in a private queue. At the end one of them reserves as many
//           places in the next frontier as are needed, and all copy. Vertices that find the queue full go there
//           directly.
// Gain      in counters: one addition to the common word per block instead of one per vertex. Turns of global atomics
//           fall, where no queue overflows to little more than those of the swaps; and so do sectors of stores, since
//           neighbouring threads write neighbouring places. In time, none on an H200: x 0.92 on the social network
//           (119 ms), x 0.95 on the map (172 ms). Step 4 does not wait for its additions: on the map, a level finds few
//           vertices and is mostly launch and copy; on the network, one thread has a hub's list. Once a hub has filled
//           its block's queue, every further vertex costs two additions, one of them in vain.
// Traffic   as in step 4: 16 bytes per vertex, 36 per stored edge.
// Wastes    three barriers per block, and lists of unequal length: while one lane works through a hub, its warp and its
//           block wait. Counters: warp instructions rise by a sixth; active lanes stay where they were.
#include "bfs.cuh"

#include <cuda/atomic>
#include <utility>

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kQueueItems = 6144;  // of a block: 24 KiB
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert(kQueueItems * sizeof(std::int32_t) <= 28 * 1024,
              "eight blocks of 256 threads fit a multiprocessor's 228 KiB");

// Some threads read a distance while others set it, so such words are read and written atomically. Relaxed order is
// enough, since no thread infers anything about other memory from them.
using Word = cuda::atomic_ref<std::int32_t, cuda::thread_scope_device>;
__device__ std::int32_t read_word(std::int32_t& word) { return Word(word).load(cuda::memory_order_relaxed); }

// The first frontier is the source alone.
__global__ void begin_kernel(std::int32_t* distance, int num_vertices, int source, std::int32_t* frontier) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  if (v < num_vertices) distance[v] = v == source ? 0 : kUnreached;
  if (v == 0) frontier[0] = source;
}

__global__ void expand_kernel(const std::int32_t* row_offsets, const std::int32_t* columns,
                              const std::int32_t* frontier, int frontier_size, std::int32_t level,
                              std::int32_t* distance, std::int32_t* next, std::int32_t* next_size) {
  __shared__ std::int32_t queue[kQueueItems];
  __shared__ int queue_size;  // how many wanted a place: may be more than there are
  __shared__ int first;       // where the block's vertices go in `next`
  if (threadIdx.x == 0) queue_size = 0;
  __syncthreads();

  const int i = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);  // 0 ... frontier_size - 1, idle beyond
  if (i < frontier_size) {  // no return: those without a vertex copy, too
    const std::int32_t v = frontier[i];
    for (std::int32_t e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
      const std::int32_t u = columns[e];
      if (read_word(distance[u]) != kUnreached) continue;  // a look is cheaper than a swap
      if (atomicCAS(&distance[u], kUnreached, level + 1) != kUnreached) continue;
      const int place = atomicAdd(&queue_size, 1);
      if (place < kQueueItems)
        queue[place] = u;
      else
        next[atomicAdd(next_size, 1)] = u;
    }
  }
  __syncthreads();  // the queue is complete
  const int count = min(queue_size, kQueueItems);
  if (threadIdx.x == 0 && count > 0) first = atomicAdd(next_size, count);
  __syncthreads();  // `first` is known
  for (int x = static_cast<int>(threadIdx.x); x < count; x += kThreadsPerBlock) next[first + x] = queue[x];
}

}  // namespace

void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::int32_t> d_next_size;
  pool::Scratch<std::int32_t> d_frontier;  // num_vertices: every vertex is found once
  pool::Scratch<std::int32_t> d_next;      // likewise
  CHECK(d_next_size.allocate(1));
  CHECK(d_frontier.allocate(static_cast<std::size_t>(num_vertices)));
  CHECK(d_next.allocate(static_cast<std::size_t>(num_vertices)));
  const int blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<blocks, kThreadsPerBlock>>>(d_distance, num_vertices, source, d_frontier.get());
  CHECK(cudaGetLastError());
  std::int32_t frontier_size = 1;
  for (std::int32_t level = 0; frontier_size != 0; ++level) {
    CHECK(cudaMemsetAsync(d_next_size.get(), 0, sizeof(frontier_size)));
    const int level_blocks = (frontier_size + kThreadsPerBlock - 1) / kThreadsPerBlock;
    expand_kernel<<<level_blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_frontier.get(), frontier_size, level,
                                                      d_distance, d_next.get(), d_next_size.get());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&frontier_size, d_next_size.get(), sizeof(frontier_size), cudaMemcpyDeviceToHost));
    std::swap(d_frontier, d_next);
  }
}
