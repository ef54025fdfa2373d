// Lab histogram: how often does each value occur? This is the only file you edit. README.md is the handout;
// histogram.cuh specifies exactly what each function must do.
//
//   make check LAB=histogram       builds this file, runs it on many inputs, and reports what is wrong and where
//
// The two tasks are graded separately. Start with histogram_bytes.
#include "histogram.cuh"

#include <algorithm>

// ---------------------------------------------------------------------------------------------------------------------
// Counts the bytes. Begin with the simplest correct version (TODO 1 and 2), check it, then go on.
__global__ void count_bytes_kernel(const std::uint8_t* data, std::size_t n, std::uint32_t* bins) {
  // TODO 1  Which element does this thread count? Idle threads beyond n - 1 must count nothing.
  // TODO 2  Add 1 to the element's bin. Other threads add to the same bin at the same time: bins[v]++ loses counts,
  //         atomicAdd(&bins[v], 1u) does not.
  //
  // When that is right, let each block count into a copy of its own:
  //
  // TODO 3  __shared__ std::uint32_t mine[kByteBins];  It holds garbage when the block begins, and the threads of the
  //         block clear it together. What has to happen before the first thread may count?
  // TODO 4  Count into `mine` instead of `bins`. (Still atomically: the threads of the block share it.)
  // TODO 5  What has to happen before any thread may read `mine`? Then add each of its bins to `bins`. Other blocks do
  //         the same at the same time.
  //
  // And when that is right, too, let every block count many more elements than it has threads:
  //
  // TODO 6  A loop: element i, then i + (number of threads in the whole grid), and so on while i < n.
  // TODO 7  16 bytes at a time: read the data as uint4, take its four words apart, and do not forget the 0 to 15 bytes
  //         that are left over after the last whole vector.
}

// Task histogram_bytes: clear the bins, launch the kernel.
void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_bins as it was.
  //
  // TODO 1  The bins do not start at zero. cudaMemset counts bytes, and a bin has four of them.
  // TODO 2  If there are no elements, that is all: a grid of no blocks is an error.
  // TODO 3  Launch with enough blocks for n elements (after TODO 6 of the kernel: with a few for each of the device's
  //         multiprocessors, or fewer if n is small), then  CHECK(cudaGetLastError());
}

// ---------------------------------------------------------------------------------------------------------------------
// Counts the values in [first_bin, first_bin + range), and ignores all others.
__global__ void count_range_kernel(const std::uint32_t* data, std::size_t n, std::uint32_t* bins, int first_bin,
                                   int range) {
  // TODO 1  extern __shared__ std::uint32_t mine[];  The launch sets its size in bytes. Clear the first `range`
  //         elements, with a loop: there are more of them than the block has threads. Then a barrier.
  // TODO 2  The loop over the data, as in count_bytes_kernel. If a value is in the range, count it in
  //         mine[value - first_bin]. In the end: four loads of 16 bytes each before the first value is counted.
  // TODO 3  A barrier. Then add mine[b] to bins[first_bin + b], again with a loop.
}

// Task histogram_wide: up to two million bins, many more than fit in shared memory.
void histogram_wide(const std::uint32_t* d_data, std::size_t n, std::uint32_t* d_bins, int num_bins) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_bins as it was.
  //
  // TODO 1  The simplest correct version: clear the bins, then one atomicAdd per element in global memory. It is the
  //         first kernel of histogram_bytes with another type: write it above. Check it before you go on.
  // TODO 2  Passes: for one range of bins after another, launch count_range_kernel over all of the data. 12,288 bins
  //         are 48 KiB, which any kernel may use. Round the number of passes up; the last range is shorter. These six
  //         passes for 65,536 bins are still slow.
  // TODO 3  More shared memory, fewer passes:  cudaFuncSetAttribute(count_range_kernel,
  //         cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)  before the launch, for up to 227 KiB.
  // TODO 4  For two million bins, even that takes 37 passes. The handout says what to do instead.
}
