// The example of lecture 09, a whole program: pi as the area under 4 / (1 + x^2) between 0 and 1, from 2^E rectangles,
// whose heights are added up in floats, in three ways.
//
//   nvcc -arch=sm_90 -lineinfo -cudart shared -o pi pi.cu
//   ./pi E                                       with a GPU; E is 16 if it is left out, and 26 at most
//   build/lanewise run --monitor none -- ./pi E  without one
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t status = (call);                                     \
    if (status != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

constexpr int kThreadsPerBlock = 256;
constexpr int kMostBlocks = 1024;

// Rectangle i of n is 1 / n wide. Its height is computed in double and rounded once.
__device__ float height(int i, int n) {
  const double x = (i + 0.5) / n;
  return static_cast<float>(4 / (1 + x * x));
}

// One by one: every thread adds its rectangle to the sum.
__global__ void one_by_one(int n, float* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, height(i, n));
}

// The sum over the threads of a block, in thread 0. Every thread of the block has to call it.
__device__ float block_sum(float value) {
  __shared__ float partial[kThreadsPerBlock];
  const int t = threadIdx.x;
  partial[t] = value;
  __syncthreads();
  for (int distance = kThreadsPerBlock / 2; distance > 0; distance /= 2) {
    if (t < distance) partial[t] += partial[t + distance];
    __syncthreads();
  }
  return partial[0];
}

// What a thread adds up by itself: rectangles that lie as far apart as the grid has threads.
__device__ float thread_sum(int n) {
  float mine = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    mine += height(i, n);
  }
  return mine;
}

// By blocks: every block adds its sum to the sum, and blocks end in any order.
__global__ void by_blocks(int n, float* sum) {
  const float total = block_sum(thread_sum(n));
  if (threadIdx.x == 0) atomicAdd(sum, total);
}

// In two passes: every block stores its sum in a place of its own; one block then adds these up, in their order.
__global__ void first_pass(int n, float* sums) {
  const float total = block_sum(thread_sum(n));
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void second_pass(const float* sums, int count, float* sum) {
  float mine = 0;
  for (int i = threadIdx.x; i < count; i += kThreadsPerBlock) mine += sums[i];
  const float total = block_sum(mine);
  if (threadIdx.x == 0) *sum = total;
}

int main(int argc, char** argv) {
  const int exponent = argc > 1 ? std::atoi(argv[1]) : 16;
  if (exponent < 8 || exponent > 26) return 2;
  const int n = 1 << exponent;
  const int all_blocks = n / kThreadsPerBlock;
  const int blocks = std::min(all_blocks, kMostBlocks);

  float* d_sum = nullptr;  // of each way
  float* d_sums = nullptr;
  CHECK(cudaMalloc(&d_sum, 3 * sizeof(float)));
  CHECK(cudaMalloc(&d_sums, blocks * sizeof(float)));
  CHECK(cudaMemset(d_sum, 0, 3 * sizeof(float)));

  one_by_one<<<all_blocks, kThreadsPerBlock>>>(n, d_sum);
  by_blocks<<<blocks, kThreadsPerBlock>>>(n, d_sum + 1);
  first_pass<<<blocks, kThreadsPerBlock>>>(n, d_sums);
  second_pass<<<1, kThreadsPerBlock>>>(d_sums, blocks, d_sum + 2);
  CHECK(cudaGetLastError());

  float sum[3];
  CHECK(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_sums));
  CHECK(cudaFree(d_sum));
  std::printf("rectangles     %d\n", n);
  std::printf("one by one     %.8f\n", sum[0] / n);
  std::printf("by blocks      %.8f\n", sum[1] / n);
  std::printf("in two passes  %.8f\n", sum[2] / n);
}
