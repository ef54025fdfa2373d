// Step 1 of vec_add: six steps in a row.
// Idea      allocate, copy up, launch, copy down, free: each waits for the one before.
// Gain      the yardstick of the ladder.
// Traffic   12 bytes per element across the bus, for one addition; 12 more through device memory.
// Wastes    the bus could carry both directions at once, and carries one at a time.
#include "vecadd.cuh"

#include <memory>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

// Frees device memory when its owner goes out of scope, also on the way out after an error.
struct DeviceFree {
  void operator()(float* d_pointer) const { cudaFree(d_pointer); }
};
using DeviceFloats = std::unique_ptr<float[], DeviceFree>;

cudaError_t allocate(DeviceFloats& array, std::size_t count) {
  float* d_pointer = nullptr;
  const cudaError_t status = cudaMalloc(&d_pointer, count * sizeof(float));
  array.reset(d_pointer);
  return status;
}

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);  // 0 ... n - 1, and idle threads beyond
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);

  DeviceFloats d_a;
  DeviceFloats d_b;
  DeviceFloats d_c;
  CHECK(allocate(d_a, n));
  CHECK(allocate(d_b, n));
  CHECK(allocate(d_c, n));

  CHECK(cudaMemcpy(d_a.get(), a_h, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b.get(), b_h, bytes, cudaMemcpyHostToDevice));

  const unsigned blocks = (static_cast<unsigned>(n) + kThreadsPerBlock - 1) / kThreadsPerBlock;
  add_kernel<<<blocks, kThreadsPerBlock>>>(d_a.get(), d_b.get(), d_c.get(), n);
  CHECK(cudaGetLastError());

  CHECK(cudaMemcpy(c_h, d_c.get(), bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
}
