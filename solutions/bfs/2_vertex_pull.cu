// Step 2 of bfs: unreached vertices look for a neighbour that has been reached.
// Idea      the same edges from their other end. A vertex without a distance searches its list for a neighbour at
//           distance `level`. It stops at the first one, and no other thread sets its distance.
// Gain      x 1.03 on an H200 on the social network (85 ms), x 0.47 on the map (950 ms). Every distance is written
//           once, by its own thread: sectors of global stores. Where most of a graph is found within a level or two,
//           most lists are left after a few edges; but in the levels before that, the threads of large hubs search
//           their entire lists in vain, which probably takes as long as in step 1.
// Traffic   4 bytes per vertex and level; 8 of row offsets for each unreached vertex, and 36 for each edge examined.
// Wastes    vertices far from the frontier search all of their edges in vain, level after level: warp instructions and
//           sectors of global loads double (`skewed`), and with 150 levels there are twenty times as many sectors
//           (`degree 4`).
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

__global__ void pull_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, int num_vertices,
                            std::int32_t level, std::int32_t* distance, std::int32_t* found_any) {
  const int v = static_cast<int>(blockIdx.x * kThreadsPerBlock + threadIdx.x);  // 0 ... num_vertices - 1, idle beyond
  if (v >= num_vertices || read_word(distance[v]) != kUnreached) return;
  for (std::int32_t e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
    if (read_word(distance[columns[e]]) == level) {
      write_word(distance[v], level + 1);  // v is its own thread's alone; others may be reading it
      write_word(*found_any, 1);
      return;
    }
  }
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
    pull_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, num_vertices, level, d_distance,
                                              d_found_any.get());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&found_any, d_found_any.get(), sizeof(found_any), cudaMemcpyDeviceToHost));  // waits for the level
  }
}
