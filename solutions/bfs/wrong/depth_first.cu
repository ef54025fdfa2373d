// expect: bfs: wrong; misconception = "depth first"
// One thread and a stack: the vertex found last is expanded first, and keeps the distance of the path it was found by.
#include "bfs.cuh"

__global__ void search_kernel(const int32_t* row_offsets, const int32_t* columns, int num_vertices, int source,
                              int32_t* distance, int32_t* stack) {
  for (int v = 0; v < num_vertices; ++v) distance[v] = kUnreached;
  distance[source] = 0;
  stack[0] = source;
  for (int size = 1; size > 0;) {
    const int v = stack[--size];
    for (int e = row_offsets[v]; e < row_offsets[v + 1]; ++e) {
      const int u = columns[e];
      if (distance[u] != kUnreached) continue;
      distance[u] = distance[v] + 1;
      stack[size++] = u;
    }
  }
}

void bfs(const int32_t* d_row_offsets, const int32_t* d_columns, int num_vertices, int num_edges, int source,
         int32_t* d_distance) {
  int32_t* d_stack = nullptr;
  cudaMalloc(&d_stack, num_vertices * sizeof(int32_t));
  search_kernel<<<1, 1>>>(d_row_offsets, d_columns, num_vertices, source, d_distance, d_stack);
  cudaFree(d_stack);
}
