// expect: bfs: wrong
// All levels in one launch, with a barrier of the block between them: blocks do not wait for one another. Atomic
// accesses make it no race, and no less wrong.
#include "bfs.cuh"

#include <cuda/atomic>

constexpr int kThreadsPerBlock = 256;

using Word = cuda::atomic_ref<int32_t, cuda::thread_scope_device>;
__device__ int32_t read_word(int32_t& word) { return Word(word).load(cuda::memory_order_relaxed); }
__device__ void write_word(int32_t& word, int32_t value) { Word(word).store(value, cuda::memory_order_relaxed); }

__global__ void begin_kernel(int32_t* distance, int num_vertices, int source) {
  const int v = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (v < num_vertices) distance[v] = v == source ? 0 : kUnreached;
}

__global__ void search_kernel(const int32_t* row_offsets, const int32_t* columns, int num_vertices, int32_t* distance) {
  const int v = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  for (int32_t level = 0; level < num_vertices; ++level) {
    bool has_found = false;
    if (v < num_vertices && read_word(distance[v]) == level)
      for (int e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
        const int u = columns[e];
        if (read_word(distance[u]) == kUnreached) {
          write_word(distance[u], level + 1);
          has_found = true;
        }
      }
    if (!__syncthreads_or(has_found)) return;
  }
}

void bfs(const int32_t* d_row_offsets, const int32_t* d_columns, int num_vertices, int num_edges, int source,
         int32_t* d_distance) {
  const int blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<blocks, kThreadsPerBlock>>>(d_distance, num_vertices, source);
  search_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, num_vertices, d_distance);
}
