// Kernels as a course has them, on small data: transposes, reductions, scans, products, stencils, in several types.
// What they take is held against Nsight Compute (scripts/counters_fidelity.sh).
#include <cuda_fp16.h>

#include "counter_patterns.cuh"

namespace {

// --- transposes of a 128 x 128 matrix in tiles of 32 x 32, by blocks of 32 x 8 ---

constexpr int kSide = 128;
constexpr int kTile = 32;
constexpr int kTileRows = 8;
const dim3 kTiles(kSide / kTile, kSide / kTile);
const dim3 kTileBlock(kTile, kTileRows);

__global__ void transpose_reads_rows(const int* in, int* out) {
  const int col = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
#pragma unroll 1
  for (int k = 0; k < kTile; k += kTileRows) out[col * kSide + row + k] = in[(row + k) * kSide + col];
}

__global__ void transpose_writes_rows(const int* in, int* out) {
  const int col = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * kTile + threadIdx.y);
#pragma unroll 1
  for (int k = 0; k < kTile; k += kTileRows) out[(row + k) * kSide + col] = in[col * kSide + row + k];
}

/// Where element (row, col) of the tile lies.
struct Plain {
  static constexpr int kWords = kTile * kTile;
  static __device__ int at(int row, int col) { return row * kTile + col; }
};
struct Padded {
  static constexpr int kWords = kTile * (kTile + 1);
  static __device__ int at(int row, int col) { return row * (kTile + 1) + col; }
};
struct Swizzled {
  static constexpr int kWords = kTile * kTile;
  static __device__ int at(int row, int col) { return row * kTile + (row ^ col); }
};

template <class Layout>
__global__ void transpose_tile(const int* in, int* out) {
  __shared__ int tile[Layout::kWords];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
#pragma unroll
  for (int k = 0; k < kTile; k += kTileRows) tile[Layout::at(y + k, x)] = in[(top + y + k) * kSide + left + x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kTile; k += kTileRows) out[(left + y + k) * kSide + top + x] = tile[Layout::at(x, y + k)];
}

// --- sums of a block's numbers ---

constexpr int kSummed = 256;

__global__ void sum_interleaved(const int* in, int* out) {
  __shared__ int values[kSummed];
  const int t = static_cast<int>(threadIdx.x);
  values[t] = in[here()];
  for (int reach = 1; reach < kSummed; reach *= 2) {
    __syncthreads();
    if (t % (2 * reach) == 0) values[t] += values[t + reach];
  }
  if (t == 0) out[blockIdx.x] = values[0];
}

__global__ void sum_with_conflicts(const int* in, int* out) {
  __shared__ int values[kSummed];
  const int t = static_cast<int>(threadIdx.x);
  values[t] = in[here()];
#pragma unroll 1
  for (int reach = 1; reach < kSummed; reach *= 2) {
    __syncthreads();
    const int at = 2 * reach * t;
    if (at < kSummed) values[at] += values[at + reach];
  }
  if (t == 0) out[blockIdx.x] = values[0];
}

template <class T>
__global__ void sum_of_halves(const int* in, int* out) {
  __shared__ T values[kSummed];
  const int t = static_cast<int>(threadIdx.x);
  values[t] = static_cast<T>(in[here()]);
#pragma unroll 1
  for (int reach = kSummed / 2; reach > 0; reach /= 2) {
    __syncthreads();
    if (t < reach) values[t] = values[t] + values[t + reach];
  }
  if (t == 0) out[blockIdx.x] = static_cast<int>(values[0]);
}

__global__ void sum_by_shuffles(const int* in, int* out) {
  __shared__ int sums[kSummed / 32];
  int sum = in[here()];
  for (int reach = 16; reach > 0; reach /= 2) sum += __shfl_down_sync(~0u, sum, reach);
  if (lane() == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = lane() < kSummed / 32 ? sums[lane()] : 0;
  for (int reach = 4; reach > 0; reach /= 2) sum += __shfl_down_sync(~0u, sum, reach);
  if (lane() == 0) out[blockIdx.x] = sum;
}

__global__ void sum_by_atomics(const int* in, int* out) {
  int sum = 0;
#pragma unroll 1
  for (int i = here(); i < kElements; i += static_cast<int>(gridDim.x * blockDim.x)) sum += in[i];
  for (int reach = 16; reach > 0; reach /= 2) sum += __shfl_down_sync(~0u, sum, reach);
  if (lane() == 0) atomicAdd(&out[0], sum);
}

// --- scans of a block's numbers ---

__global__ void scan_in_steps(const int* in, int* out) {  // Hillis and Steele
  __shared__ int values[2][kSummed];
  const int t = static_cast<int>(threadIdx.x);
  int from = 0;
  values[0][t] = in[here()];
#pragma unroll 1
  for (int reach = 1; reach < kSummed; reach *= 2) {
    __syncthreads();
    values[1 - from][t] = values[from][t] + (t >= reach ? values[from][t - reach] : 0);
    from = 1 - from;
  }
  out[here()] = values[from][t];
}

__global__ void scan_up_and_down(const int* in, int* out) {  // Blelloch
  __shared__ int values[kSummed];
  const int t = static_cast<int>(threadIdx.x);
  values[t] = in[here()];
#pragma unroll 1
  for (int reach = 1; reach < kSummed; reach *= 2) {
    __syncthreads();
    const int at = (t + 1) * 2 * reach - 1;
    if (at < kSummed) values[at] += values[at - reach];
  }
  if (t == 0) values[kSummed - 1] = 0;
#pragma unroll 1
  for (int reach = kSummed / 2; reach > 0; reach /= 2) {
    __syncthreads();
    const int at = (t + 1) * 2 * reach - 1;
    if (at < kSummed) {
      const int left = values[at - reach];
      values[at - reach] = values[at];
      values[at] += left;
    }
  }
  __syncthreads();
  out[here()] = values[t];
}

// --- products of 64 x 64 matrices, by blocks of 16 x 16 ---

constexpr int kOrder = 64;
constexpr int kPart = 16;
const dim3 kParts(kOrder / kPart, kOrder / kPart);
const dim3 kPartBlock(kPart, kPart);

__global__ void product_plain(const int* in, int* out) {
  const int *const a = in, *const b = in + kOrder * kOrder;
  const int col = static_cast<int>(blockIdx.x * kPart + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * kPart + threadIdx.y);
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < kOrder; ++k)
    sum += static_cast<float>(a[row * kOrder + k]) * static_cast<float>(b[k * kOrder + col]);
  out[row * kOrder + col] = static_cast<int>(sum);
}

template <class T>
__global__ void product_tile(const int* in, int* out) {
  __shared__ T tile_a[kPart][kPart], tile_b[kPart][kPart];
  const int *const a = in, *const b = in + kOrder * kOrder;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int col = static_cast<int>(blockIdx.x) * kPart + x, row = static_cast<int>(blockIdx.y) * kPart + y;
  T sum = 0;
#pragma unroll 1
  for (int begin = 0; begin < kOrder; begin += kPart) {
    tile_a[y][x] = static_cast<T>(a[row * kOrder + begin + x]);
    tile_b[y][x] = static_cast<T>(b[(begin + y) * kOrder + col]);
    __syncthreads();
    for (int k = 0; k < kPart; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  out[row * kOrder + col] = static_cast<int>(sum);
}

// --- stencils ---

constexpr int kReach = 3;

__global__ void stencil_in_shared(const int* in, int* out) {
  __shared__ int values[kThreads + 2 * kReach];
  const int t = static_cast<int>(threadIdx.x) + kReach, i = here() + kReach;
  values[t] = in[i];
  if (threadIdx.x < kReach) {
    values[t - kReach] = in[i - kReach];
    values[t + kThreads] = in[i + kThreads];
  }
  __syncthreads();
  int sum = 0;
  for (int k = -kReach; k <= kReach; ++k) sum += values[t + k];
  out[i] = sum;
}

__global__ void stencil_of_five(const int* in, int* out) {  // of the same matrix as the transposes
  const int col = static_cast<int>(blockIdx.x * kTile + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * kTileRows + threadIdx.y);
  if (col == 0 || row == 0 || col == kSide - 1 || row == kSide - 1) return;
  const int at = row * kSide + col;
  out[at] = in[at - kSide] + in[at - 1] + 2 * in[at] + in[at + 1] + in[at + kSide];
}

// --- types ---

__global__ void half_scale(const int* in, int* out) {
  const __half v = reinterpret_cast<const __half*>(in)[here() * 2];
  reinterpret_cast<__half*>(out)[here()] = __hmul(v, __float2half(0.5f));
}

__global__ void half2_scale(const int* in, int* out) {
  const __half2 v = reinterpret_cast<const __half2*>(in)[here()];
  reinterpret_cast<__half2*>(out)[here()] = __hmul2(v, __float2half2_rn(0.5f));
}

__global__ void half_in_shared(const int* in, int* out) {
  __shared__ __half values[kThreads];
  values[threadIdx.x] = __float2half(static_cast<float>(in[here()]));
  __syncthreads();
  out[here()] = static_cast<int>(__half2float(__hadd(values[threadIdx.x], values[threadIdx.x ^ 33])));
}

__global__ void double_in_shared(const int* in, int* out) {
  __shared__ double values[kThreads];
  values[threadIdx.x] = in[here()];
  __syncthreads();
  out[here()] = static_cast<int>(values[threadIdx.x] * 2 + values[threadIdx.x ^ 33]);
}

// --- histograms ---

__global__ void histogram_in_shared(const int* in, int* out) {
  __shared__ int bins[256];
  for (int k = static_cast<int>(threadIdx.x); k < 256; k += kThreads) bins[k] = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = here(); i < kElements / 8; i += static_cast<int>(gridDim.x * blockDim.x)) atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < 256; k += kThreads) atomicAdd(&out[k], bins[k]);
}

// --- what limits occupancy ---

__global__ void much_shared_memory(const int* in, int* out) {
  extern __shared__ int values[];
  values[threadIdx.x * 32] = in[here()];
  __syncthreads();
  out[here()] = values[(threadIdx.x ^ 1) * 32];
}

__global__ void __launch_bounds__(1024) large_blocks(const int* in, int* out) { out[here()] = in[here()] + 1; }

__global__ void many_registers(const int* in, int* out) {
  int values[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) values[k] = in[here() + k * 512];
#pragma unroll
  for (int round = 0; round < 3; ++round)
#pragma unroll
    for (int k = 0; k < 96; ++k) values[k] += values[(k * 7 + 5) % 96] * (round + 1);
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 96; ++k) sum = 3 * sum + values[k];
  out[here()] = sum;
}

const Pattern kPatterns[] = {
    PATTERN_ON(kTiles, kTileBlock, transpose_reads_rows),
    PATTERN_ON(kTiles, kTileBlock, transpose_writes_rows),
    PATTERN_ON(kTiles, kTileBlock, transpose_tile<Plain>),
    PATTERN_ON(kTiles, kTileBlock, transpose_tile<Padded>),
    PATTERN_ON(kTiles, kTileBlock, transpose_tile<Swizzled>),
    PATTERN_ON(kBlocks, kSummed, sum_interleaved),
    PATTERN_ON(kBlocks, kSummed, sum_with_conflicts),
    PATTERN_ON(kBlocks, kSummed, sum_of_halves<int>),
    PATTERN_ON(kBlocks, kSummed, sum_of_halves<float>),
    PATTERN_ON(kBlocks, kSummed, sum_of_halves<double>),
    PATTERN_ON(kBlocks, kSummed, sum_by_shuffles),
    PATTERN_ON(kBlocks, kSummed, sum_by_atomics),
    PATTERN_ON(kBlocks, kSummed, scan_in_steps),
    PATTERN_ON(kBlocks, kSummed, scan_up_and_down),
    PATTERN_ON(kParts, kPartBlock, product_plain),
    PATTERN_ON(kParts, kPartBlock, product_tile<float>),
    PATTERN_ON(kParts, kPartBlock, product_tile<double>),
    PATTERN(stencil_in_shared),
    PATTERN_ON(dim3(kSide / kTile, kSide / kTileRows), kTileBlock, stencil_of_five),
    PATTERN(half_scale),
    PATTERN(half2_scale),
    PATTERN(half_in_shared),
    PATTERN(double_in_shared),
    PATTERN(histogram_in_shared),
    {"much_shared_memory", much_shared_memory, kBlocks, kThreads, 96 << 10},
    PATTERN_ON(kBlocks, 1024, large_blocks),
    PATTERN_ON(kBlocks / 2, 2 * kThreads, many_registers),  // 88 to 128 registers: two blocks on a multiprocessor
};

}  // namespace

int main(int argc, char** argv) { return run_patterns(kPatterns, argc, argv); }
