// Step 4 of attention: tensor cores.
// Idea      a warp has 16 queries. It multiplies tiles of 16 x 16 x 8 (wmma, TF32) for the scores and again for the
//           averages; sums are floats. Which lane holds which element of a fragment is not specified, so scores and
//           weights pass through shared memory. A fragment is rescaled by another one of the same kind, in which each
//           row holds its factor: equal places then belong to equal rows.
// Gain      x 1.56 on an H200: 2.72 ms for 32 heads of 4096 x 64, 50.5 TFLOP/s.
// Traffic   as before from global memory.
// Wastes    fragments are loaded from shared memory for every 16 queries; with mma.sync, whose layout is specified,
//           weights could stay in registers. Copies wait for products, and products for exponentials.
//
// Leap      the arithmetic moves to another unit, which takes its operands in another form; half of that would not run.
#include "attention.cuh"

#include <mma.h>
#include <cmath>
#include <cstddef>

namespace {

namespace wmma = nvcuda::wmma;

constexpr int kWarp = 32;
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kTile = 16;                 // of a fragment: 16 x 16 sums,
constexpr int kDepth = 8;                 // of 8 products each
constexpr int kQueries = kWarps * kTile;  // of a block
constexpr int kKeys = 64;                 // of a tile
constexpr int kPadding = 4;               // floats at the end of a row: neighbouring rows begin in different banks
constexpr unsigned kAllLanes = 0xffffffff;

using Left = wmma::fragment<wmma::matrix_a, kTile, kTile, kDepth, wmma::precision::tf32, wmma::row_major>;
using Right = wmma::fragment<wmma::matrix_b, kTile, kTile, kDepth, wmma::precision::tf32, wmma::row_major>;
using RightByColumns = wmma::fragment<wmma::matrix_b, kTile, kTile, kDepth, wmma::precision::tf32, wmma::col_major>;
using Sums = wmma::fragment<wmma::accumulator, kTile, kTile, kDepth, float>;

template <int kWidth>
struct Tiles {
  float keys[kKeys][kWidth + kPadding];
  float values[kKeys][kWidth + kPadding];
  float scores[kWarps][kTile][kKeys + kPadding];  // first the queries, then scores and weights, last the result
  float factors[kWarps][kTile][kTile + kPadding];
};

// Rounds `rows` rows to TF32 and copies them to a tile of kTileRows; fills the others with zeros.
template <int kTileRows, int kWidth, int kPitch>
__device__ void copy_tile(float (*tile)[kPitch], const float* from, int rows, float scale, int thread, int threads) {
  constexpr int kVectors = kWidth / 4;  // of a row
  for (int i = thread; i < kTileRows * kVectors; i += threads) {
    float4 v = {0, 0, 0, 0};
    if (i / kVectors < rows) v = reinterpret_cast<const float4*>(from)[i];
    *reinterpret_cast<float4*>(&tile[i / kVectors][i % kVectors * 4]) = {
        wmma::__float_to_tf32(v.x * scale), wmma::__float_to_tf32(v.y * scale), wmma::__float_to_tf32(v.z * scale),
        wmma::__float_to_tf32(v.w * scale)};
  }
}

// Multiplies each row of the averages by what the row's two lanes have as `factor`.
template <int kFragments>
__device__ void scale_rows(Sums (&average)[kFragments], float (*factors)[kTile + kPadding], float factor, int lane) {
  __syncwarp();  // the factors before have been used
#pragma unroll
  for (int c = 0; c < kTile / 2; ++c) factors[lane / 2][lane % 2 * (kTile / 2) + c] = factor;
  __syncwarp();
  Sums of_row;
  wmma::load_matrix_sync(of_row, &factors[0][0], kTile + kPadding, wmma::mem_row_major);
#pragma unroll
  for (Sums& each : average)
#pragma unroll
    for (int i = 0; i < Sums::num_elements; ++i) each.x[i] *= of_row.x[i];
}

template <int kWidth>
__global__ void __launch_bounds__(kThreads, 2)
    attention_kernel(const float* q, const float* k, const float* v, float* out, int n, float scale) {
  extern __shared__ float4 shared[];
  Tiles<kWidth>& tile = *reinterpret_cast<Tiles<kWidth>*>(shared);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * n * kWidth;
  const int first_query = static_cast<int>(blockIdx.x) * kQueries + warp * kTile;
  const std::size_t queries = head + static_cast<std::size_t>(first_query) * kWidth;
  float(*const scores)[kKeys + kPadding] = tile.scores[warp];

  Left query[kWidth / kDepth];
  copy_tile<kTile, kWidth>(scores, q + queries, n - first_query, scale, lane, kWarp);
  __syncwarp();
#pragma unroll
  for (int c = 0; c < kWidth / kDepth; ++c) wmma::load_matrix_sync(query[c], &scores[0][c * kDepth], kKeys + kPadding);
  Sums average[kWidth / kTile];
#pragma unroll
  for (Sums& each : average) wmma::fill_fragment(each, 0.0f);
  float maximum = -INFINITY;  // of row lane / 2; two lanes share a row, each with every other key
  float sum = 0;              // of this lane's keys

  for (int first = 0; first < n; first += kKeys) {
    const std::size_t from = head + static_cast<std::size_t>(first) * kWidth;
    __syncthreads();  // the tiles before have been used
    copy_tile<kKeys, kWidth>(tile.keys, k + from, n - first, 1, static_cast<int>(threadIdx.x), kThreads);
    copy_tile<kKeys, kWidth>(tile.values, v + from, n - first, 1, static_cast<int>(threadIdx.x), kThreads);
    __syncthreads();

#pragma unroll
    for (int j = 0; j < kKeys / kTile; ++j) {
      Sums score;
      wmma::fill_fragment(score, 0.0f);
#pragma unroll
      for (int c = 0; c < kWidth / kDepth; ++c) {
        RightByColumns key;  // a row of the tile is a column of what the queries are multiplied by
        wmma::load_matrix_sync(key, &tile.keys[j * kTile][c * kDepth], kWidth + kPadding);
        wmma::mma_sync(score, query[c], key, score);
      }
      wmma::store_matrix_sync(&scores[0][j * kTile], score, kKeys + kPadding, wmma::mem_row_major);
    }
    __syncwarp();

    const int count = min(kKeys, n - first);
    float* const of_row = scores[lane / 2];
    float greatest = maximum;
    for (int key = lane % 2; key < count; key += 2) greatest = fmaxf(greatest, of_row[key]);
    greatest = fmaxf(greatest, __shfl_xor_sync(kAllLanes, greatest, 1));
    const float factor = __expf(maximum - greatest);
    maximum = greatest;
    sum *= factor;
    for (int key = lane % 2; key < kKeys; key += 2) {
      const float weight = key < count ? __expf(of_row[key] - greatest) : 0;
      sum += weight;
      of_row[key] = wmma::__float_to_tf32(weight);
    }
    scale_rows(average, tile.factors[warp], factor, lane);

#pragma unroll
    for (int key = 0; key < kKeys; key += kDepth) {
      Left weight;
      wmma::load_matrix_sync(weight, &scores[0][key], kKeys + kPadding);
#pragma unroll
      for (int c = 0; c < kWidth / kTile; ++c) {
        Right value;
        wmma::load_matrix_sync(value, &tile.values[key][c * kTile], kWidth + kPadding);
        wmma::mma_sync(average[c], weight, value, average[c]);
      }
    }
  }

  sum += __shfl_xor_sync(kAllLanes, sum, 1);
  scale_rows(average, tile.factors[warp], 1 / sum, lane);
#pragma unroll
  for (int c = 0; c < kWidth / kTile; ++c)
    wmma::store_matrix_sync(&scores[0][c * kTile], average[c], kKeys + kPadding, wmma::mem_row_major);
  __syncwarp();
  for (int i = lane; i < kTile * kWidth / 4; i += kWarp)
    if (first_query + i / (kWidth / 4) < n)
      reinterpret_cast<float4*>(out + queries)[i] =
          *reinterpret_cast<const float4*>(&scores[i / (kWidth / 4)][i % (kWidth / 4) * 4]);
}

template <int kWidth>
void launch(const float* d_q, const float* d_k, const float* d_v, float* d_out, int heads, int n) {
  constexpr int kBytes = sizeof(Tiles<kWidth>);
  CHECK(cudaFuncSetAttribute(attention_kernel<kWidth>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const dim3 blocks((n + kQueries - 1) / kQueries, heads);
  attention_kernel<kWidth><<<blocks, kThreads, kBytes>>>(d_q, d_k, d_v, d_out, n, 1 / sqrtf(kWidth));
  CHECK(cudaGetLastError());
}

}  // namespace

void attention(const float* d_q, const float* d_k, const float* d_v, float* d_out, int heads, int n, int d) {
  if (heads == 0 || n == 0) return;
  if (d == 32)
    launch<32>(d_q, d_k, d_v, d_out, heads, n);
  else
    launch<64>(d_q, d_k, d_v, d_out, heads, n);
}
