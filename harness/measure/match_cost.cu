// What finding the lanes that hold the same digit costs: one __match_any_sync, or a ballot per bit of the digit.
//
//   nvcc -std=c++17 -arch=sm_90 -o match_cost harness/measure/match_cost.cu && ./match_cost
//
// Prints a line per number of different digits in a warp: clocks of a multiprocessor per row of 32 digits, all of its
// schedulers busy. The device profiles' match_clocks come from here (harness/vgpu/cost/profiles), and what the sort
// handout says of the two. Both ways must find the same lanes, or the program ends with code 1.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    const cudaError_t error_ = (call);                                                 \
    if (error_ != cudaSuccess) {                                                       \
      std::fprintf(stderr, "match_cost: %s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (0)

namespace {

constexpr int kThreads = 1024, kBlocksPerMultiprocessor = 2, kRows = 4096, kSamples = 7, kDigitBits = 8;
constexpr unsigned kAllLanes = 0xFFFFFFFF;

__device__ unsigned peers_by_match(unsigned digit) { return __match_any_sync(kAllLanes, digit); }

__device__ unsigned peers_by_ballots(unsigned digit) {
  unsigned peers = kAllLanes;
  for (int bit = 0; bit < kDigitBits; ++bit) {
    const bool is_set = (digit >> bit & 1) != 0;
    const unsigned with = __ballot_sync(kAllLanes, is_set);
    peers &= is_set ? with : ~with;
  }
  return peers;
}

// `different` digits in every warp and row, other ones in each row.
template <bool kByMatch>
__global__ void find_peers(unsigned different, unsigned* sums) {
  unsigned digit = threadIdx.x % different * (256 / different), sum = 0;
  for (int row = 0; row < kRows; ++row) {
    sum = sum * 3 + (kByMatch ? peers_by_match(digit) : peers_by_ballots(digit));
    digit = (digit + 1) % 256;
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

struct Device {
  int multiprocessors = 0, kilohertz = 0;
  int blocks() const { return multiprocessors * kBlocksPerMultiprocessor; }
  int threads() const { return blocks() * kThreads; }
};

// Clocks of a multiprocessor per row: the median sample.
template <bool kByMatch>
double clocks_per_row(const Device& device, unsigned different, unsigned* sums) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float samples[kSamples];
  for (float& milliseconds : samples) {
    CHECK(cudaEventRecord(begin));
    find_peers<kByMatch><<<device.blocks(), kThreads>>>(different, sums);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(samples, samples + kSamples);
  const double rows = static_cast<double>(kRows) * kThreads / 32 * kBlocksPerMultiprocessor;
  return samples[kSamples / 2] * device.kilohertz / rows;
}

unsigned checksum(const Device& device, const unsigned* sums) {
  unsigned* const copy = static_cast<unsigned*>(std::malloc(device.threads() * sizeof(unsigned)));
  CHECK(cudaMemcpy(copy, sums, device.threads() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (int n = 0; n < device.threads(); ++n) sum = sum * 5 + copy[n];
  std::free(copy);
  return sum;
}

}  // namespace

int main() {
  Device device;
  CHECK(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaDeviceGetAttribute(&device.kilohertz, cudaDevAttrClockRate, 0));
  unsigned* sums = nullptr;
  CHECK(cudaMalloc(&sums, device.threads() * sizeof(unsigned)));
  std::printf("different digits   match   ballots\n");
  for (const unsigned different : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const double match = clocks_per_row<true>(device, different, sums);
    const unsigned by_match = checksum(device, sums);
    const double ballots = clocks_per_row<false>(device, different, sums);
    if (checksum(device, sums) != by_match) {
      std::fprintf(stderr, "match_cost: with %u different digits the two ways find different lanes\n", different);
      return 1;
    }
    std::printf("%16u %7.1f %9.1f\n", different, match, ballots);
  }
  CHECK(cudaFree(sums));
}
