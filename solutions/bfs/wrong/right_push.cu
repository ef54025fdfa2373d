// expect: bfs: right
// Every vertex of the level tells its neighbours, by words that are read and written whole.
// The differences next to it spoil it in one way each.
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

__global__ void push_kernel(const int32_t* row_offsets, const int32_t* columns, int num_vertices, int32_t level,
                            int32_t* distance, int32_t* found_any) {
  const int v = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (v >= num_vertices || read_word(distance[v]) != level) return;
  for (int e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
    const int u = columns[e];
    if (read_word(distance[u]) == kUnreached) {
      write_word(distance[u], level + 1);
      write_word(*found_any, 1);
    }
  }
}

void bfs(const int32_t* d_row_offsets, const int32_t* d_columns, int num_vertices, int num_edges, int source,
         int32_t* d_distance) {
  int32_t* d_found_any = nullptr;
  cudaMalloc(&d_found_any, sizeof(int32_t));
  const int blocks = (num_vertices + kThreadsPerBlock - 1) / kThreadsPerBlock;
  begin_kernel<<<blocks, kThreadsPerBlock>>>(d_distance, num_vertices, source);
  int32_t found_any = 1;
  for (int32_t level = 0; found_any != 0; ++level) {
    cudaMemset(d_found_any, 0, sizeof(int32_t));
    push_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, num_vertices, level, d_distance, d_found_any);
    cudaMemcpy(&found_any, d_found_any, sizeof(int32_t), cudaMemcpyDeviceToHost);
  }
  cudaFree(d_found_any);
}
