// expect: arg_max: right
// Pairs of value and index in two arrays in shared memory; the blocks' pairs are packed for an atomic maximum.
// The differences next to it spoil it in one way each.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 256;

using Key = unsigned long long;

__device__ Key key_of(int32_t value, uint32_t index) { return Key{uint32_t(value) ^ 0x80000000u} << 32 | ~index; }

__global__ void max_kernel(const int32_t* x, size_t n, Key* greatest) {
  __shared__ int32_t value[kThreadsPerBlock];
  __shared__ uint32_t index[kThreadsPerBlock];
  const int t = threadIdx.x;
  const size_t i = size_t{blockIdx.x} * kThreadsPerBlock + t;
  value[t] = i < n ? x[i] : INT32_MIN;
  index[t] = i < n ? i : UINT32_MAX;
  __syncthreads();
  for (int distance = kThreadsPerBlock / 2; distance > 0; distance /= 2) {
    if (t < distance) {
      const int32_t other = value[t + distance];
      if (other > value[t] || (other == value[t] && index[t + distance] < index[t])) {
        value[t] = other;
        index[t] = index[t + distance];
      }
    }
    __syncthreads();
  }
  if (t == 0) atomicMax(greatest, key_of(value[0], index[0]));
}

__global__ void unpack(int64_t* index) { *index = ~uint32_t(*index); }

void arg_max(const int32_t* d_x, size_t n, int64_t* d_index) {
  cudaMemset(d_index, n == 0 ? 0xff : 0, sizeof(int64_t));
  if (n == 0) return;
  const size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  max_kernel<<<blocks, kThreadsPerBlock>>>(d_x, n, reinterpret_cast<Key*>(d_index));
  unpack<<<1, 1>>>(d_index);
}
