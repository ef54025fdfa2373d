// The example of lecture 02, a whole program: the temperatures of a day, converted from Celsius to Fahrenheit.
//
//   nvcc -lineinfo -cudart shared -o fahrenheit fahrenheit.cu
//   ./fahrenheit                          with a GPU
//   build/lanewise run -- ./fahrenheit    without one
#include <cstddef>
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

// The sequential program.
void convert_on_host(float* t, int n) {
  for (int i = 0; i < n; ++i) {
    t[i] = 1.8f * t[i] + 32.0f;
  }
}

// What one thread does: one step of that loop.
__global__ void convert_kernel(float* t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    t[i] = 1.8f * t[i] + 32.0f;
  }
}

// The same on the device, for n >= 1 temperatures in host memory.
void convert(float* t_h, int n) {
  const std::size_t bytes = n * sizeof(float);
  float* d_t = nullptr;
  CHECK(cudaMalloc(&d_t, bytes));

  CHECK(cudaMemcpy(d_t, t_h, bytes, cudaMemcpyHostToDevice));

  const int threads_per_block = 256;
  const int blocks = (n + threads_per_block - 1) / threads_per_block;
  convert_kernel<<<blocks, threads_per_block>>>(d_t, n);
  CHECK(cudaGetLastError());

  CHECK(cudaMemcpy(t_h, d_t, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_t));
}

int main() {
  constexpr int kReadings = 750;
  float t[kReadings];
  float expected[kReadings];
  for (int i = 0; i < kReadings; ++i) {
    t[i] = expected[i] = 0.1f * static_cast<float>(i) - 20.0f;
  }

  convert(t, kReadings);

  convert_on_host(expected, kReadings);
  int wrong = 0;
  for (int i = 0; i < kReadings; ++i) {
    if (std::abs(t[i] - expected[i]) > 0.001f) ++wrong;
  }
  std::printf("t[0] = %.1f, t[749] = %.1f, %d of %d wrong\n", t[0], t[749], wrong, kReadings);
  return wrong == 0 ? 0 : 1;
}
