// What a texture fetch costs beside a load of the same word from the first-level cache: how many cycles a
// multiprocessor needs per warp, and how long a warp waits for one.
//
//   nvcc -std=c++17 -arch=sm_90 -o texture_cost harness/measure/texture_cost.cu && ./texture_cost
//
// The cost of `tex` in harness/vgpu/cost/instruction_cost.cpp comes from here.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t error_ = (call);                                                   \
    if (error_ != cudaSuccess) {                                                         \
      std::fprintf(stderr, "texture_cost: %s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

namespace {

constexpr int kThreads = 1024;
constexpr int kWords = 4096;  // 16 KiB: they stay in the first-level cache
constexpr int kUnrolled = 8;
constexpr int kRounds = 1024;

template <bool kByTexture>
__device__ int fetch(cudaTextureObject_t texture, const int* __restrict__ data, int i) {
  if constexpr (kByTexture)
    return tex1Dfetch<int>(texture, i);
  else
    return __ldg(data + i);
}

// Independent fetches of a whole block; cycles of the block.
template <bool kByTexture>
__global__ void rate(cudaTextureObject_t texture, const int* data, long long* cycles, int* result) {
  int sum = 0;
  for (int i = threadIdx.x; i < kWords; i += kThreads) sum += fetch<kByTexture>(texture, data, i);
  __syncthreads();
  const long long begin = clock64();
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int n = 0; n < kUnrolled; ++n)
      sum += fetch<kByTexture>(texture, data, (threadIdx.x + (round + n) * 32) % kWords);
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  result[threadIdx.x] = sum;
}

// One warp, each fetch at the place that the one before names: zero, but nobody knows.
template <bool kByTexture>
__global__ void wait(cudaTextureObject_t texture, const int* data, long long* cycles, int* result) {
  int at = fetch<kByTexture>(texture, data, static_cast<int>(threadIdx.x));
  const long long begin = clock64();
  for (int round = 0; round < kRounds; ++round)
    at = fetch<kByTexture>(texture, data, at + static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  result[threadIdx.x] = at;
}

template <class Kernel>
double cycles_of(Kernel kernel, int threads, cudaTextureObject_t texture, const int* data, long long* cycles,
                 int* result) {
  long long least = 0;
  for (int sample = 0; sample < 5; ++sample) {
    kernel<<<1, threads>>>(texture, data, cycles, result);
    CHECK(cudaGetLastError());
    long long taken = 0;
    CHECK(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
    if (sample == 0 || taken < least) least = taken;
  }
  return static_cast<double>(least);
}

}  // namespace

int main() {
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  int *data = nullptr, *result = nullptr;
  long long* cycles = nullptr;
  CHECK(cudaMalloc(&data, kWords * sizeof(int)));
  CHECK(cudaMemset(data, 0, kWords * sizeof(int)));
  CHECK(cudaMalloc(&result, kThreads * sizeof(int)));
  CHECK(cudaMalloc(&cycles, sizeof(long long)));

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = kWords * sizeof(int);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));

  constexpr double kRequests = static_cast<double>(kRounds) * kUnrolled * (kThreads / 32);
  std::printf("%s\n", device.name);
  std::printf("cycles per request of a multiprocessor:  load %.2f, texture %.2f\n",
              cycles_of(rate<false>, kThreads, texture, data, cycles, result) / kRequests,
              cycles_of(rate<true>, kThreads, texture, data, cycles, result) / kRequests);
  std::printf("cycles until a warp has it:              load %.0f, texture %.0f\n",
              cycles_of(wait<false>, 32, texture, data, cycles, result) / kRounds,
              cycles_of(wait<true>, 32, texture, data, cycles, result) / kRounds);
}
