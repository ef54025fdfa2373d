// Accesses of several words a lane where not all lanes take part, or to local memory, each a kernel: what they take is
// held against Nsight Compute (scripts/counters_fidelity.sh).
#include "counter_patterns.cuh"

namespace {

__device__ void set(int2& vector, int x) { vector = {x, x + 1}; }
__device__ void set(int4& vector, int x) { vector = {x, x + 1, x + 2, x + 3}; }
__device__ int sum(const int2& vector) { return vector.x + 3 * vector.y; }
__device__ int sum(const int4& vector) { return vector.x + 3 * vector.y + 5 * vector.z + 7 * vector.w; }

// --- shared memory: some lanes, side by side in memory, as in a queue ---

template <class Vector, unsigned kLanes>
__global__ void shared_store_side_by_side(const int* in, int* out) {
  __shared__ Vector items[kThreads];
  int* const words = reinterpret_cast<int*>(items);
  constexpr int kWords = kThreads * sizeof(Vector) / sizeof(int);
  for (int i = static_cast<int>(threadIdx.x); i < kWords; i += kThreads) words[i] = 0;
  __syncthreads();
  Vector mine;
  set(mine, in[here()]);
  if ((kLanes >> lane() & 1) != 0) items[threadIdx.x / 32 * 32 + __popc(kLanes & ((1u << lane()) - 1))] = mine;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kWords; i += kThreads) out[blockIdx.x * kWords + i] = words[i];
}

template <class Vector, unsigned kLanes>
__global__ void shared_load_side_by_side(const int* in, int* out) {
  __shared__ Vector items[kThreads];
  int* const words = reinterpret_cast<int*>(items);
  constexpr int kWords = kThreads * sizeof(Vector) / sizeof(int);
  for (int i = static_cast<int>(threadIdx.x); i < kWords; i += kThreads) words[i] = in[blockIdx.x * kWords + i];
  __syncthreads();
  int result = 0;
  if ((kLanes >> lane() & 1) != 0) result = sum(items[threadIdx.x / 32 * 32 + __popc(kLanes & ((1u << lane()) - 1))]);
  out[here()] = result;
}

// --- local memory ---

template <class Vector>
__global__ void local_vectors(const int* in, int* out) {
  Vector values[8];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) set(values[(k * 3 + 1) & 7], in[here() + k]);
  int result = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k) result = 3 * result + sum(values[k]);
  out[here()] = result;
}

const Pattern kPatterns[] = {
    PATTERN(shared_store_side_by_side<int2, 0xffffffff>),
    PATTERN(shared_store_side_by_side<int2, 0x0000ffff>),
    PATTERN(shared_store_side_by_side<int2, 0xffff0000>),
    PATTERN(shared_store_side_by_side<int2, 0x80000001>),
    PATTERN(shared_store_side_by_side<int2, 0x00ff00ff>),
    PATTERN(shared_store_side_by_side<int2, 0x000fffff>),
    PATTERN(shared_store_side_by_side<int2, 0x00000111>),
    PATTERN(shared_store_side_by_side<int2, 0x55555555>),
    PATTERN(shared_store_side_by_side<int4, 0xffffffff>),
    PATTERN(shared_store_side_by_side<int4, 0x000000ff>),
    PATTERN(shared_store_side_by_side<int4, 0x80000001>),
    PATTERN(shared_store_side_by_side<int4, 0x01010101>),
    PATTERN(shared_load_side_by_side<int2, 0x80000001>),
    PATTERN(shared_load_side_by_side<int2, 0x55555555>),
    PATTERN(shared_load_side_by_side<int4, 0x01010101>),
    PATTERN(local_vectors<int2>),
    PATTERN(local_vectors<int4>),
};

}  // namespace

int main(int argc, char** argv) { return run_patterns(kPatterns, argc, argv); }
