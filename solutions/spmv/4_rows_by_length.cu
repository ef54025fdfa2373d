// Step 4 of spmv_csr: rows by length.
// Idea      rows are first sorted into classes. Rows of up to 2 entries are done on the spot, by one thread each; the
//           indices of all others are written into three lists: 8 lanes per row, a warp per row, a block per row.
// Leap      classes are of use only together: the kernel that finds them, the lists in scratch memory, and a kernel for
//           each length.
// Gain      x 1.36 on an H200 for R-MAT, 0.76 of cuSPARSE's ALG1: every class has the lanes that suit it, whatever the
//           mixture, and a long row has 256 threads. Counters, for rows of all lengths: active lanes rise to 29,
//           requests fall to three fifths. For Poisson a loss, x 0.81: all rows are in one class, and it takes a pass
//           to find that out. Counter there: 1.6 times the warp instructions of step 3.
// Traffic   8 bytes per entry, and 12 bytes per row for the classification: its offsets are read twice, its index is
//           written and read. These bytes show in the sectors. The classification also costs three more launches, and
//           an atomic for every block and class.
// Wastes    neighbourhood: rows of one class are not adjacent, so requests touch more sectors than they need. Within a
//           class, rows still differ, and the longest row of all has only one block.
#include "spmv.cuh"

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWarps = kThreadsPerBlock / kWarp;
static_assert(kThreadsPerBlock % kWarp == 0, "a block is made of whole warps of 32 threads");

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// Rows with more entries than this are not done on the spot, but by 8 lanes, by a warp, by a block.
enum Class { kLanes8, kWarp32, kBlock, kClasses };
__host__ __device__ constexpr int longer_than(int its_class) {
  return its_class == kLanes8 ? 2 : its_class == kWarp32 ? 32 : 2048;
}
static_assert(longer_than(kLanes8) < longer_than(kWarp32) && longer_than(kWarp32) < longer_than(kBlock),
              "each class has longer rows than the one before it");

// A list for each class, and how many rows are in it.
struct Lists {
  std::int32_t* rows[kClasses];
  int* counts;  // kClasses numbers
};

// At most this many rows can have more than `length` of the nnz entries: no list is longer.
__host__ __device__ int most_rows(int rows, int nnz, int length) {
  const int most = nnz / (length + 1);
  return most < rows ? most : rows;
}

// The class of a row of this length, or kClasses if it is done on the spot.
__device__ int class_of(int length) {
  int its_class = kClasses;
#pragma unroll
  for (int c = 0; c < kClasses; ++c)
    if (length > longer_than(c)) its_class = c;
  return its_class;
}

__global__ void classify_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                                const float* x, float* y, int rows, Lists lists) {
  __shared__ int counts[kClasses];  // rows of the block in each class
  __shared__ int firsts[kClasses];  // their place in the list
  if (threadIdx.x < kClasses) counts[threadIdx.x] = 0;
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t row = std::int64_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  const int first = row < rows ? row_offsets[row] : 0;
  const int end = row < rows ? row_offsets[row + 1] : 0;
  const int its_class = class_of(end - first);
  int place = 0;  // in its class, within the block
#pragma unroll
  for (int c = 0; c < kClasses; ++c) {  // one atomic a warp, not one a row
    const unsigned same = __ballot_sync(kAllLanes, its_class == c);
    int before = 0;
    if (lane == 0 && same != 0) before = atomicAdd(&counts[c], __popc(same));
    before = __shfl_sync(kAllLanes, before, 0);
    if (its_class == c) place = before + __popc(same & ((1u << lane) - 1));
  }
  __syncthreads();
  if (threadIdx.x < kClasses && counts[threadIdx.x] > 0)
    firsts[threadIdx.x] = atomicAdd(&lists.counts[threadIdx.x], counts[threadIdx.x]);
  __syncthreads();

  if (its_class < kClasses) {
    lists.rows[its_class][firsts[its_class] + place] = static_cast<std::int32_t>(row);
  } else if (row < rows) {
    float sum = 0;
    for (int j = first; j < end; ++j) sum += values[j] * x[columns[j]];
    y[row] = sum;
  }
}

// The lane's share of a row's sum: every kStride-th entry.
template <int kStride>
__device__ float sum_of_share(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                              const float* x, int row, int lane) {
  const std::int64_t end = row_offsets[row + 1];
  float sum = 0;
  for (std::int64_t j = row_offsets[row] + lane; j < end; j += kStride) sum += values[j] * x[columns[j]];
  return sum;
}

template <int kLanes>
__device__ float sum_over_lanes(float sum) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(kAllLanes, sum, distance, kLanes);
  return sum;  // in the first of each kLanes lanes
}

// Only the device knows how many rows are in a list. So the grid has a fixed size, and walks along the list.
template <int kLanes>
__global__ void lanes_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                             const float* x, float* y, const std::int32_t* list, const int* count) {
  constexpr int kRowsPerBlock = kThreadsPerBlock / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  for (std::int64_t base = std::int64_t{blockIdx.x} * kRowsPerBlock; base < *count;  // the same for all threads
       base += std::int64_t{gridDim.x} * kRowsPerBlock) {
    const int row = base + group < *count ? list[base + group] : -1;
    float sum = 0;
    if (row >= 0) sum = sum_of_share<kLanes>(row_offsets, columns, values, x, row, lane);
    sum = sum_over_lanes<kLanes>(sum);
    if (lane == 0 && row >= 0) y[row] = sum;
  }
}

__global__ void block_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                             const float* x, float* y, const std::int32_t* list, const int* count) {
  __shared__ float sums[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t k = blockIdx.x; k < *count; k += gridDim.x) {
    const int row = list[k];
    float sum = sum_of_share<kThreadsPerBlock>(row_offsets, columns, values, x, row, thread);
    sum = sum_over_lanes<kWarp>(sum);
    if (thread % kWarp == 0) sums[thread / kWarp] = sum;
    __syncthreads();
    if (thread < kWarp) {
      sum = sum_over_lanes<kWarps>(thread < kWarps ? sums[thread] : 0);
      if (thread == 0) y[row] = sum;
    }
    __syncthreads();  // the sums have been read: the next row's may come
  }
}

// Blocks for a list of at most `most` rows: as many as are resident on the device at once are enough.
unsigned blocks_for(int most, int rows_per_block, int multiprocessors) {
  constexpr int kBlocksPerMultiprocessor = 2048 / kThreadsPerBlock;
  const int blocks = (most - 1) / rows_per_block + 1;
  return static_cast<unsigned>(
      blocks < multiprocessors * kBlocksPerMultiprocessor ? blocks : multiprocessors * kBlocksPerMultiprocessor);
}

}  // namespace

void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int /*cols*/, int nnz) {
  if (rows == 0) return;  // a grid of no blocks is an error
  CHECK(pool::keep_freed_memory());
  int device = 0;
  int multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));

  int most[kClasses];
  std::size_t length = kClasses;
  for (int c = 0; c < kClasses; ++c) {
    most[c] = most_rows(rows, nnz, longer_than(c));
    length += most[c];
  }
  pool::Scratch<int> d_scratch;
  CHECK(d_scratch.allocate(length));
  Lists lists;
  lists.counts = d_scratch.get();
  std::int32_t* next = lists.counts + kClasses;
  for (int c = 0; c < kClasses; ++c) {
    lists.rows[c] = next;
    next += most[c];
  }
  CHECK(cudaMemsetAsync(lists.counts, 0, kClasses * sizeof(int)));

  const auto blocks = static_cast<unsigned>((std::int64_t{rows} + kThreadsPerBlock - 1) / kThreadsPerBlock);
  classify_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows, lists);
  CHECK(cudaGetLastError());
  if (most[kLanes8] > 0)
    lanes_kernel<8><<<blocks_for(most[kLanes8], kThreadsPerBlock / 8, multiprocessors), kThreadsPerBlock>>>(
        d_row_offsets, d_columns, d_values, d_x, d_y, lists.rows[kLanes8], &lists.counts[kLanes8]);
  CHECK(cudaGetLastError());
  if (most[kWarp32] > 0)
    lanes_kernel<kWarp><<<blocks_for(most[kWarp32], kWarps, multiprocessors), kThreadsPerBlock>>>(
        d_row_offsets, d_columns, d_values, d_x, d_y, lists.rows[kWarp32], &lists.counts[kWarp32]);
  CHECK(cudaGetLastError());
  if (most[kBlock] > 0)
    block_kernel<<<blocks_for(most[kBlock], 1, multiprocessors), kThreadsPerBlock>>>(
        d_row_offsets, d_columns, d_values, d_x, d_y, lists.rows[kBlock], &lists.counts[kBlock]);
  CHECK(cudaGetLastError());
}
