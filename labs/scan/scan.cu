// Lab scan: prefix sums. This is the only file you edit. README.md is the handout; scan.cuh specifies exactly what the
// function must do.
//
//   make check LAB=scan            builds this file, runs it on many sizes, and reports what is wrong and where
//
// Write it in the order of the numbers. After TODO 4 everything up to one block is right, after TODO 7 everything.
#include "scan.cuh"

constexpr int kThreadsPerBlock = 256;

// ---------------------------------------------------------------------------------------------------------------------
// The first kernel: every block scans 256 numbers of its own, and stores their sum in sums[blockIdx.x]. The numbers are
// unsigned here, because unsigned sums wrap around as the contract requires.
__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* sums, std::size_t n) {
  // TODO 1  Work out which number is this thread's (n may be 2^32: an int cannot hold that), and load it into shared
  //         memory: __shared__ std::uint32_t s[...]. Threads beyond the end contribute a 0. (They must not return: the
  //         barriers below are for all threads.)
  // TODO 2  Kogge-Stone: for stride = 1, 2, 4, ... < kThreadsPerBlock, add s[t - stride] to s[t] if it exists. Two
  //         barriers per stride: read into a variable, __syncthreads(), write, __syncthreads(). Never inside an if.
  // TODO 3  Store the thread's sum, if it has an element. The last thread also stores the block's sum, whether or not
  //         it has an element.
}

// The third kernel: adds the sum of all blocks before a block to each of its elements.
__global__ void add_sums(std::uint32_t* out, const std::uint32_t* sums, std::size_t n) {
  // TODO 5  `sums` has been scanned when this kernel begins: sums[b] is the sum of blocks 0 to b. Which entry does
  //         block b need, and what does block 0 need?
}

// Scans n >= 1 numbers in device memory. d_out may be the same array as d_in.
void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  // TODO 4  Allocate one sum per block, launch scan_blocks, and free the sums.
  // TODO 6  If there is more than one block, scan the sums themselves (in place), then launch add_sums. There may be
  //         more sums than one block can scan, and more sums of sums than that. Which function scans any number of
  //         numbers?
}

// ---------------------------------------------------------------------------------------------------------------------
// Task inclusive_scan.
void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 4  Without numbers there is nothing to do. Otherwise call scan. Both pointers have to be cast, which in C++ is
  //         written  reinterpret_cast<const std::uint32_t*>(d_in).
  // TODO 7  Make sure that every allocation is freed, however the function returns. CHECK is one of the ways: it
  //         returns from scan at once. So after a launch, free the sums first and call CHECK(cudaGetLastError()) then:
  //         it still reports a launch that was refused.
}
