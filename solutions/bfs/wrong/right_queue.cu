// expect: bfs: right
// A queue for each level; a vertex is queued by the thread that reaches it first.
// The differences next to it spoil it in one way each.
#include "bfs.cuh"

#include <utility>

constexpr int kThreadsPerBlock = 256;

__global__ void begin_kernel(int32_t* distance, int num_vertices, int source, int32_t* frontier) {
  const int v = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (v < num_vertices) distance[v] = v == source ? 0 : kUnreached;
  if (v == 0) frontier[0] = source;
}

__global__ void expand_kernel(const int32_t* row_offsets, const int32_t* columns, const int32_t* frontier,
                              int frontier_size, int32_t level, int32_t* distance, int32_t* next, int32_t* next_size) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i >= frontier_size) return;
  const int v = frontier[i];
  for (int e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
    const int u = columns[e];
    if (atomicCAS(&distance[u], kUnreached, level + 1) == kUnreached) next[atomicAdd(next_size, 1)] = u;
  }
}

void bfs(const int32_t* d_row_offsets, const int32_t* d_columns, int num_vertices, int num_edges, int source,
         int32_t* d_distance) {
  int32_t* d_frontier = nullptr;
  int32_t* d_next = nullptr;
  int32_t* d_next_size = nullptr;
  cudaMalloc(&d_frontier, num_vertices * sizeof(int32_t));
  cudaMalloc(&d_next, num_vertices * sizeof(int32_t));
  cudaMalloc(&d_next_size, sizeof(int32_t));
  const int blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<blocks, kThreadsPerBlock>>>(d_distance, num_vertices, source, d_frontier);
  int32_t frontier_size = 1;
  for (int32_t level = 0; frontier_size != 0; ++level) {
    cudaMemset(d_next_size, 0, sizeof(int32_t));
    const int level_blocks = (frontier_size + kThreadsPerBlock - 1) / kThreadsPerBlock;
    expand_kernel<<<level_blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_frontier, frontier_size, level,
                                                      d_distance, d_next, d_next_size);
    if (cudaMemcpy(&frontier_size, d_next_size, sizeof(int32_t), cudaMemcpyDeviceToHost) != cudaSuccess) break;
    std::swap(d_frontier, d_next);
  }
  cudaFree(d_frontier);
  cudaFree(d_next);
  cudaFree(d_next_size);
}
