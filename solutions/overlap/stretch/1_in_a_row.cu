// Step 1 of stretch: one thing after another.
// Idea      copy all keys in, launch one kernel, copy all digests out; each waits for the one before.
// Gain      the yardstick of the ladder.
// Traffic   4 bytes per key to the device and 4 back.
// Wastes    at any time, two of three engines are idle: the one that copies in, the one that computes, and the one that
//           copies out.
#include "overlap.cuh"

#include <memory>

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

// Frees device memory when its owner goes out of scope, also on the way out after an error.
struct DeviceFree {
  void operator()(std::uint32_t* d_pointer) const { cudaFree(d_pointer); }
};
using DeviceWords = std::unique_ptr<std::uint32_t[], DeviceFree>;

cudaError_t allocate(DeviceWords& array, std::size_t count) {
  std::uint32_t* d_pointer = nullptr;
  const cudaError_t status = cudaMalloc(&d_pointer, count * sizeof(std::uint32_t));
  array.reset(d_pointer);
  return status;
}

__global__ void stretch_kernel(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;  // 0 ... n - 1, and idle threads beyond
  if (i >= n) return;
  std::uint32_t x = keys[i];
  for (int round = 0; round < rounds; ++round) {
    x = (x ^ (x >> 15)) * kFactor + kTerm;
    x = x ^ (x >> 13);
  }
  digests[i] = x;
}

unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>((items + kThreadsPerBlock - 1) / kThreadsPerBlock);
}

}  // namespace

void stretch(const std::uint32_t* keys_h, std::uint32_t* digests_h, std::size_t n, int rounds) {
  if (n == 0) return;
  const std::size_t bytes = n * sizeof(std::uint32_t);
  DeviceWords d_keys;
  DeviceWords d_digests;
  CHECK(allocate(d_keys, n));
  CHECK(allocate(d_digests, n));

  CHECK(cudaMemcpy(d_keys.get(), keys_h, bytes, cudaMemcpyHostToDevice));
  stretch_kernel<<<blocks_for(n), kThreadsPerBlock>>>(d_keys.get(), d_digests.get(), n, rounds);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(digests_h, d_digests.get(), bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
}
