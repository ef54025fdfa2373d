// expect: attention: right
// A thread a query, an online softmax, keys and values in tiles of 32.
// The differences next to it spoil it in one way each.
#include "attention.cuh"

template <int kWidth>
__global__ void attention_kernel(const float* q, const float* k, const float* v, float* out, int n) {
  __shared__ float4 all_keys[32 * kWidth / 4];
  __shared__ float4 all_values[32 * kWidth / 4];
  const auto* const keys = reinterpret_cast<const float(*)[kWidth]>(all_keys);
  const auto* const values = reinterpret_cast<const float(*)[kWidth]>(all_values);
  const size_t head = size_t{blockIdx.y} * n * kWidth;
  const int i = blockIdx.x * 64 + threadIdx.x;
  const size_t row = head + size_t(min(i, n - 1)) * kWidth;
  float query[kWidth], average[kWidth];
#pragma unroll
  for (int c = 0; c < kWidth; ++c) {
    query[c] = q[row + c] / sqrtf(kWidth);
    average[c] = 0;
  }
  float maximum = -INFINITY;
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
#pragma unroll
    for (int at = threadIdx.x; at < 32 * kWidth / 4; at += 64) {  // 16 bytes at a time
      const bool is_there = first + at / (kWidth / 4) < n;
      const float4 zeros = {0, 0, 0, 0};
      all_keys[at] = is_there ? reinterpret_cast<const float4*>(k + head)[first * (kWidth / 4) + at] : zeros;
      all_values[at] = is_there ? reinterpret_cast<const float4*>(v + head)[first * (kWidth / 4) + at] : zeros;
    }
    __syncthreads();  // the tile is there
    for (int j = 0; j < 32; ++j) {
      float part[4] = {};  // four sums, so that an addition need not wait for the one before
#pragma unroll
      for (int c = 0; c < kWidth; ++c) part[c % 4] += query[c] * keys[j][c];
      float score = (part[0] + part[1]) + (part[2] + part[3]);
      if (first + j >= n) score = -INFINITY;
      const float greater = fmaxf(maximum, score);
      const float factor = __expf(maximum - greater);
      const float weight = __expf(score - greater);
      maximum = greater;
      sum = sum * factor + weight;
#pragma unroll
      for (int c = 0; c < kWidth; ++c) average[c] = average[c] * factor + weight * values[j][c];
    }
    __syncthreads();  // the tile has been used
  }
  if (i >= n) return;
#pragma unroll
  for (int c = 0; c < kWidth; ++c) out[row + c] = average[c] / sum;
}

void attention(const float* d_q, const float* d_k, const float* d_v, float* d_out, int heads, int n, int d) {
  if (heads == 0 || n == 0) return;
  const dim3 blocks((n + 63) / 64, heads);
  if (d == 32)
    attention_kernel<32><<<blocks, 64>>>(d_q, d_k, d_v, d_out, n);
  else
    attention_kernel<64><<<blocks, 64>>>(d_q, d_k, d_v, d_out, n);
}
