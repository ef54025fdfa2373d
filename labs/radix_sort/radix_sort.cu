// Lab radix_sort: put keys into ascending order by their digits. This is the only file you edit. README.md is the
// handout; radix_sort.cuh specifies exactly what the function must do.
//
//   make check LAB=radix_sort      builds this file, runs it on many arrays, and reports what is wrong and where
//
// Write part 1 first and check it: it can earn full marks for "correct" and "clean". Parts 2 and 3 move less data.
#include "radix_sort.cuh"

// ---------------------------------------------------------------------------------------------------------------------
// Given: an exclusive scan of numbers in device memory, like the one in the scan lab. numbers[i] becomes the sum of all
// numbers before it. (Yours may be faster: use it here if you like.) It frees what it has allocated even after an
// error, and returns that error: CHECK(exclusive_scan(...)).
constexpr int kScanThreads = 512;

// Every block scans its numbers; sums[block] receives their sum.
__global__ void scan_blocks(std::uint32_t* numbers, std::uint32_t* sums, std::size_t count) {
  __shared__ std::uint32_t warp_sums[kScanThreads / 32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::size_t i = std::size_t{blockIdx.x} * kScanThreads + threadIdx.x;
  const std::uint32_t number = i < count ? numbers[i] : 0;
  std::uint32_t through = number;
  for (int stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(0xFFFFFFFF, through, stride);
    if (lane >= stride) through += left;
  }
  if (lane == 31) warp_sums[warp] = through;
  __syncthreads();
  std::uint32_t before = 0;
  for (int w = 0; w < warp; ++w) before += warp_sums[w];
  if (i < count) numbers[i] = before + through - number;
  if (threadIdx.x == kScanThreads - 1) sums[blockIdx.x] = before + through;
}

__global__ void add_sums(std::uint32_t* numbers, const std::uint32_t* sums, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kScanThreads + threadIdx.x;
  if (i < count) numbers[i] += sums[blockIdx.x];
}

cudaError_t exclusive_scan(std::uint32_t* d_numbers, std::size_t count) {
  const std::size_t blocks = (count + kScanThreads - 1) / kScanThreads;
  pool::Scratch<std::uint32_t> d_sums;
  if (const cudaError_t status = d_sums.allocate(blocks); status != cudaSuccess) return status;
  scan_blocks<<<static_cast<unsigned>(blocks), kScanThreads>>>(d_numbers, d_sums.get(), count);
  if (blocks > 1) {
    if (const cudaError_t status = exclusive_scan(d_sums.get(), blocks); status != cudaSuccess) return status;
    add_sums<<<static_cast<unsigned>(blocks), kScanThreads>>>(d_numbers, d_sums.get(), count);
  }
  return cudaGetLastError();
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: one bit per pass. Keys whose bit is 0 go to the front, the others behind them, and each of the two groups
// keeps its order.
constexpr int kThreadsPerBlock = 512;

// ones[i] = the bit of key i, for 0 <= i < n; and ones[n] = 0. After the scan, ones[i] is the number of ones before
// key i, and ones[n] is the total number of ones.
__global__ void write_bits(const std::uint32_t* keys, std::uint32_t* ones, std::size_t n, int bit) {
  // TODO 1  One thread for each of the n + 1 elements. (In blockIdx.x * ..., make the first factor a std::size_t.)
}

__global__ void scatter_by_bit(const std::uint32_t* keys, const std::uint32_t* ones, std::uint32_t* out, std::size_t n,
                               int bit) {
  // TODO 2  Where does key i go? If its bit is 0: after all zeros before it, which are those keys before it that are
  //         not ones. If its bit is 1: after all zeros of the array and the ones before it.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2: tiles, and four bits per pass. Look at the handout's pictures first.
//
// TODO 1  count_digits: every block counts in shared memory how many keys of its tile have each digit (0 ... 15), and
//         writes the counts to table[digit * blocks + block]. Running exclusive_scan over the entire table turns each
//         count into the place where the block's first key with that digit goes.
// TODO 2  scatter: the block sorts its tile by the four bits, one bit after another, in shared memory. Within a tile,
//         votes can scan a bit: __ballot_sync finds the ones of a warp, and __popc counts them.
// TODO 3  scatter: where does each digit begin in the sorted tile? Then every thread takes the key at its place in the
//         tile and writes it to the table's place for the digit, plus the key's position within its group.
//
// Part 3: eight bits per pass, 16 keys per thread, 256 threads per block.
//
// TODO 1  scatter: no splits. For each of its rows of 32 keys, a warp finds out which lanes hold the same digit
//         (__match_any_sync), and updates counters of its own in shared memory, one for each of the 256 digits.
// TODO 2  scatter: thread d adds up digit d over the warps; a scan over the digits gives the start of each group. Then
//         the keys go to their places in the tile, and from there to the output.

// ---------------------------------------------------------------------------------------------------------------------
void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 1  If there are no keys, launch nothing: a grid without blocks is an error.
  // TODO 2  Scratch memory (pool::Scratch of ../cuda_host.cuh, which frees itself): n keys, since a pass cannot
  //         overwrite keys that it has yet to read, and n + 1 numbers for `ones`. d_in is not scratch memory.
  // TODO 3  For bit 0, 1, ... 31: launch write_bits, CHECK(exclusive_scan(...)), launch scatter_by_bit; after
  //         each launch  CHECK(cudaGetLastError());  The first pass reads d_in; each later pass reads what the
  //         previous one wrote. Which of the two buffers must pass 0 write to, so that the last pass writes to d_out?
}
