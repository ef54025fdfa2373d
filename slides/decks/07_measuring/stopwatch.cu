// Times a copy with two events, and forgets to ask whether the kernel was launched: the example of lecture 07.
//
//   nvcc -lineinfo -cudart shared -o stopwatch stopwatch.cu
//   lanewise run -- ./stopwatch
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (false)

constexpr int kThreads = 256;
constexpr std::size_t kFloats = std::size_t{1} << 23;

__global__ void copy_kernel(const float* from, float* to) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  to[i] = from[i];
}

int main() {
  float *from = nullptr, *to = nullptr;
  CHECK(cudaMalloc(&from, kFloats * sizeof(float)));
  CHECK(cudaMalloc(&to, kFloats * sizeof(float)));
  CHECK(cudaMemset(from, 0, kFloats * sizeof(float)));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));

  CHECK(cudaEventRecord(begin));
  copy_kernel<<<kFloats / kThreads, kThreads>>>(from, to);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));

  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  const double bytes = 2.0 * kFloats * sizeof(float);  // read and written
  std::printf("%.4f ms, %.0f GB/s\n", milliseconds, bytes / milliseconds / 1e6);

  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
}
