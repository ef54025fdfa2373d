// Step 2 of evolve: launches in a queue.
// Idea      kernels in one stream run one after another by themselves, so the host only asks, and never waits.
// Gain      the next step is in the queue already when one ends.
// Traffic   16 bytes per cell and step, all of them from caches, as before.
// Wastes    the host is busy with requests for the whole call, one for each step.
#include "overlap.cuh"

#include <memory>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

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

}  // namespace

void evolve(const std::uint32_t* d_start, std::uint32_t* d_end, int n, int steps) {
  if (n == 0) return;
  if (steps == 0) {
    CHECK(cudaMemcpyAsync(d_end, d_start, n * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice));
    return;
  }
  DeviceWords d_between;
  CHECK(allocate(d_between, n));

  // The last step writes to d_end, the one before to d_between, and so on.
  const std::uint32_t* d_old = d_start;
  for (int left = steps; left > 0; --left) {
    std::uint32_t* const d_new = left % 2 != 0 ? d_end : d_between.get();
    CHECK(launch_step(d_old, d_new, n, nullptr));
    d_old = d_new;
  }
}
