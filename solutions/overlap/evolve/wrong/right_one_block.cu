// expect: evolve: right
// One launch: a single block goes through all steps, with a barrier after each. No requests are left to save, but for a
// long ring 131 of 132 multiprocessors are idle.
#include "overlap.cuh"

__global__ void all_steps(const std::uint32_t* start, std::uint32_t* one, std::uint32_t* other, int n, int steps) {
  const std::uint32_t* old_cells = start;
  for (int step = 0; step < steps; ++step) {
    std::uint32_t* const new_cells = (steps - step) % 2 != 0 ? one : other;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      const std::uint32_t left = old_cells[i > 0 ? i - 1 : n - 1];
      const std::uint32_t right = old_cells[i + 1 < n ? i + 1 : 0];
      new_cells[i] = (left ^ (old_cells[i] >> 3)) + 5 * right;
    }
    __syncthreads();
    old_cells = new_cells;
  }
}

void evolve(const std::uint32_t* d_start, std::uint32_t* d_end, int n, int steps) {
  if (n == 0) return;
  if (steps == 0) {
    cudaMemcpyAsync(d_end, d_start, n * sizeof(*d_end), cudaMemcpyDeviceToDevice);
    return;
  }
  std::uint32_t* other = nullptr;
  cudaMallocAsync(&other, n * sizeof(*other), nullptr);
  all_steps<<<1, 1024>>>(d_start, d_end, other, n, steps);
  cudaFreeAsync(other, nullptr);
}
