// Warps that part, barriers, and atomic operations with more and less contention, each a kernel: what they take is held
// against Nsight Compute (scripts/counters_fidelity.sh).
#include "counter_patterns.cuh"

namespace {

// --- warps that part ---

__device__ int walk(const int* in, int at, int steps) {
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = (in[at] + at * 7 + k) & (kElements - 1);
  return at;
}

template <int kLanes>
__global__ void branch_of_lanes(const int* in, int* out) {
  int sum = here();
  if (lane() < kLanes) sum = walk(in, sum, 5);
  out[here()] = sum;
}

__global__ void branch_of_whole_warps(const int* in, int* out) {
  int sum = here();
  if (threadIdx.x / 32 % 2 == 0)
    sum = walk(in, sum, 5);
  else
    sum = walk(in, sum + 7, 3) * 3;
  out[here()] = sum;
}

__global__ void two_ways_by_even_and_odd(const int* in, int* out) {
  int sum = here();
  if (lane() % 2 == 0)
    sum = walk(in, sum, 5);
  else
    sum = walk(in, sum + 7, 3) * 3;
  out[here()] = sum;
}

__global__ void four_ways(const int* in, int* out) {
  int sum = here();
  switch (lane() & 3) {
    case 0:
      sum = walk(in, sum, 2);
      break;
    case 1:
      sum = walk(in, sum + 1, 3) * 3;
      break;
    case 2:
      sum = walk(in, sum + 2, 4) * 5;
      break;
    default:
      sum = walk(in, sum + 3, 5) * 7;
      break;
  }
  out[here()] = sum;
}

__global__ void loop_as_long_as_the_lane(const int* in, int* out) { out[here()] = walk(in, here(), lane()); }

__global__ void loop_by_data(const int* in, int* out) { out[here()] = walk(in, here(), in[here()] & 15); }

__global__ void nested_branches(const int* in, int* out) {
  int sum = here();
  if (lane() < 20) {
    sum = walk(in, sum, 2);
    if (lane() < 10) sum += walk(in, sum & 1023, 3);
    sum = walk(in, sum & 1023, 2);
  }
  out[here()] = sum;
}

__global__ void early_way_out(const int* in, int* out) {
  if (in[here()] < 128) return;
  out[here()] = walk(in, here(), 4);
}

// --- barriers ---

__global__ void barriers(const int* in, int* out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = in[here()];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    __syncthreads();
    const int value = values[(threadIdx.x + 32) % kThreads];
    __syncthreads();
    values[threadIdx.x] = value + k;
  }
  out[here()] = values[threadIdx.x];
}

// --- atomic operations on global memory: nobody looks at what they return ---

template <int kLanes>
__global__ void atomic_add(const int* in, int* out) {
  atomicAdd(&out[here() / kLanes], in[here()]);
}

template <int kStride>
__global__ void atomic_add_stride(const int* in, int* out) {
  atomicAdd(&out[here() * kStride], in[here()]);
}

__global__ void atomic_add_gather(const int* in, int* out) { atomicAdd(&out[in[here()] * 16], 1); }

__global__ void atomic_add_bins(const int* in, int* out) { atomicAdd(&out[in[here()] & 7], 1); }

/// Numbers below 2^32 that look random, 64 for each thread.
__device__ unsigned scrambled(int k) {
  unsigned x = (static_cast<unsigned>(here()) * 64 + static_cast<unsigned>(k)) * 2654435761u;
  x = (x ^ x >> 16) * 0x85EBCA6Bu;
  return x ^ x >> 13;
}

// Lanes meet at one word, at one sector, and at words that the unit takes for one another.
template <int kBins>
__global__ void atomic_add_random(const int* in, int* out) {
#pragma unroll 1
  for (int k = 0; k < 16; ++k) atomicAdd(&out[scrambled(k) % kBins], in[k]);
}

template <int kBins>
__global__ void atomic_add_random_long(const int* in, int* out) {
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    atomicAdd(&reinterpret_cast<unsigned long long*>(out)[scrambled(k) % kBins],
              static_cast<unsigned long long>(in[k]));
}

__global__ void atomic_add_random_by_some(const int* in, int* out) {
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    if (scrambled(k) >> 30 != 0) atomicAdd(&out[scrambled(k) % 256], in[k]);
}

__global__ void atomic_add_one_lane(const int* in, int* out) {
  const int value = in[here()];
  if (lane() == 0) atomicAdd(&out[0], value);
}

__global__ void atomic_add_float(const int* in, int* out) {
  atomicAdd(&reinterpret_cast<float*>(out)[here() / 4], static_cast<float>(in[here()]));
}

__global__ void atomic_add_double(const int* in, int* out) {
  atomicAdd(&reinterpret_cast<double*>(out)[here() / 4], static_cast<double>(in[here()]));
}

__global__ void atomic_add_long(const int* in, int* out) {
  atomicAdd(&reinterpret_cast<unsigned long long*>(out)[here()], static_cast<unsigned long long>(in[here()]));
}

__global__ void atomic_max(const int* in, int* out) { atomicMax(&out[here() / 8], in[here()]); }

// --- with a result ---

template <int kLanes>
__global__ void atomic_add_returned(const int* in, int* out) {
  if (atomicAdd(&out[here() / kLanes], in[here()]) < 0) out[kElements - 1] = 1;  // never
}

__global__ void atomic_exchange(const int* in, int* out) { out[here() + 1024] = atomicExch(&out[here()], in[here()]); }

__global__ void atomic_compare_and_swap(const int* in, int* out) {
  out[here() + 1024] = atomicCAS(&out[here()], 0, in[here()]);
}

// --- on shared memory ---

template <int kLanes>
__global__ void shared_atomic_add(const int* in, int* out) {
  __shared__ int bins[kThreads];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x / kLanes], in[here()]);
  __syncthreads();
  out[here()] = bins[threadIdx.x];
}

__global__ void shared_atomic_bins(const int* in, int* out) {
  __shared__ int bins[256];
  for (int k = static_cast<int>(threadIdx.x); k < 256; k += kThreads) bins[k] = 0;
  __syncthreads();
  atomicAdd(&bins[in[here()]], 1);
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < 256; k += kThreads) atomicAdd(&out[k], bins[k]);
}

const Pattern kPatterns[] = {
    PATTERN(branch_of_lanes<1>),
    PATTERN(branch_of_lanes<2>),
    PATTERN(branch_of_lanes<4>),
    PATTERN(branch_of_lanes<8>),
    PATTERN(branch_of_lanes<16>),
    PATTERN(branch_of_lanes<31>),
    PATTERN(branch_of_whole_warps),
    PATTERN(two_ways_by_even_and_odd),
    PATTERN(four_ways),
    PATTERN(loop_as_long_as_the_lane),
    PATTERN(loop_by_data),
    PATTERN(nested_branches),
    PATTERN(early_way_out),
    PATTERN(barriers),
    PATTERN(atomic_add<1>),
    PATTERN(atomic_add<2>),
    PATTERN(atomic_add<4>),
    PATTERN(atomic_add<8>),
    PATTERN(atomic_add<16>),
    PATTERN(atomic_add<32>),
    PATTERN(atomic_add_stride<2>),
    PATTERN(atomic_add_stride<8>),
    PATTERN(atomic_add_stride<33>),
    PATTERN(atomic_add_gather),
    PATTERN(atomic_add_bins),
    PATTERN(atomic_add_random<32>),
    PATTERN(atomic_add_random<256>),
    PATTERN(atomic_add_random<2048>),
    PATTERN(atomic_add_random<65536>),
    PATTERN(atomic_add_random_long<256>),
    PATTERN(atomic_add_random_long<32768>),
    PATTERN(atomic_add_random_by_some),
    PATTERN(atomic_add_one_lane),
    PATTERN(atomic_add_float),
    PATTERN(atomic_add_double),
    PATTERN(atomic_add_long),
    PATTERN(atomic_max),
    PATTERN(atomic_add_returned<1>),
    PATTERN(atomic_add_returned<4>),
    PATTERN(atomic_add_returned<32>),
    PATTERN(atomic_exchange),
    PATTERN(atomic_compare_and_swap),
    PATTERN(shared_atomic_add<1>),
    PATTERN(shared_atomic_add<2>),
    PATTERN(shared_atomic_add<8>),
    PATTERN(shared_atomic_add<32>),
    PATTERN(shared_atomic_bins),
};

}  // namespace

int main(int argc, char** argv) { return run_patterns(kPatterns, argc, argv); }
