// Lecture 09: a block of 512 threads adds up 512 numbers in three ways. A whole program, which prints three equal sums:
// of a million ones, in 1,954 blocks, the last of which has fewer elements than threads.
//
//   nvcc -arch=sm_90 -lineinfo -cudart shared -o trees trees.cu
//   ./trees                          with a GPU
//   build/lanewise run -- ./trees    without one
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t status = (call);                                     \
    if (status != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffff;

__global__ void interleaved(const float* x, int n, float* sum) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    if (t % (2 * distance) == 0) partial[t] += partial[t + distance];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, partial[0]);
}

__global__ void sequential(const float* x, int n, float* sum) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  partial[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (t < distance) partial[t] += partial[t + distance];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, partial[0]);
}

// The sum over the lanes of a warp, in lane 0. Every lane has to call it.
__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(kAllLanes, value, distance);
  }
  return value;
}

// The sum over the threads of a block, in thread 0. Every thread has to call it.
__device__ float block_sum(float value) {
  __shared__ float of_warp[kWarps];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < kWarps ? of_warp[lane] : 0);
  return value;
}

__global__ void shuffles(const float* x, int n, float* sum) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float total = block_sum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) atomicAdd(sum, total);
}

int main() {
  constexpr int n = 1000000;
  constexpr int blocks = (n + kThreads - 1) / kThreads;
  const std::vector<float> ones(n, 1.0f);
  float* d_x = nullptr;
  float* d_sum = nullptr;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sum, 3 * sizeof(float)));
  CHECK(cudaMemcpy(d_x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_sum, 0, 3 * sizeof(float)));

  interleaved<<<blocks, kThreads>>>(d_x, n, d_sum);
  sequential<<<blocks, kThreads>>>(d_x, n, d_sum + 1);
  shuffles<<<blocks, kThreads>>>(d_x, n, d_sum + 2);
  CHECK(cudaGetLastError());

  float sum[3];
  CHECK(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_sum));
  CHECK(cudaFree(d_x));
  std::printf("interleaved %.0f, sequential %.0f, shuffles %.0f\n", sum[0], sum[1], sum[2]);
  return sum[0] == n && sum[1] == n && sum[2] == n ? 0 : 1;
}
