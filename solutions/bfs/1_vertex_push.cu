// Step 1 of bfs: in every level, every vertex checks whether it is its turn.
// Idea      level by level, one thread per vertex. Threads whose vertex is at distance `level` give level + 1 to its
//           unreached neighbours. A word tells the host whether any vertex was found, and so whether to launch another
//           level.
// Gain      the yardstick of the ladder. On an H200, 88 ms for the social network (race: R-MAT, 2^23 vertices, about
//           seven levels) and 440 ms for the map (race, lattice: 2^24 vertices, 7,300 levels of 61 microseconds).
// Traffic   4 bytes per vertex and level to check its distance; once per edge, 4 bytes for its column and a sector of
//           32 for the distance there; 8 bytes of row offsets per vertex.
// Wastes    levels x vertices: on a map with thousands of levels, nearly all threads find that it is not their turn.
//           Counter: warp instructions. A warp takes as long as its longest list, often with a single lane at work:
//           active lanes. And a level takes as long as the longest list of all, which one thread walks, one load after
//           another. On the social network that list has some 258,000 edges: 88 ms would be a third of a microsecond
//           per edge, which two dependent loads may well take.
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

__global__ void push_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, int num_vertices,
                            std::int32_t level, std::int32_t* distance, std::int32_t* found_any) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);  // 0 ... num_vertices - 1, idle beyond
  if (v >= num_vertices || read_word(distance[v]) != level) return;
  bool found = false;
  for (std::int32_t e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
    const std::int32_t u = columns[e];
    if (read_word(distance[u]) == kUnreached) {
      write_word(distance[u], level + 1);  // others may do the same at the same time: the same value
      found = true;
    }
  }
  if (found) write_word(*found_any, 1);
}

}  // namespace

void bfs(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, int num_vertices, int num_edges, int source,
         std::int32_t* d_distance) {
  CHECK(pool::keep_freed_memory());
  pool::Scratch<std::int32_t> d_found_any;
  CHECK(d_found_any.allocate(1));
  const int blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<blocks, kThreadsPerBlock>>>(d_distance, num_vertices, source);
  CHECK(cudaGetLastError());
  std::int32_t found_any = 1;
  for (std::int32_t level = 0; found_any != 0; ++level) {
    CHECK(cudaMemsetAsync(d_found_any.get(), 0, sizeof(found_any)));
    push_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, num_vertices, level, d_distance,
                                              d_found_any.get());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&found_any, d_found_any.get(), sizeof(found_any), cudaMemcpyDeviceToHost));  // waits for the level
  }
}
