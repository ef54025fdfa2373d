// Step 3 of histogram_bytes: every block has a copy of the bins in its shared memory.
// Idea      shared memory is on the multiprocessor itself and has its own units for additions. A block clears 256 bins
//           there, counts its elements into them, and adds the 256 sums to the global bins at the end.
// Gain      an addition in shared memory takes a fraction of the time of one at the L2 cache, and the 132
//           multiprocessors do not compete. Yet on an H200 it is x 0.81 for uniform bytes (x 1.2 if 90 % are equal): a
//           quarter of the additions still go to the L2 cache, all of them to the same 256 addresses.
// Traffic   1 byte per element. Counters: global atomic requests fall to a quarter, because 1024 elements become 256
//           additions, which neighbouring threads make to neighbouring bins; every element is a shared atomic instead.
// Wastes    256 bins are cleared and 256 sums added for only 1024 elements. Threads load single bytes.
#include "histogram.cuh"

namespace {

constexpr int kThreadsPerBlock = 1024;  // the more elements a block counts, the fewer copies there are to add up
static_assert(kThreadsPerBlock >= kByteBins, "one thread for each bin clears it and adds it up");
static_assert(kThreadsPerBlock <= 1024, "a block has at most 1024 threads");

__global__ void count_kernel(const std::uint8_t* data, std::size_t n, std::uint32_t* bins) {
  __shared__ std::uint32_t mine[kByteBins];  // holds whatever the previous block left there
  const int t = static_cast<int>(threadIdx.x);
  if (t < kByteBins) mine[t] = 0;
  __syncthreads();  // no thread counts before all bins are cleared

  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... n - 1, and idle beyond
  if (i < n) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();  // no thread reads a bin before all have counted; idle threads wait here, too

  if (t < kByteBins && mine[t] > 0) atomicAdd(&bins[t], mine[t]);
}

}  // namespace

void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins) {
  CHECK(cudaMemsetAsync(d_bins, 0, kByteBins * sizeof(std::uint32_t)));
  if (n == 0) return;  // a grid of no blocks is an error
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  count_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_data, n, d_bins);
  CHECK(cudaGetLastError());
}
