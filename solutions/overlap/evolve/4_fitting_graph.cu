// Step 4 of evolve: a graph of as many steps as pay.
// Idea      before a graph is launched for the first time, each of its kernels has cost the host some 4.5 us: to be
//           captured, instantiated, and sent to the device. Each further launch of the graph costs about 1 us more than
//           its kernels take. With s steps in the graph, that is 4.5 s + steps / s: least where s is the root of a
//           quarter of the steps.
// Gain      8 steps in the graph for 400 steps, instead of 50, and 68 for 20,000.
// Traffic   16 bytes per cell and step, all of them from caches, as before.
// Wastes    each step is still a kernel, which begins and ends on all multiprocessors.
#include "overlap.cuh"

#include <algorithm>
#include <cmath>
#include <memory>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

constexpr double kCostOfLaunch = 0.24;  // of a graph, once more; in units of what a step more in the graph costs

// An even number: the cells are then in the array that they began in.
int steps_of_graph(int steps) { return 2 * std::max(static_cast<int>(std::sqrt(kCostOfLaunch * steps) / 2), 1); }

// Gives memory back when all that is in the default stream by then is over; the host does not wait for it.
struct DeviceFree {
  void operator()(std::uint32_t* d_pointer) const { cudaFreeAsync(d_pointer, nullptr); }
};
using DeviceWords = std::unique_ptr<std::uint32_t[], DeviceFree>;

cudaError_t allocate(DeviceWords& array, std::size_t count) {
  std::uint32_t* d_pointer = nullptr;
  const cudaError_t status = cudaMallocAsync(&d_pointer, count * sizeof(std::uint32_t), nullptr);
  array.reset(d_pointer);
  return status;
}

__global__ void step_kernel(const std::uint32_t* old_cells, std::uint32_t* new_cells, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);  // 0 ... n - 1, and idle threads beyond
  if (i >= n) return;
  const std::uint32_t left = old_cells[i > 0 ? i - 1 : n - 1];
  const std::uint32_t right = old_cells[i + 1 < n ? i + 1 : 0];
  new_cells[i] = (left ^ (old_cells[i] >> 3)) + 5 * right;
}

cudaError_t launch_step(const std::uint32_t* d_old, std::uint32_t* d_new, int n, cudaStream_t stream) {
  const unsigned blocks = (static_cast<unsigned>(n) + kThreadsPerBlock - 1) / kThreadsPerBlock;
  step_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(d_old, d_new, n);
  return cudaGetLastError();
}

struct StreamDestroy {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
struct GraphDestroy {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
struct ExecutableDestroy {
  void operator()(cudaGraphExec_t executable) const { cudaGraphExecDestroy(executable); }
};
using Stream = std::unique_ptr<CUstream_st, StreamDestroy>;
using Graph = std::unique_ptr<CUgraph_st, GraphDestroy>;
using Executable = std::unique_ptr<CUgraphExec_st, ExecutableDestroy>;

// Makes a graph of so many steps that begin and end in d_cells.
cudaError_t capture(std::uint32_t* d_cells, std::uint32_t* d_other, int n, int steps, Executable& executable) {
  cudaStream_t stream_handle = nullptr;
  cudaError_t status = cudaStreamCreateWithFlags(&stream_handle, cudaStreamNonBlocking);
  if (status != cudaSuccess) return status;
  const Stream stream(stream_handle);
  status = cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal);
  for (int step = 0; step < steps && status == cudaSuccess; step += 2) {
    status = launch_step(d_cells, d_other, n, stream.get());
    if (status == cudaSuccess) status = launch_step(d_other, d_cells, n, stream.get());
  }
  cudaGraph_t graph_handle = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream.get(), &graph_handle);
  const Graph graph(graph_handle);
  if (status == cudaSuccess) status = ended;
  if (status != cudaSuccess) return status;
  cudaGraphExec_t handle = nullptr;
  status = cudaGraphInstantiate(&handle, graph.get(), 0);
  executable.reset(handle);
  return status;
}

}  // namespace

void evolve(const std::uint32_t* d_start, std::uint32_t* d_end, int n, int steps) {
  if (n == 0) return;
  if (steps == 0) {
    CHECK(cudaMemcpyAsync(d_end, d_start, n * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice));
    return;
  }
  DeviceWords d_between;
  CHECK(allocate(d_between, n));

  // First what no whole number of graphs covers. The last step writes to d_end, the one before to d_between, and so on,
  // so that the cells are in d_end when an even number of steps is left.
  const std::uint32_t* d_old = d_start;
  const int of_graph = steps_of_graph(steps);
  int left = steps;
  for (; left % of_graph != 0; --left) {
    std::uint32_t* const d_new = left % 2 != 0 ? d_end : d_between.get();
    CHECK(launch_step(d_old, d_new, n, nullptr));
    d_old = d_new;
  }
  if (left == 0) return;
  if (left == steps) CHECK(cudaMemcpyAsync(d_end, d_start, n * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice));

  Executable executable;
  CHECK(capture(d_end, d_between.get(), n, of_graph, executable));
  for (; left > 0; left -= of_graph) CHECK(cudaGraphLaunch(executable.get(), nullptr));
}
