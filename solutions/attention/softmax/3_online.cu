// Step 3 of softmax: maximum and sum in one pass, four elements at a time.
// Idea      a running sum refers to the maximum so far. When that grows, the sum is multiplied by exp(old - new).
//           Threads, too, have sums that refer to different maxima, and rescale them before they add them up. Where
//           rows begin at multiples of 16 bytes, a lane loads four elements, which need at most one rescaling.
// Gain      a loss, x 0.98 on an H200: the row is in a cache when it is read again. A sixth of the load requests: two
//           readings instead of three, four elements in each load. What it teaches is needed in attention.
// Traffic   8 bytes read and 4 written per element, half of what is read from a cache.
// Wastes    the row is still read twice, and every exponential is computed twice.
#include "attention.cuh"

#include <cmath>
#include <cstddef>

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kWarp = 32;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;

// The greatest of some elements, and the sum of exp(x - maximum) over them. Of no elements: -infinity and 0.
struct Total {
  float maximum, sum;
};

// With four more elements; if there are less than four, the others are -infinity.
__device__ Total with(Total total, float4 x) {
  const float maximum = fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w));
  if (maximum > total.maximum) total = {maximum, total.sum * expf(total.maximum - maximum)};
  const float base = total.maximum;
  return {base, total.sum + ((expf(x.x - base) + expf(x.y - base)) + (expf(x.z - base) + expf(x.w - base)))};
}

// What all lanes have, combined; every lane gets it. First the maxima; then each sum has to be rescaled only once.
__device__ Total over_warp(Total total) {
  float maximum = total.maximum;
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    maximum = fmaxf(maximum, __shfl_xor_sync(kAllLanes, maximum, distance));
  float sum = 0;  // of no elements, of which the difference below may be NaN
  if (total.maximum != -INFINITY) sum = total.sum * expf(total.maximum - maximum);
  for (int distance = kWarp / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(kAllLanes, sum, distance);
  return {maximum, sum};
}

// What all threads of the block have, combined; every thread gets it.
__device__ Total over_block(Total total) {
  __shared__ Total of_warp[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  total = over_warp(total);
  if (lane == 0) of_warp[threadIdx.x / kWarp] = total;
  __syncthreads();
  return over_warp(lane < kWarps ? of_warp[lane] : Total{-INFINITY, 0});
}

__device__ float4 four(float x) { return {x, -INFINITY, -INFINITY, -INFINITY}; }
__device__ float4 four(float4 x) { return x; }
__device__ void store(float* to, float4 x) { *to = x.x; }
__device__ void store(float4* to, float4 x) { *to = x; }

// A row of vectors: whole ones, or one element in each.
template <class Vector>
__global__ void softmax_kernel(const Vector* x, Vector* y, int vectors) {
  const Vector* const from = x + static_cast<std::size_t>(blockIdx.x) * vectors;
  Vector* const to = y + static_cast<std::size_t>(blockIdx.x) * vectors;
  const int first = static_cast<int>(threadIdx.x);
  Total total = {-INFINITY, 0};
  for (int i = first; i < vectors; i += kThreadsPerBlock) total = with(total, four(from[i]));
  total = over_block(total);
  const float factor = 1 / total.sum;
  for (int i = first; i < vectors; i += kThreadsPerBlock) {
    const float4 v = four(from[i]);
    const float base = total.maximum;
    store(to + i,
          {expf(v.x - base) * factor, expf(v.y - base) * factor, expf(v.z - base) * factor, expf(v.w - base) * factor});
  }
}

}  // namespace

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  if (cols % 4 == 0)  // then every row begins at a multiple of 16 bytes
    softmax_kernel<<<rows, kThreadsPerBlock>>>(reinterpret_cast<const float4*>(d_x), reinterpret_cast<float4*>(d_y),
                                               cols / 4);
  else
    softmax_kernel<<<rows, kThreadsPerBlock>>>(d_x, d_y, cols);
  CHECK(cudaGetLastError());
}
