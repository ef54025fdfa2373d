// Step 1 of attention: three kernels, and all scores in memory.
// Idea      the definition as it stands: a kernel for the scores, one for the softmax of each row, one for the
//           averages. The first has a thread for each score, the second a block for each query, the third a thread for
//           each number of the result.
// Gain      the starting point: 98 ms for 32 heads of 4096 x 64 on an H200, 1.4 TFLOP/s.
// Traffic   heads n^2 scores are written, read and written again, and read: at least 16 bytes for each pair of query
//           and key, beside 4 d flops. Scratch memory: 4 bytes for each pair.
// Wastes    memory, which grows with n^2; and each product takes two loads, those of keys from 16 rows at a time.
#include "attention.cuh"

#include <cmath>
#include <cstddef>

namespace {

constexpr int kTile = 16;
constexpr int kThreadsPerRow = 128;
constexpr int kWarp = 32;
constexpr int kWarps = kThreadsPerRow / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;

__global__ void scores_kernel(const float* q, const float* k, float* scores, int n, int d, float scale) {
  const int key = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
  const int query = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
  if (query >= n || key >= n) return;
  const std::size_t head = blockIdx.z;
  const float* const of_query = q + (head * n + query) * d;
  const float* const of_key = k + (head * n + key) * d;
  float sum = 0;
  for (int c = 0; c < d; ++c) sum += of_query[c] * of_key[c];
  scores[(head * n + query) * n + key] = sum * scale;
}

struct Maximum {
  static __device__ float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static __device__ float of(float a, float b) { return a + b; }
};

// What all threads of the block have, combined; every thread gets it.
template <class Operation>
__device__ float over_block(float value) {
  __shared__ float of_warp[kWarps];
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = Operation::of(value, __shfl_xor_sync(kAllLanes, value, distance));
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  value = of_warp[0];
  for (int warp = 1; warp < kWarps; ++warp) value = Operation::of(value, of_warp[warp]);
  return value;
}

__global__ void softmax_kernel(float* scores, int n) {
  float* const of_query = scores + (static_cast<std::size_t>(blockIdx.y) * n + blockIdx.x) * n;
  const int first = static_cast<int>(threadIdx.x);
  float maximum = -INFINITY;
  for (int key = first; key < n; key += kThreadsPerRow) maximum = fmaxf(maximum, of_query[key]);
  maximum = over_block<Maximum>(maximum);
  float sum = 0;
  for (int key = first; key < n; key += kThreadsPerRow) {
    of_query[key] = expf(of_query[key] - maximum);
    sum += of_query[key];
  }
  sum = over_block<Sum>(sum);
  for (int key = first; key < n; key += kThreadsPerRow) of_query[key] /= sum;
}

__global__ void average_kernel(const float* weights, const float* v, float* out, int n, int d) {
  const int c = static_cast<int>(blockIdx.x * kTile + threadIdx.x);  // d is a multiple of the tile
  const int query = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
  if (query >= n) return;
  const std::size_t head = blockIdx.z;
  const float* const of_query = weights + (head * n + query) * n;
  const float* const values = v + head * n * d;
  float sum = 0;
  for (int key = 0; key < n; ++key) sum += of_query[key] * values[static_cast<std::size_t>(key) * d + c];
  out[(head * n + query) * d + c] = sum;
}

}  // namespace

void attention(const float* d_q, const float* d_k, const float* d_v, float* d_out, int heads, int n, int d) {
  if (heads == 0 || n == 0) return;
  pool::Scratch<float> scores;
  CHECK(scores.allocate(static_cast<std::size_t>(heads) * n * n));
  const dim3 threads(kTile, kTile);
  const int tiles = (n + kTile - 1) / kTile;
  scores_kernel<<<dim3(tiles, tiles, heads), threads>>>(d_q, d_k, scores.get(), n, d, 1 / sqrtf(static_cast<float>(d)));
  CHECK(cudaGetLastError());
  softmax_kernel<<<dim3(n, heads), kThreadsPerRow>>>(scores.get(), n);
  CHECK(cudaGetLastError());
  average_kernel<<<dim3(d / kTile, tiles, heads), threads>>>(scores.get(), d_v, d_out, n, d);
  CHECK(cudaGetLastError());
}
