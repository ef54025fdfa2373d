// Numbers stored as half: twice as many per byte, but 11 significant bits instead of 24.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -cudart shared -o half labs/measure/half.cu
//   ./half 256                 on a GPU: 2^28 numbers
//   lanewise run -- ./half     on the virtual GPU
#include <cuda_fp16.h>

#include <cmath>

#include "measure.cuh"

namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

// to = from * 1.5 + 1, in float whatever the numbers are stored as.
__global__ void scale_float(const float* from, float* to, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) to[i] = from[i] * 1.5f + 1;
}

__global__ void scale_half(const __half* from, __half* to, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) to[i] = __float2half(__half2float(from[i]) * 1.5f + 1);
}

// Two at a time: as many bytes per lane as a float.
__global__ void scale_half2(const __half2* from, __half2* to, std::size_t pairs) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= pairs) return;
  const float2 pair = __half22float2(from[i]);
  to[i] = __floats2half2_rn(pair.x * 1.5f + 1, pair.y * 1.5f + 1);
}

__global__ void to_half(const float* from, __half* to, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) to[i] = __float2half(from[i]);
}

}  // namespace

int main(int argument_count, char** argument_list) {
  const Arguments arguments = arguments_of(argument_count, argument_list, "times 2^20 numbers", 1, 2048);
  const std::size_t count = static_cast<std::size_t>(arguments.size) << 20;
  const DeviceArray<float> floats(count), float_results(count);
  const DeviceArray<__half> halves(count), half_results(count);

  Chart times(arguments.csv, "numbers scaled, by how they are stored", "billions a second");
  const auto rate = [&](const std::function<void()>& work) {
    return static_cast<double>(count) / milliseconds(work) / 1e6;
  };
  times.add("float",
            rate([&] { scale_float<<<blocks_for(count), kThreads>>>(floats.get(), float_results.get(), count); }));
  times.add("half",
            rate([&] { scale_half<<<blocks_for(count), kThreads>>>(halves.get(), half_results.get(), count); }));
  times.add("half2", rate([&] {
              scale_half2<<<blocks_for(count / 2), kThreads>>>(reinterpret_cast<const __half2*>(halves.get()),
                                                               reinterpret_cast<__half2*>(half_results.get()),
                                                               count / 2);
            }));
  times.add("float to half",
            rate([&] { to_half<<<blocks_for(count), kThreads>>>(floats.get(), halves.get(), count); }));
  times.print();

  // What is lost: the relative error of a number that is stored as half, by its size.
  Chart errors(arguments.csv, "largest relative error of a half, by the size of the number", "per mille");
  for (const int exponent : {-24, -20, -14, 0, 10, 15}) {
    double worst = 0;
    for (int step = 0; step < 1000; ++step) {
      const double number = std::ldexp(1 + step / 1000.0, exponent);
      const double stored = static_cast<double>(__half2float(__float2half(static_cast<float>(number))));
      worst = std::max(worst, std::abs(stored - number) / number);
    }
    errors.add("2^" + std::to_string(exponent), 1000 * worst);
  }
  errors.print();
}
