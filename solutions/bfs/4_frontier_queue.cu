// Step 4 of bfs: only the frontier is at work.
// Idea      vertices found in one level are put into a queue; the next level has one thread for each of them, and none
//           for any other vertex. atomicCAS on the distance decides who found a vertex, so that it is queued once.
// Gain      every vertex and every edge is processed once, not once per level: warp instructions fall to a fifth of
//           step 1's with five levels (`skewed`), to a twenty-seventh with 150 (`degree 4`). In time on an H200: x 2.7
//           over step 1 on the map (160 ms), x 0.81 on the social network (109 ms, eight times as long as step 3).
//           With few levels there is little to save, and one thread still walks the largest hub's list, now with a swap
//           and an addition for each vertex that it finds, and waits for the results of both.
// Traffic   16 bytes per vertex (8 through the queue, 8 of row offsets), 36 per stored edge.
// Wastes    lists of unequal length: 17 active lanes with hubs (`skewed`), 24 without (`degree 4`). No counter shows
//           that a level takes as long as its longest list. One counter for all: every vertex found is an atomic
//           addition to the same word, except that nvcc combines those that lanes of a warp make at the same time.
//           Counter: turns of global atomics. A launch and a copy per level remain: 22 microseconds on the map.
#include "bfs.cuh"

#include <cuda/atomic>
#include <utility>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

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
  const int i = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);  // 0 ... frontier_size - 1, idle beyond
  if (i >= frontier_size) return;
  const std::int32_t v = frontier[i];
  for (std::int32_t e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
    const std::int32_t u = columns[e];
    if (read_word(distance[u]) != kUnreached) continue;  // a look is cheaper than a swap
    if (atomicCAS(&distance[u], kUnreached, level + 1) == kUnreached) next[atomicAdd(next_size, 1)] = u;
  }
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
