// Kernels whose results do or do not depend on which threads come first. Usage: schedules NAME
// A line that ends in "depends: NAME" is the one that `lanewise run --schedules` must name, "rounds: NAME" likewise for
// differences in the last places.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kThreads = 128, kBlocks = 24, kItems = kBlocks * kThreads;

struct Buffers {
  int *in, *out, *more;  // kItems each: numbers from 1, zeros, zeros
  float* sums;           // kItems zeros
};

__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- that depend on it ---

__global__ void places_as_they_come(Buffers b) {
  const int place = atomicAdd(b.more, 1);
  b.out[place] = index();  // depends: places_as_they_come
}

__global__ void last_one_wins(Buffers b) {
  b.out[0] = index();  // depends: last_one_wins
}

__global__ void lost_additions(Buffers b) {
  volatile int* sum = b.out;
  const int before = *sum;
  *sum = before + 1;  // depends: lost_additions
}

__global__ void exchanged(Buffers b) {
  b.out[index()] = atomicExch(b.more, index());  // depends: exchanged
}

__global__ void neighbour_before_or_after(Buffers b) {
  const int i = index();
  b.in[i] = b.in[(i + kThreads) % kItems] + 1;  // depends: neighbour_before_or_after
}

__global__ void block_of_a_ticket(Buffers b) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(b.more, 1);
  __syncthreads();
  b.out[ticket * kThreads + threadIdx.x] = blockIdx.x;  // depends: block_of_a_ticket
}

__global__ void sum_of_floats(Buffers b) {
  atomicAdd(b.sums, 1.0f / static_cast<float>(1 + index()));  // rounds: sum_of_floats
}

__global__ void sums_of_floats_in_bins(Buffers b) {
  atomicAdd(b.sums + index() % 7, 1.0f / static_cast<float>(1 + index() * 3));  // rounds: sums_of_floats_in_bins
}

// --- that do not ---

__global__ void own_elements(Buffers b) { b.out[index()] = 2 * b.in[index()]; }

__global__ void sum_of_integers(Buffers b) { atomicAdd(b.out, b.in[index()]); }

__global__ void largest(Buffers b) { atomicMax(b.out + index() % 5, b.in[index()]); }

__global__ void all_write_the_same(Buffers b) { b.out[index() % 3] = 7; }

__global__ void items_of_a_queue(Buffers b) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(b.more, 1);
    __syncthreads();
    if (item >= kBlocks) break;
    b.out[item * kThreads + threadIdx.x] = b.in[item * kThreads + threadIdx.x] * 3;
    __syncthreads();
  }
}

__global__ void exact_sum_of_floats(Buffers b) { atomicAdd(b.sums, static_cast<float>(index() % 4)); }

__global__ void sum_in_a_tree(Buffers b) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = 1.0f / static_cast<float>(1 + index());
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) b.sums[blockIdx.x] = sums[0];
}

__global__ void look_back(Buffers b) {
  if (threadIdx.x != 0) return;
  volatile int* sums = b.out;
  int before = 0;
  if (blockIdx.x > 0)
    while ((before = sums[blockIdx.x - 1]) == 0) {
    }
  __threadfence();
  sums[blockIdx.x] = before + 1;
}

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
};

#define PATTERN(name) \
  { #name, name }

constexpr Pattern kPatterns[] = {
    PATTERN(places_as_they_come),
    PATTERN(last_one_wins),
    PATTERN(lost_additions),
    PATTERN(exchanged),
    PATTERN(neighbour_before_or_after),
    PATTERN(block_of_a_ticket),
    PATTERN(sum_of_floats),
    PATTERN(sums_of_floats_in_bins),
    PATTERN(own_elements),
    PATTERN(sum_of_integers),
    PATTERN(largest),
    PATTERN(all_write_the_same),
    PATTERN(items_of_a_queue),
    PATTERN(exact_sum_of_floats),
    PATTERN(sum_in_a_tree),
    PATTERN(look_back),
};

}  // namespace

int main(int argc, char** argv) {
  static int numbers[kItems];
  for (int n = 0; n < kItems; ++n) numbers[n] = n + 1;
  int exit_code = argc < 2 ? 0 : 1;
  for (const Pattern& pattern : kPatterns) {
    if (argc < 2) std::printf("%s\n", pattern.name);
    if (argc < 2 || std::strcmp(argv[1], pattern.name) != 0) continue;
    Buffers buffers{};
    for (int** buffer : {&buffers.in, &buffers.out, &buffers.more}) cudaMalloc(buffer, sizeof numbers);
    cudaMalloc(&buffers.sums, sizeof numbers);
    cudaMemcpy(buffers.in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemset(buffers.out, 0, sizeof numbers);
    cudaMemset(buffers.more, 0, sizeof numbers);
    cudaMemset(buffers.sums, 0, sizeof numbers);
    own_elements<<<1, kThreads>>>({buffers.in, buffers.more, buffers.out, buffers.sums});
    cudaMemset(buffers.more, 0, sizeof numbers);
    pattern.kernel<<<kBlocks, kThreads>>>(buffers);
    int first = 0;
    cudaMemcpy(&first, buffers.out, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%s: %d\n", pattern.name, first);
    exit_code = cudaGetLastError() == cudaSuccess ? 0 : 2;
    for (int* buffer : {buffers.in, buffers.out, buffers.more}) cudaFree(buffer);
    cudaFree(buffers.sums);
  }
  return exit_code;
}
