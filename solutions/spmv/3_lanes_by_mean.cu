// Step 3 of spmv_csr: as many lanes per row as the mean row has entries.
// Idea      2, 4, 8, 16 or 32 lanes share a row: the smallest of these that is not less than nnz / rows, if there is
//           one. A warp then has up to 16 neighbouring rows, whose entries are neighbours, too.
// Gain      x 3.7 on an H200 for Poisson: 8 lanes for a row of 7. (Still x 0.39 of step 1.) None for R-MAT, x 1.00: its
//           mean asks for 32 lanes, and that is step 2. The mean is known before the launch, at no cost. Counters, for
//           rows of all lengths: warp instructions fall to less than a third, requests to little more than half.
// Traffic   8 bytes per entry. Neighbouring groups of lanes read neighbouring pieces of columns and values.
// Wastes    what a mean hides: rows of 1 and rows of 8192 get the same 8 lanes, and again a warp waits for the longest
//           of its rows. Active lanes do not rise. And 8 lanes walk along the longest row for a very long time, which
//           no counter shows: the kernel ends when its last warp does. For Poisson, threads: seven lanes of eight have
//           an entry, but only one, for which they read two offsets and take part in three shuffles. Counter: six times
//           the warp instructions of step 1.
#include "spmv.cuh"

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % kWarp == 0, "a block is made of whole warps of 32 threads");

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

template <int kLanes>
__global__ void spmv_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                            const float* x, float* y, int rows) {
  static_assert(kWarp % kLanes == 0, "the rows of a warp share its lanes evenly");
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t row = (std::int64_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) / kLanes;
  // A warp has several rows now. Lanes without one stay, as if theirs were empty: the masks below name all lanes.
  const std::int64_t first = row < rows ? row_offsets[row] : 0;
  const std::int64_t end = row < rows ? row_offsets[row + 1] : 0;
  float sum = 0;
  for (std::int64_t j = first + lane; j < end; j += kLanes) sum += values[j] * x[columns[j]];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(kAllLanes, sum, distance, kLanes);
  if (lane == 0 && row < rows) y[row] = sum;
}

template <int kLanes>
void launch(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
            float* d_y, int rows) {
  const std::int64_t threads = std::int64_t{rows} * kLanes;
  const auto blocks = static_cast<unsigned>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock);
  spmv_kernel<kLanes><<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
  CHECK(cudaGetLastError());
}

}  // namespace

void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int /*cols*/, int nnz) {
  if (rows == 0) return;  // a grid of no blocks is an error
  const int mean = nnz / rows;
  const auto launch_chosen = mean <= 2    ? &launch<2>
                             : mean <= 4  ? &launch<4>
                             : mean <= 8  ? &launch<8>
                             : mean <= 16 ? &launch<16>
                                          : &launch<32>;
  launch_chosen(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
}
