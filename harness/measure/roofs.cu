// What this device reaches today, by four kernels that do nothing else: read, copy, triad, multiply and add.
//
//   lanewise-roofs [--mebibytes N] [--samples N] [--multiplications N]
//
// Prints a line a roof, "read 4213.4 GB/s", "ffma 61.20 TFLOP/s": medians, bytes that are read and written counted
// together, as in STREAM (J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers",
// 1995). What each kernel computes is checked afterwards; a wrong result ends the program with code 1.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error_ = (call);                                                     \
    if (error_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "lanewise-roofs: %s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

namespace {

constexpr int kThreads = 256;               // of a block
constexpr int kVectors = 4;                 // of 16 bytes that a thread has on their way at once
constexpr int kTile = kThreads * kVectors;  // vectors of a block
constexpr int kChains = 8;  // independent chains of a thread: hides the latency of FFMA, 4 cycles, twice
constexpr double kWarmUpSeconds = 0.3;
constexpr long kMostMultiplications = 2'000'000;  // the sum of a thread's chains is then exact in a float

/// Adds up all of `in`; blocks must not outnumber its tiles.
__global__ void read(const uint4* __restrict__ in, unsigned* __restrict__ sums, int tiles) {
  unsigned sum = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint4* const mine = in + static_cast<size_t>(tile) * kTile + threadIdx.x;
    uint4 vectors[kVectors];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) vectors[i] = __ldcs(mine + i * kThreads);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) sum += vectors[i].x + vectors[i].y + vectors[i].z + vectors[i].w;
  }
  sums[static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x] = sum;
}

__global__ void copy(const float4* __restrict__ in, float4* __restrict__ out) {
  const size_t first = static_cast<size_t>(blockIdx.x) * kTile + threadIdx.x;
  float4 vectors[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) vectors[i] = __ldcs(in + first + i * kThreads);
#pragma unroll
  for (int i = 0; i < kVectors; ++i) __stcs(out + first + i * kThreads, vectors[i]);
}

__global__ void triad(const float4* __restrict__ b, const float4* __restrict__ c, float factor,
                      float4* __restrict__ a) {
  const size_t first = static_cast<size_t>(blockIdx.x) * kTile + threadIdx.x;
  float4 left[kVectors];
  float4 right[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    left[i] = __ldcs(b + first + i * kThreads);
    right[i] = __ldcs(c + first + i * kThreads);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const float4 l = left[i];
    const float4 r = right[i];
    __stcs(a + first + i * kThreads,
           make_float4(l.x + factor * r.x, l.y + factor * r.y, l.z + factor * r.z, l.w + factor * r.w));
  }
}

/// `factor` and `term` are arguments so that the compiler cannot do the work beforehand.
__global__ void multiply_and_add(float factor, float term, int times, float* __restrict__ out) {
  float chains[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) chains[i] = static_cast<float>(i);
#pragma unroll 16
  for (int step = 0; step < times; ++step) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) chains[i] = fmaf(chains[i], factor, term);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) sum += chains[i];
  out[static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x] = sum;
}

__global__ void fill(float* out, size_t count, float value) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) out[i] = value;
}

__global__ void count_others(const float* in, size_t count, float value, unsigned* others) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
    if (in[i] != value) atomicAdd(others, 1U);
}

struct Options {
  size_t mebibytes = 1024;  // an array: twenty times the largest L2 cache
  int samples = 31;
  int multiplications = 65536;  // of each chain: some milliseconds
};

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const long value = i + 1 < count ? std::atol(words[i + 1]) : 0;
    if (value > 0 && std::strcmp(words[i], "--mebibytes") == 0) {
      options.mebibytes = static_cast<size_t>(value);
    } else if (value > 0 && std::strcmp(words[i], "--samples") == 0) {
      options.samples = static_cast<int>(value);
    } else if (value > 0 && value <= kMostMultiplications && std::strcmp(words[i], "--multiplications") == 0) {
      options.multiplications = static_cast<int>(value);
    } else {
      std::fprintf(stderr, "usage: lanewise-roofs [--mebibytes N] [--samples N] [--multiplications N]\n");
      std::exit(2);
    }
    ++i;
  }
  return options;
}

class Bench {
 public:
  explicit Bench(const Options& options) : samples_(options.samples) {
    int cache_bytes = 0;
    CHECK(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, 0));
    flushed_bytes_ = std::min<size_t>(2 * static_cast<size_t>(cache_bytes), options.mebibytes << 20);
    CHECK(cudaMalloc(&flushed_, flushed_bytes_));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }

  /// Median seconds of a launch, once the clocks are up.
  double seconds_of(const std::function<void()>& launch) {
    const auto started = std::chrono::steady_clock::now();
    const auto is_warm = [&] {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
      return elapsed.count() >= kWarmUpSeconds;
    };
    do {
      time_one(launch);
    } while (!is_warm());
    std::vector<double> seconds;
    for (int i = 0; i < samples_; ++i) seconds.push_back(time_one(launch));
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }

 private:
  double time_one(const std::function<void()>& launch) {
    CHECK(cudaMemsetAsync(flushed_, 0, flushed_bytes_));  // dirty lines of the sample before are in memory now
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin_));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end_));
    CHECK(cudaDeviceSynchronize());
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return std::max(1e-9, 1e-3 * static_cast<double>(milliseconds));
  }

  int samples_;
  void* flushed_ = nullptr;
  size_t flushed_bytes_ = 0;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

void require(bool is_right, const char* roof) {
  if (is_right) return;
  std::fprintf(stderr, "lanewise-roofs: %s computed something else than it should\n", roof);
  std::exit(1);
}

bool all_are(const float* values, size_t count, float value) {
  unsigned* d_others = nullptr;
  unsigned others = 0;
  CHECK(cudaMalloc(&d_others, sizeof(unsigned)));
  CHECK(cudaMemset(d_others, 0, sizeof(unsigned)));
  count_others<<<static_cast<unsigned>(std::min<size_t>(4096, (count + kThreads - 1) / kThreads)), kThreads>>>(
      values, count, value, d_others);
  CHECK(cudaMemcpy(&others, d_others, sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_others));
  return others == 0;
}

void memory_roofs(const Options& options, int multiprocessors, Bench& bench) {
  const size_t bytes = options.mebibytes << 20;
  const size_t floats = bytes / sizeof(float);
  const int tiles = static_cast<int>(bytes / (kTile * sizeof(float4)));  // a MiB is 64 of them
  float* arrays[3] = {};
  for (float*& array : arrays) CHECK(cudaMalloc(&array, bytes));
  const auto vectors = [&arrays](int which) { return reinterpret_cast<float4*>(arrays[which]); };
  const auto fill_with = [&](int which, float value) {
    fill<<<static_cast<unsigned>(std::min<size_t>(4096, floats / kThreads)), kThreads>>>(arrays[which], floats, value);
    CHECK(cudaDeviceSynchronize());
  };
  const auto tell = [bytes](const char* name, int passes, double seconds) {
    std::printf("%s %.1f GB/s\n", name, static_cast<double>(bytes) * passes / seconds / 1e9);
  };
  for (int which = 0; which < 3; ++which) fill_with(which, static_cast<float>(which + 1));

  const int blocks = std::min(tiles, 8 * multiprocessors);
  const size_t sums = static_cast<size_t>(blocks) * kThreads;
  unsigned* d_sums = nullptr;
  CHECK(cudaMalloc(&d_sums, sums * sizeof(unsigned)));
  tell("read", 1,
       bench.seconds_of([&] { read<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(arrays[0]), d_sums, tiles); }));
  std::vector<unsigned> thread_sums(sums);
  CHECK(cudaMemcpy(thread_sums.data(), d_sums, sums * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_sums));
  unsigned sum = 0;  // modulo 2^32, as the threads' own
  for (const unsigned each : thread_sums) sum += each;
  constexpr unsigned kBitsOfOne = 0x3F800000;
  require(sum == static_cast<unsigned>(floats) * kBitsOfOne, "read");

  tell("copy", 2, bench.seconds_of([&] { copy<<<tiles, kThreads>>>(vectors(0), vectors(1)); }));
  require(all_are(arrays[1], floats, 1), "copy");

  tell("triad", 3, bench.seconds_of([&] { triad<<<tiles, kThreads>>>(vectors(1), vectors(2), 2, vectors(0)); }));
  require(all_are(arrays[0], floats, 7), "triad");  // 1 + 2 * 3
  for (float* array : arrays) CHECK(cudaFree(array));
}

void arithmetic_roof(const Options& options, int multiprocessors, Bench& bench) {
  const int blocks = 8 * multiprocessors;  // 64 warps a multiprocessor where so many fit, or two waves of 32
  const size_t threads = static_cast<size_t>(blocks) * kThreads;
  float* out = nullptr;
  CHECK(cudaMalloc(&out, threads * sizeof(float)));
  const double seconds =
      bench.seconds_of([&] { multiply_and_add<<<blocks, kThreads>>>(1, 1, options.multiplications, out); });
  const double flops = 2.0 * kChains * options.multiplications * static_cast<double>(threads);
  std::printf("ffma %.3f TFLOP/s\n", flops / seconds / 1e12);
  // Every chain has had 1 added so many times, from 0, 1, ... 7: 28 in all.
  require(all_are(out, threads, static_cast<float>(kChains * options.multiplications + 28)), "ffma");
  CHECK(cudaFree(out));
}

}  // namespace

int main(int count, char** words) {
  const Options options = read_options(count, words);
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  Bench bench(options);
  memory_roofs(options, multiprocessors, bench);
  arithmetic_roof(options, multiprocessors, bench);
  return 0;
}
