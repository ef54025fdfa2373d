// Kernels that read outside of their arrays, where what they find decides how long they go on. Usage: invalid_reads
// NAME A line that ends in "invalid: NAME" is where memcheck must report that kernel. Those named ends_... come to
// their end by themselves, reading as they may; the others go on until they are stopped.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kItems = 1000;

struct Buffers {
  int* ones;  // kItems
  int* out;   // kItems
  int* nothing;
};

// --- that do not end by themselves ---

__global__ void search_past_the_end(Buffers b) {
  int at = threadIdx.x;
  while (b.ones[at] != 7) ++at;  // invalid: search_past_the_end
  b.out[threadIdx.x] = at;
}

__global__ void search_before_the_beginning(Buffers b) {
  long long at = threadIdx.x;
  while (b.ones[at] != 7) --at;  // invalid: search_before_the_beginning
  b.out[threadIdx.x] = static_cast<int>(at);
}

__global__ void length_from_outside(Buffers b) {
  int steps = 0;
  while (steps != 5 + b.ones[(1ll << 33) + steps]) steps += 2;  // invalid: length_from_outside
  b.out[threadIdx.x] = steps;
}

__global__ void step_from_outside(Buffers b) {
  for (int at = 0; at < kItems; at += b.ones[(1ll << 34) + threadIdx.x])  // invalid: step_from_outside
    atomicAdd(b.out + at, 1);
}

__global__ void list_that_leads_outside(Buffers b) {
  long long at = threadIdx.x;
  do {
    at = at * 5 + b.ones[at] + 3;  // invalid: list_that_leads_outside
    if (at > 1ll << 40) at = 1ll << 38;
  } while (at != 0);
  b.out[threadIdx.x] = static_cast<int>(at);
}

__global__ void through_a_null_pointer(Buffers b) {
  const volatile int* flag = b.nothing;
  while (flag[threadIdx.x + (b.ones[0] - 1)] != 1) ++b.out[threadIdx.x];  // invalid: through_a_null_pointer
}

// --- that end ---

__global__ void ends_just_past_the_end(Buffers b) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at <= kItems) b.out[threadIdx.x] = b.ones[at];  // invalid: ends_just_past_the_end
}

__global__ void ends_after_many(Buffers b) {
  int sum = 0;
  for (int n = 0; n < 300; ++n) sum += b.ones[kItems + n];  // invalid: ends_after_many
  b.out[threadIdx.x] = sum;
}

__global__ void ends_far_outside(Buffers b) {
  b.out[threadIdx.x] = b.ones[(1ll << 33) + threadIdx.x];  // invalid: ends_far_outside
}

__global__ void ends_inside(Buffers b) {
  int sum = 0;
  for (int n = 0; n < 3000; ++n) sum += b.ones[(threadIdx.x + n) % kItems];
  b.out[threadIdx.x] = sum;
}

__global__ void ends_where_it_searches(Buffers b) {
  int at = threadIdx.x;
  while (at < kItems && b.ones[at] == 1) ++at;
  b.out[threadIdx.x] = at;
}

struct Pattern {
  const char* name;
  void (*kernel)(Buffers);
  int blocks, threads;
};

#define PATTERN(name, blocks, threads) \
  { #name, name, blocks, threads }

constexpr Pattern kPatterns[] = {
    PATTERN(search_past_the_end, 1, 64),      PATTERN(search_before_the_beginning, 2, 32),
    PATTERN(length_from_outside, 4, 128),     PATTERN(step_from_outside, 1, 32),
    PATTERN(list_that_leads_outside, 1, 256), PATTERN(through_a_null_pointer, 1, 32),
    PATTERN(ends_just_past_the_end, 8, 128),  PATTERN(ends_after_many, 2, 96),
    PATTERN(ends_far_outside, 1, 64),         PATTERN(ends_inside, 2, 64),
    PATTERN(ends_where_it_searches, 2, 64),
};

}  // namespace

int main(int argc, char** argv) {
  for (const Pattern& pattern : kPatterns) {
    if (argc < 2) std::printf("%s\n", pattern.name);
    if (argc < 2 || std::strcmp(argv[1], pattern.name) != 0) continue;
    Buffers buffers{};
    static int ones[kItems];
    for (int& one : ones) one = 1;
    for (int** buffer : {&buffers.ones, &buffers.out}) {
      cudaMalloc(buffer, sizeof ones);
      cudaMemcpy(*buffer, ones, sizeof ones, cudaMemcpyHostToDevice);
    }
    pattern.kernel<<<pattern.blocks, pattern.threads>>>(buffers);
    const cudaError_t status = cudaDeviceSynchronize();
    for (int* buffer : {buffers.ones, buffers.out}) cudaFree(buffer);
    std::printf("%s: %s\n", pattern.name, cudaGetErrorName(status));
  }
  return 0;
}
