// How many results of one instruction a multiprocessor gives per clock: chains in registers, enough to keep the unit
// busy.
#pragma once

#include "measure.cuh"

struct Fp32Fma {
  using Number = float;
  static constexpr int kResults = 1;
  static __device__ float next(float value, float other) { return fmaf(value, other, other); }
};
struct Fp64Fma {
  using Number = double;
  static constexpr int kResults = 1;
  static __device__ double next(double value, double other) { return fma(value, other, other); }
};
struct Int32XorAndAdd {  // two results: additions alone would be merged by the compiler
  using Number = unsigned;
  static constexpr int kResults = 2;
  static __device__ unsigned next(unsigned value, unsigned other) { return (value ^ other) + other; }
};
struct ReciprocalRoot {
  using Number = float;
  static constexpr int kResults = 1;
  static __device__ float next(float value, float /*other*/) {
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
  }
};

constexpr int kChains = 4, kChainSteps = 32;

template <class Operation>
__global__ void chains(unsigned times, typename Operation::Number other, typename Operation::Number* results) {
  typename Operation::Number values[kChains];
  for (int chain = 0; chain < kChains; ++chain) values[chain] = threadIdx.x + chain;
  for (unsigned time = 0; time < times; ++time) {
#pragma unroll
    for (int step = 0; step < kChainSteps; ++step)
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain) values[chain] = Operation::next(values[chain], other);
  }
  for (int chain = 1; chain < kChains; ++chain) values[0] += values[chain];
  results[blockIdx.x * blockDim.x + threadIdx.x] = values[0];
}

/// With two blocks of eight warps on each multiprocessor, which is more than the chains' latencies need.
template <class Operation>
double results_per_clock(unsigned multiprocessors, double gigahertz, unsigned times) {
  constexpr unsigned kThreads = 256, kBlocks = 2;
  using Number = typename Operation::Number;
  const DeviceArray<Number> results(std::size_t{kBlocks} * multiprocessors * kThreads);
  const auto work = [&](int n) {
    chains<Operation><<<kBlocks * multiprocessors, kThreads>>>(n * times, Number(3), results.get());
  };
  const double clocks = nanoseconds_each(work, 1, 3) * gigahertz;
  return 1.0 * Operation::kResults * kBlocks * kThreads * kChains * kChainSteps * times / clocks;
}
