// expect: vec_add_device: right; under review
// tries: to add on the host, in a node of a graph between nodes that copy
// says: is the work done on the host?
// Copies in a graph count like all others.

#include <vector>

#include "vecadd.cuh"

namespace {

struct Sums {
  std::vector<float> a, b;
};

void add(void* data) {
  auto& sums = *static_cast<Sums*>(data);
  for (std::size_t i = 0; i < sums.a.size(); ++i) sums.a[i] += sums.b[i];
}

__global__ void idle_kernel() {}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  idle_kernel<<<1, 1>>>();
  Sums sums{std::vector<float>(n), std::vector<float>(n)};
  const std::size_t bytes = n * sizeof(float);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t work = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaMemcpyAsync(sums.a.data(), d_a, bytes, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(sums.b.data(), d_b, bytes, cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, add, &sums);
  cudaMemcpyAsync(d_c, sums.a.data(), bytes, cudaMemcpyHostToDevice, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&work, graph, 0);
  cudaGraphLaunch(work, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(work);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
