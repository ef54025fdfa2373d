// expect: arg_max: wrong
// A thread keeps the last of equal maxima that it sees (>=), and blocks the first of what their threads kept. That is
// wrong only where a thread has several elements, and another of them equals the first greatest one.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 256, kMostBlocks = 1056;

using Key = unsigned long long;

__device__ Key key_of(int32_t value, uint32_t index) { return Key{uint32_t(value) ^ 0x80000000u} << 32 | ~index; }

__global__ void max_kernel(const int32_t* x, size_t n, Key* greatest) {
  const size_t threads = size_t{gridDim.x} * kThreadsPerBlock;
  const size_t first = size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (first >= n) return;
  size_t best = first;
  for (size_t i = first; i < n; i += threads)
    if (x[i] >= x[best]) best = i;
  atomicMax(greatest, key_of(x[best], best));
}

__global__ void unpack(int64_t* index) { *index = ~uint32_t(*index); }

void arg_max(const int32_t* d_x, size_t n, int64_t* d_index) {
  cudaMemset(d_index, n == 0 ? 0xff : 0, sizeof(int64_t));
  if (n == 0) return;
  const size_t blocks = min((n + kThreadsPerBlock - 1) / kThreadsPerBlock, size_t{kMostBlocks});
  max_kernel<<<blocks, kThreadsPerBlock>>>(d_x, n, reinterpret_cast<Key*>(d_index));
  unpack<<<1, 1>>>(d_index);
}
