// What the runtime answers when it is asked for what cannot be: codes, and when they are given.
#include <cstdint>

#include "check.cuh"

__constant__ float constants[8];

__global__ void shared_user(float* p) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}
__global__ void __launch_bounds__(128) bounded(int* p) { *p = 1; }
__global__ void store(int* p, long long i) { p[i] = 1; }
__global__ void fail() { asm("trap;"); }

#define SHOW(call) std::printf("%-60s %s\n", #call, cudaGetErrorName(call))

int main() {
  int* d;
  int h[200];
  CHECK(cudaMalloc(&d, 400));
  void* other;
  SHOW(cudaMalloc(&other, 0));
  SHOW(cudaFree(nullptr));
  SHOW(cudaFree(h));
  SHOW(cudaFree(d + 1));
  SHOW(cudaMalloc(&other, size_t{1} << 50));
  SHOW(cudaMemcpy(h, d, 400, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(h, d, 404, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(d, h, 400, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(h, d, 400, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(d, h, 4, static_cast<cudaMemcpyKind>(9)));
  SHOW(cudaMemset(d, 0, 404));
  SHOW(cudaMemset(h, 0, 4));
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());
  shared_user<<<1, 1025>>>(reinterpret_cast<float*>(d));
  SHOW(cudaPeekAtLastError());
  SHOW(cudaGetLastError());
  shared_user<<<dim3(1, 65536), 1>>>(reinterpret_cast<float*>(d));
  SHOW(cudaGetLastError());
  shared_user<<<0, 1>>>(reinterpret_cast<float*>(d));
  SHOW(cudaGetLastError());
  shared_user<<<1, 1, 49153>>>(reinterpret_cast<float*>(d));
  SHOW(cudaGetLastError());
  bounded<<<1, 256>>>(d);
  SHOW(cudaGetLastError());
  SHOW(cudaMemcpyToSymbol(constants, h, 32));
  SHOW(cudaMemcpyToSymbol(constants, h, 36));
  SHOW(cudaMemcpyToSymbol(static_cast<const void*>(h), h, 4));
  cudaEvent_t first, second;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&second));
  float milliseconds;
  SHOW(cudaEventElapsedTime(&milliseconds, first, second));
  SHOW(cudaEventQuery(first));
  SHOW(cudaEventDestroy(nullptr));
  SHOW(cudaStreamDestroy(nullptr));
  SHOW(cudaSetDevice(1000));
  std::printf("%s\n", cudaGetErrorString(cudaErrorInvalidValue));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, d + 3));
  std::printf("device pointer: type %d\n", static_cast<int>(attributes.type));
  CHECK(cudaPointerGetAttributes(&attributes, h));
  std::printf("host pointer: type %d\n", static_cast<int>(attributes.type));
  SHOW(cudaDeviceSynchronize());
  fail<<<1, 1>>>();
  SHOW(cudaGetLastError());
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());
  SHOW(cudaMalloc(&other, 4));
  return 0;
}
