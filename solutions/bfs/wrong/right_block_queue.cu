// expect: bfs: right
// Each block collects its vertices in shared memory and takes places for all of them at once.
// The differences next to it spoil it in one way each.
#include "bfs.cuh"

#include <utility>

constexpr int kThreadsPerBlock = 256;
constexpr int kQueueItems = 1024;

__global__ void begin_kernel(int32_t* distance, int num_vertices, int source, int32_t* frontier) {
  const int v = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (v < num_vertices) distance[v] = v == source ? 0 : kUnreached;
  if (v == 0) frontier[0] = source;
}

__global__ void expand_kernel(const int32_t* row_offsets, const int32_t* columns, const int32_t* frontier,
                              int frontier_size, int32_t level, int32_t* distance, int32_t* next, int32_t* next_size) {
  __shared__ int32_t queue[kQueueItems];
  __shared__ int queue_size;
  __shared__ int first;
  if (threadIdx.x == 0) queue_size = 0;
  __syncthreads();
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i < frontier_size) {
    const int v = frontier[i];
    for (int e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
      const int u = columns[e];
      if (atomicCAS(&distance[u], kUnreached, level + 1) != kUnreached) continue;
      const int place = atomicAdd(&queue_size, 1);
      if (place < kQueueItems)
        queue[place] = u;
      else
        next[atomicAdd(next_size, 1)] = u;
    }
  }
  __syncthreads();
  const int count = min(queue_size, kQueueItems);
  if (threadIdx.x == 0) first = atomicAdd(next_size, count);
  __syncthreads();
  for (int x = threadIdx.x; x < count; x += kThreadsPerBlock) next[first + x] = queue[x];
}

void bfs(const int32_t* d_row_offsets, const int32_t* d_columns, int num_vertices, int num_edges, int source,
         int32_t* d_distance) {
  int32_t* d_frontier = nullptr;
  int32_t* d_next = nullptr;
  int32_t* d_next_size = nullptr;
  cudaMalloc(&d_frontier, num_vertices * sizeof(int32_t));
  cudaMalloc(&d_next, num_vertices * sizeof(int32_t));
  cudaMalloc(&d_next_size, sizeof(int32_t));
  cudaMemset(d_frontier, 0, num_vertices * sizeof(int32_t));  // what is lost leads to vertex 0, and not astray
  cudaMemset(d_next, 0, num_vertices * sizeof(int32_t));
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
