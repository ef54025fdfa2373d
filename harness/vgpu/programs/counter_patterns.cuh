// For the programs whose kernels are held against Nsight Compute: runs a table of patterns, each one launch of one
// kernel. Usage: PROGRAM [NAME] Prints for each pattern a digest of what it left behind, and how many of its blocks fit
// on a multiprocessor.
#pragma once

#include <cstring>
#include <vector>

#include "check.cuh"

constexpr int kThreads = 128;
constexpr int kBlocks = 6;           // on as many multiprocessors
constexpr int kElements = 64 << 10;  // of both arrays: 33 for each thread, and some

/// A kernel that reads `in` (small numbers that look random) and writes `out` (zeros before), kElements each.
struct Pattern {
  const char* name;
  void (*kernel)(const int* in, int* out);
  dim3 grid = kBlocks;
  dim3 block = kThreads;
  int dynamic_shared_bytes = 0;
};

// In parentheses: template arguments may hold commas.
#define PATTERN(...) \
  { #__VA_ARGS__, __VA_ARGS__ }
#define PATTERN_ON(grid, block, ...) \
  { #__VA_ARGS__, __VA_ARGS__, grid, block }

inline __device__ int here() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
inline __device__ int lane() { return static_cast<int>(threadIdx.x % 32); }

inline void run(const Pattern& pattern, const std::vector<int>& numbers, int* in, int* out) {
  const size_t bytes = kElements * sizeof(int);
  CHECK(cudaMemcpy(in, numbers.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, bytes));
  const int threads = static_cast<int>(pattern.block.x * pattern.block.y);
  if (pattern.dynamic_shared_bytes != 0)
    CHECK(cudaFuncSetAttribute(pattern.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               pattern.dynamic_shared_bytes));
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pattern.kernel, threads, pattern.dynamic_shared_bytes));
  pattern.kernel<<<pattern.grid, pattern.block, pattern.dynamic_shared_bytes>>>(in, out);
  CHECK(cudaGetLastError());
  std::vector<int> left(kElements);
  CHECK(cudaMemcpy(left.data(), out, bytes, cudaMemcpyDeviceToHost));
  std::printf("%s: 0x%016llx, %d blocks a multiprocessor\n", pattern.name, digest(left.data(), bytes), blocks);
}

template <size_t kCount>
int run_patterns(const Pattern (&patterns)[kCount], int argc, char** argv) {
  std::vector<int> numbers(kElements);
  for (int i = 0; i < kElements; ++i) numbers[i] = static_cast<int>((i * 2654435761u) >> 24);  // 0 to 255
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, kElements * sizeof(int)));
  CHECK(cudaMalloc(&out, kElements * sizeof(int)));
  bool found = argc < 2;
  for (const Pattern& pattern : patterns) {
    if (argc >= 2 && std::strcmp(argv[1], pattern.name) != 0) continue;
    found = true;
    run(pattern, numbers, in, out);
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return found ? 0 : 1;
}
