// expect: evolve: right
// Two steps make a graph, and an odd step comes after all graphs, without a check of any call.
// The differences next to it spoil it in one way each.
#include "overlap.cuh"

__global__ void step_kernel(const std::uint32_t* old_cells, std::uint32_t* new_cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t left = old_cells[i > 0 ? i - 1 : n - 1];
  const std::uint32_t right = old_cells[i + 1 < n ? i + 1 : 0];
  new_cells[i] = (left ^ (old_cells[i] >> 3)) + 5 * right;
}

void evolve(const std::uint32_t* d_start, std::uint32_t* d_end, int n, int steps) {
  if (n == 0) return;
  const std::size_t bytes = n * sizeof(*d_end);
  const int blocks = (n + 255) / 256;
  std::uint32_t* other = nullptr;
  cudaMalloc(&other, bytes);
  cudaMemcpy(d_end, d_start, bytes, cudaMemcpyDeviceToDevice);

  constexpr int kStepsOfGraph = 20;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int step = 0; step < kStepsOfGraph; ++step)
    step_kernel<<<blocks, 256, 0, stream>>>(step % 2 == 0 ? d_end : other, step % 2 == 0 ? other : d_end, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int done = 0; done + kStepsOfGraph <= steps; done += kStepsOfGraph) cudaGraphLaunch(executable, stream);

  const int left = steps % kStepsOfGraph;
  for (int step = 0; step < left; ++step)
    step_kernel<<<blocks, 256, 0, stream>>>(step % 2 == 0 ? d_end : other, step % 2 == 0 ? other : d_end, n);
  if (left % 2 != 0) cudaMemcpyAsync(d_end, other, bytes, cudaMemcpyDeviceToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(other);
}
