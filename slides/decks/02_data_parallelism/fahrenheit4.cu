// The example of lecture 02 again, with four temperatures per thread: a float4 is loaded and stored at once, 16 bytes.
// Only for a multiple of four.
//
//   nvcc -lineinfo -cudart shared -o fahrenheit4 fahrenheit4.cu
//   ./fahrenheit4                         with a GPU
//   build/lanewise run -- ./fahrenheit4   without one
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

__device__ float fahrenheit(float celsius) { return 1.8f * celsius + 32.0f; }

// What one thread does: temperatures 4 i to 4 i + 3.
__global__ void convert4_kernel(float* t, int fours) {
  float4* t4 = reinterpret_cast<float4*>(t);  // the same address, seen as groups of four
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < fours) {
    float4 v = t4[i];  // one load of 16 bytes
    v.x = fahrenheit(v.x);
    v.y = fahrenheit(v.y);
    v.z = fahrenheit(v.z);
    v.w = fahrenheit(v.w);
    t4[i] = v;  // one store of 16 bytes
  }
}

int main() {
  constexpr int kReadings = 752;
  static_assert(kReadings % 4 == 0, "convert4_kernel leaves no reading over");
  float t[kReadings];
  float expected[kReadings];
  for (int i = 0; i < kReadings; ++i) {
    t[i] = 0.1f * static_cast<float>(i) - 20.0f;
    expected[i] = 1.8f * t[i] + 32.0f;
  }

  float* d_t = nullptr;
  CHECK(cudaMalloc(&d_t, sizeof(t)));
  CHECK(cudaMemcpy(d_t, t, sizeof(t), cudaMemcpyHostToDevice));
  const int fours = kReadings / 4;
  const int threads_per_block = 256;
  convert4_kernel<<<(fours + threads_per_block - 1) / threads_per_block, threads_per_block>>>(d_t, fours);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(t, d_t, sizeof(t), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_t));

  int wrong = 0;
  for (int i = 0; i < kReadings; ++i) {
    if (std::abs(t[i] - expected[i]) > 0.001f) ++wrong;
  }
  std::printf("t[0] = %.1f, t[751] = %.1f, %d of %d wrong\n", t[0], t[751], wrong, kReadings);
  return wrong == 0 ? 0 : 1;
}
