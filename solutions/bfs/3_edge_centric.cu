// Step 3 of bfs: one thread for every stored edge.
// Idea      an edge is the same amount of work for every thread, whichever vertex it belongs to. Besides the column, a
//           thread needs the vertex that its edge starts from: stored once per edge, after a binary search in the row
//           offsets.
// Gain      x 6.4 over step 1 on an H200 on the social network (13.8 ms): no thread has an entire list to itself, and
//           active lanes rise to nearly 32. Neighbouring threads read neighbouring edges: less than half the sectors
//           of global loads of step 2 where levels are few (`skewed`). On the map x 0.29 (1.52 s, the slowest of all):
//           see Wastes.
// Traffic   per edge and level, 4 bytes for its start and a sector for the distance there. Once per edge, 4 more bytes
//           of memory, and log2(vertices) probes to fill them.
// Wastes    levels x edges instead of levels x vertices: the more edges per vertex, the more instructions. Where levels
//           are many and lists short, there was nothing to fix: 208 microseconds per level of the map, in which all
//           edges are read for the sake of a few thousand. Counter: warp instructions of `degree 4`.
#include "bfs.cuh"

#include <cuda/atomic>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

// Some threads read a distance while others set it, so such words are read and written atomically. Relaxed order is
// enough, since no thread infers anything about other memory from them.
using Word = cuda::atomic_ref<std::int32_t, cuda::thread_scope_device>;
__device__ std::int32_t read_word(std::int32_t& word) { return Word(word).load(cuda::memory_order_relaxed); }
__device__ void write_word(std::int32_t& word, std::int32_t value) {
  Word(word).store(value, cuda::memory_order_relaxed);
}

__global__ void begin_kernel(std::int32_t* distance, int num_vertices, int source) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  if (v < num_vertices) distance[v] = v == source ? 0 : kUnreached;
}

// Finds the last vertex whose list begins at or before edge e: the one that the edge belongs to. (The list of a vertex
// without edges begins where the next list does, and that vertex comes first.)
__global__ void starts_kernel(const std::int32_t* row_offsets, int num_vertices, int num_edges, std::int32_t* starts) {
  const int e = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);
  if (e >= num_edges) return;
  int low = 0;
  int high = num_vertices - 1;
  while (low < high) {  // the answer is in [low, high]
    const int middle = low + (high - low + 1) / 2;
    if (row_offsets[middle] <= e)
      low = middle;
    else
      high = middle - 1;
  }
  starts[e] = low;
}

__global__ void edge_kernel(const std::int32_t* starts, const std::int32_t* columns, int num_edges, std::int32_t level,
                            std::int32_t* distance, std::int32_t* found_any) {
  const int e = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);  // 0 ... num_edges - 1, idle beyond
  if (e >= num_edges || read_word(distance[starts[e]]) != level) return;
  const std::int32_t u = columns[e];
  if (read_word(distance[u]) == kUnreached) {
    write_word(distance[u], level + 1);  // others may do the same at the same time: the same value
    write_word(*found_any, 1);
  }
}

}  // namespace

void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  CHECK(pool::keep_freed_memory());
  const int vertex_blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<vertex_blocks, kThreadsPerBlock>>>(d_distance, num_vertices, source);
  CHECK(cudaGetLastError());
  if (num_edges == 0) return;  // a grid of no blocks is an error

  pool::Scratch<std::int32_t> d_found_any;
  CHECK(d_found_any.allocate(1));
  pool::Scratch<std::int32_t> d_starts;  // num_edges
  CHECK(d_starts.allocate(static_cast<std::size_t>(num_edges)));
  const int blocks = (num_edges + kThreadsPerBlock - 1) / kThreadsPerBlock;
  starts_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, num_vertices, num_edges, d_starts.get());
  CHECK(cudaGetLastError());
  std::int32_t found_any = 1;
  for (std::int32_t level = 0; found_any != 0; ++level) {
    CHECK(cudaMemsetAsync(d_found_any.get(), 0, sizeof(found_any)));
    edge_kernel<<<blocks, kThreadsPerBlock>>>(d_starts.get(), d_columns, num_edges, level, d_distance,
                                              d_found_any.get());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&found_any, d_found_any.get(), sizeof(found_any), cudaMemcpyDeviceToHost));  // waits for the level
  }
}
