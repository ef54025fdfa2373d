// What this device reaches today, by kernels that do nothing but read, copy, triad, or multiply and add.
//
//   lanewise-roofs [--mebibytes N] [--samples N] [--multiplications N]
//
// Prints a line per roof, "read 4213.4 GB/s", "ffma 61.20 TFLOP/s": the median of the fastest kernel (plain accesses or
// streaming ones, one to four vectors per thread, two sizes of arrays), bytes read and written counted together, as in
// STREAM (J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995). What
// each kernel computes is checked afterwards; a wrong result ends the program with code 1.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
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

constexpr int kThreads = 256;  // per block
constexpr int kChains = 8;     // independent chains per thread: hides the latency of FFMA, 4 cycles, twice
constexpr double kWarmUpSeconds = 0.3;
constexpr double kAgainSeconds = 0.02;            // before each further kernel: the clocks are up already
constexpr long kMostMultiplications = 2'000'000;  // the sum of a thread's chains is then exact in a float

// Which accesses come nearest to the roof depends on the device and on the size: on an H200 plain ones do, elsewhere
// the hint that no byte is used twice helps.
struct Plain {
  template <typename Vector>
  static __device__ Vector load(const Vector* from) {
    return *from;
  }
  static __device__ void store(float4* to, float4 vector) { *to = vector; }
};

struct Streaming {
  template <typename Vector>
  static __device__ Vector load(const Vector* from) {
    return __ldcs(from);
  }
  static __device__ void store(float4* to, float4 vector) { __stcs(to, vector); }
};

/// Where a thread's vectors begin. A block's tile is kThreads * kVectors vectors, a row of kThreads at a time.
template <int kVectors>
__device__ size_t first_of(int tile) {
  return static_cast<size_t>(tile) * kThreads * kVectors + threadIdx.x;
}

/// Adds up all of `in`, a word of `sums` per thread.
template <typename Access, int kVectors>
__global__ void read(const uint4* __restrict__ in, unsigned* __restrict__ sums, int tiles) {
  unsigned sum = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint4* const mine = in + first_of<kVectors>(tile);
    uint4 vectors[kVectors];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) vectors[i] = Access::load(mine + i * kThreads);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) sum += vectors[i].x + vectors[i].y + vectors[i].z + vectors[i].w;
  }
  sums[static_cast<size_t>(blockIdx.x) * kThreads + threadIdx.x] = sum;
}

template <typename Access, int kVectors>
__global__ void copy(const float4* __restrict__ in, float4* __restrict__ out) {
  const size_t first = first_of<kVectors>(static_cast<int>(blockIdx.x));
  float4 vectors[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) vectors[i] = Access::load(in + first + i * kThreads);
#pragma unroll
  for (int i = 0; i < kVectors; ++i) Access::store(out + first + i * kThreads, vectors[i]);
}

template <typename Access, int kVectors>
__global__ void triad(const float4* __restrict__ b, const float4* __restrict__ c, float factor,
                      float4* __restrict__ a) {
  const size_t first = first_of<kVectors>(static_cast<int>(blockIdx.x));
  float4 left[kVectors];
  float4 right[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    left[i] = Access::load(b + first + i * kThreads);
    right[i] = Access::load(c + first + i * kThreads);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const float4 l = left[i];
    const float4 r = right[i];
    Access::store(a + first + i * kThreads,
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
  size_t mebibytes = 4096;  // per array; then a quarter of it, which is still twenty times the largest L2 cache
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
      return elapsed.count() >= warm_up_;
    };
    do {
      time_one(launch);
    } while (!is_warm());
    warm_up_ = kAgainSeconds;
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
  double warm_up_ = kWarmUpSeconds;
  void* flushed_ = nullptr;
  size_t flushed_bytes_ = 0;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

void require(bool is_right, const char* roof) {
  if (is_right) return;
  std::fprintf(stderr, "lanewise-roofs: %s computed a wrong result\n", roof);
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

/// The arrays of one size, and what kernels reach with them.
class MemoryRoofs {
 public:
  MemoryRoofs(size_t bytes, int multiprocessors, Bench& bench)
      : bytes_(bytes), multiprocessors_(multiprocessors), bench_(bench) {
    for (int which = 0; which < 3; ++which) {
      CHECK(cudaMalloc(&arrays_[which], bytes_));
      fill_with(which, static_cast<float>(which + 1));
    }
  }
  ~MemoryRoofs() {
    for (float* const array : arrays_) cudaFree(array);
  }
  MemoryRoofs(const MemoryRoofs&) = delete;
  MemoryRoofs& operator=(const MemoryRoofs&) = delete;

  /// Bytes per second of each, by the fastest kernel. The copy leaves 1 in the second array, the triad 1 + 2 * 3 in
  /// the first.
  double read() {
    return best_of(1, [this](auto access, auto vectors) { return read_by(access, vectors); });
  }
  double copy() {
    const double kernels = best_of(2, [this](auto access, auto vectors) { return copy_by(access, vectors); });
    const double seconds =
        bench_.seconds_of([&] { CHECK(cudaMemcpyAsync(arrays_[1], arrays_[0], bytes_, cudaMemcpyDeviceToDevice)); });
    return std::max(kernels, 2 * static_cast<double>(bytes_) / seconds);
  }
  double triad() {
    return best_of(3, [this](auto access, auto vectors) { return triad_by(access, vectors); });
  }

 private:
  template <int kVectors>
  using Count = std::integral_constant<int, kVectors>;

  /// `seconds_by`: of the kernel with these accesses, and so many vectors per thread.
  template <typename SecondsBy>
  double best_of(int passes, const SecondsBy& seconds_by) {
    const double seconds =
        std::min({seconds_by(Plain{}, Count<1>{}), seconds_by(Plain{}, Count<2>{}), seconds_by(Plain{}, Count<4>{}),
                  seconds_by(Streaming{}, Count<1>{}), seconds_by(Streaming{}, Count<4>{})});
    return passes * static_cast<double>(bytes_) / seconds;
  }

  template <typename Access, int kVectors>
  double read_by(Access /*access*/, Count<kVectors> /*vectors*/) {
    const int tiles = tiles_of(kVectors);
    // As many blocks as are resident at a time, or one per tile.
    return std::min(read_in_blocks<Access, kVectors>(std::min(tiles, 8 * multiprocessors_)),
                    read_in_blocks<Access, kVectors>(tiles));
  }

  template <typename Access, int kVectors>
  double read_in_blocks(int blocks) {
    const size_t threads = static_cast<size_t>(blocks) * kThreads;
    unsigned* const d_sums = reinterpret_cast<unsigned*>(arrays_[1]);  // a word per thread, which reads 16 bytes
    const auto launch = [&] {
      ::read<Access, kVectors>
          <<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(arrays_[2]), d_sums, tiles_of(kVectors));
    };
    const double seconds = bench_.seconds_of(launch);
    std::vector<unsigned> sums(threads);
    CHECK(cudaMemcpy(sums.data(), d_sums, threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned sum = 0;  // modulo 2^32, as the threads' own
    for (const unsigned each : sums) sum += each;
    constexpr unsigned kBitsOfThree = 0x40400000;
    require(sum == static_cast<unsigned>(floats()) * kBitsOfThree, "read");
    return seconds;
  }

  template <typename Access, int kVectors>
  double copy_by(Access /*access*/, Count<kVectors> /*vectors*/) {
    fill_with(0, 1);
    fill_with(1, 0);
    const double seconds = bench_.seconds_of(
        [&] { ::copy<Access, kVectors><<<tiles_of(kVectors), kThreads>>>(vectors_of(0), vectors_of(1)); });
    require(all_are(arrays_[1], floats(), 1), "copy");
    return seconds;
  }

  template <typename Access, int kVectors>
  double triad_by(Access /*access*/, Count<kVectors> /*vectors*/) {
    fill_with(0, 0);
    const double seconds = bench_.seconds_of([&] {
      ::triad<Access, kVectors><<<tiles_of(kVectors), kThreads>>>(vectors_of(1), vectors_of(2), 2, vectors_of(0));
    });
    require(all_are(arrays_[0], floats(), 7), "triad");  // 1 + 2 * 3
    return seconds;
  }

  size_t floats() const { return bytes_ / sizeof(float); }
  /// A MiB is 64 tiles of the longest kind.
  int tiles_of(int vectors) const { return static_cast<int>(bytes_ / (kThreads * vectors * sizeof(float4))); }
  float4* vectors_of(int which) { return reinterpret_cast<float4*>(arrays_[which]); }
  void fill_with(int which, float value) {
    fill<<<static_cast<unsigned>(std::min<size_t>(4096, floats() / kThreads)), kThreads>>>(arrays_[which], floats(),
                                                                                           value);
    CHECK(cudaDeviceSynchronize());
  }

  size_t bytes_;
  int multiprocessors_;
  Bench& bench_;
  float* arrays_[3] = {};
};

/// Each with the sizes that fit into the device's memory.
void memory_roofs(const Options& options, int multiprocessors, Bench& bench) {
  size_t unused = 0, all = 0;
  CHECK(cudaMemGetInfo(&unused, &all));
  const size_t mebibytes = std::min(options.mebibytes, unused >> 22);  // a quarter of it for each of three arrays
  double read = 0, copy = 0, triad = 0;
  for (const size_t size : {std::max<size_t>(mebibytes / 4, 1), std::max<size_t>(mebibytes, 1)}) {
    MemoryRoofs roofs(size << 20, multiprocessors, bench);
    read = std::max(read, roofs.read());
    copy = std::max(copy, roofs.copy());
    triad = std::max(triad, roofs.triad());
  }
  std::printf("read %.1f GB/s\ncopy %.1f GB/s\ntriad %.1f GB/s\n", read / 1e9, copy / 1e9, triad / 1e9);
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
