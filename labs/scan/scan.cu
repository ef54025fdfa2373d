// Lab scan: prefix sums. This is the only file you edit. README.md is the handout, scan.cuh says exactly what the
// function must do.
//
//   make check LAB=scan            builds this file, runs it on many sizes, and says what is wrong and where
//
// Write it in the order of the numbers. After TODO 4 everything up to one block is right, after TODO 7 everything.
#include "scan.cuh"

#include <cstdio>

// Every CUDA function returns a status, and a status nobody looks at is a bug that shows up somewhere else. Wrap each
// call: CHECK(cudaMalloc(...)). On an error it says where and why, and leaves the function it stands in.
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

constexpr int kThreadsPerBlock = 256;

// ---------------------------------------------------------------------------------------------------------------------
// The first kernel: every block scans 256 numbers by itself, and tells what they add up to: sums[blockIdx.x].
// Numbers are unsigned here, because unsigned sums wrap around as the contract asks.
__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* sums, std::size_t n) {
  // TODO 1  Work out which number is this thread's (n may be 2^32: an int cannot hold that), and bring it into shared
  //         memory: __shared__ std::uint32_t s[...]. Threads beyond the end bring a 0. (They must not leave: the
  //         barriers below are for all threads.)
  // TODO 2  Kogge-Stone: for stride = 1, 2, 4, ... < kThreadsPerBlock, add s[t - stride] to s[t] where there is one.
  //         Two barriers a stride: read into a variable, __syncthreads(), write, __syncthreads(). Never inside an if.
  // TODO 3  Store the thread's sum, if it has an element. The last thread stores the block's sum, element or not.
}

// The third kernel: adds to every element of a block what all blocks before it add up to.
__global__ void add_sums(std::uint32_t* out, const std::uint32_t* sums, std::size_t n) {
  // TODO 5  `sums` has been scanned when this kernel begins: sums[b] is what blocks 0 to b add up to. Which entry does
  //         block b need, and what does block 0 need?
}

// Scans n >= 1 numbers of device memory. d_out may be the same array as d_in.
void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  // TODO 4  Allocate one sum a block, launch scan_blocks, free the sums again.
  // TODO 6  If there is more than one block, scan the sums themselves (in place), then launch add_sums. There may be
  //         more sums than one block can scan, and more sums of sums than that. Which function scans any number of
  //         numbers?
}

// ---------------------------------------------------------------------------------------------------------------------
// Task inclusive_scan.
void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands this launches nothing and leaves d_out as it was.
  //
  // TODO 4  Without numbers there is nothing to do. Otherwise call scan: both pointers have to be cast, as in
  //         reinterpret_cast<const std::uint32_t*>(d_in).
  // TODO 7  Nothing allocated may be left behind, on any way out, and CHECK is one: it leaves scan at once. Free the
  //         sums first and CHECK(cudaGetLastError()) after that: it still knows of a launch that was refused.
}
