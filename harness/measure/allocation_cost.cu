// What it costs the host to allocate device memory and to free it, by size, and to create and destroy a stream.
//
//   nvcc -std=c++17 -arch=sm_90 -o allocation_cost harness/measure/allocation_cost.cu && ./allocation_cost
//
// Prints the median of each in microseconds. The built-in profiles' malloc_host_nanoseconds and free_host_nanoseconds
// come from here (harness/vgpu/cost/profiles); labs/measure/device_profile.cu measures them for one size.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t error_ = (call);                                                      \
    if (error_ != cudaSuccess) {                                                            \
      std::fprintf(stderr, "allocation_cost: %s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

namespace {

constexpr int kSamples = 31;

template <class Call>
double microseconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kSamples / 2, values.end());
  return values[kSamples / 2];
}

// Allocates and touches the memory, as a program does, so that nothing is left for later.
void measure_memory(std::size_t bytes) {
  std::vector<double> allocating, freeing;
  for (int sample = 0; sample < kSamples; ++sample) {
    void* memory = nullptr;
    allocating.push_back(microseconds([&] { CHECK(cudaMalloc(&memory, bytes)); }));
    CHECK(cudaMemset(memory, sample, bytes));
    CHECK(cudaDeviceSynchronize());
    freeing.push_back(microseconds([&] { CHECK(cudaFree(memory)); }));
  }
  std::printf("%8.3f MiB   cudaMalloc %7.1f   cudaFree %7.1f\n", static_cast<double>(bytes) / (1 << 20),
              median(allocating), median(freeing));
}

void measure_streams() {
  std::vector<double> creating, destroying;
  for (int sample = 0; sample < kSamples; ++sample) {
    cudaStream_t stream = nullptr;
    creating.push_back(microseconds([&] { CHECK(cudaStreamCreate(&stream)); }));
    destroying.push_back(microseconds([&] { CHECK(cudaStreamDestroy(stream)); }));
  }
  std::printf("cudaStreamCreate %.1f   cudaStreamDestroy %.1f\n", median(creating), median(destroying));
}

}  // namespace

int main() {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  std::printf("%s, microseconds\n", device.name);
  for (std::size_t bytes = std::size_t{1} << 10; bytes <= std::size_t{1} << 30; bytes *= 4) measure_memory(bytes);
  measure_streams();
}
