// Matrices between memory and registers, each a kernel: what ldmatrix, stmatrix and wmma's loads and stores take of the
// banks of shared memory and of sectors is held against Nsight Compute (scripts/counters_fidelity.sh).
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

#include "counter_patterns.cuh"

namespace {

namespace wmma = nvcuda::wmma;

constexpr int kWarps = kThreads / 32;
constexpr int kTileBytes = 32 * 144;  // of a warp: 32 rows, at most so far apart

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// The rows of so many matrices, kStride bytes apart.
template <int kCount, int kStride, bool kTransposed>
__global__ void load_rows(const int* in, int* out) {
  __shared__ __align__(16) int tiles[kWarps * kTileBytes / 4];
  for (int i = static_cast<int>(threadIdx.x); i < kWarps * kTileBytes / 4; i += kThreads) tiles[i] = in[i];
  __syncthreads();
  const unsigned row = shared_address(tiles) + threadIdx.x / 32 * kTileBytes + lane() * kStride;
  unsigned r[4] = {};
  if (kCount == 1 && kTransposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(row) : "memory");
  else if (kCount == 1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(row) : "memory");
  else if (kCount == 2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(row)
                 : "memory");
  else if (kTransposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
  out[here()] = static_cast<int>(r[0] + 3 * r[1] + 5 * r[2] + 7 * r[3]);
}

template <int kStride, bool kTransposed>
__global__ void store_rows(const int* in, int* out) {
  __shared__ __align__(16) int tiles[kWarps * kTileBytes / 4];
  for (int i = static_cast<int>(threadIdx.x); i < kWarps * kTileBytes / 4; i += kThreads) tiles[i] = 0;
  __syncthreads();
  const unsigned row = shared_address(tiles) + threadIdx.x / 32 * kTileBytes + lane() * kStride;
  const int mine = in[here()];
  if (kTransposed)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(row), "r"(mine), "r"(mine + 1), "r"(mine + 2), "r"(mine + 3)
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(row), "r"(mine), "r"(mine + 1), "r"(mine + 2), "r"(mine + 3)
                 : "memory");
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kWarps * kTileBytes / 4; i += kThreads)
    out[blockIdx.x * (kWarps * kTileBytes / 4) + i] = tiles[i];
}

/// All matrices have the same rows.
__global__ void load_one_matrix_four_times(const int* in, int* out) {
  __shared__ __align__(16) int tile[8 * 4];
  if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned row = shared_address(tile) + lane() % 8 * 16;
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
  out[here()] = static_cast<int>(r[0] + 3 * r[1] + 5 * r[2] + 7 * r[3]);
}

// --- wmma: a fragment from global memory, and back ---

template <class Layout, int kStride>
__global__ void load_fragment(const int* in, int* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, Layout> fragment;
  const int warp = here() / 32;
  wmma::load_matrix_sync(fragment, reinterpret_cast<const __half*>(in) + warp * 16 * kStride, kStride);
  int sum = 0;
  for (int i = 0; i < fragment.num_elements; ++i) sum = 3 * sum + __half_as_ushort(fragment.x[i]);
  out[here()] = sum;
}

template <wmma::layout_t kLayout, int kStride>
__global__ void store_fragment(const int* in, int* out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment;
  for (int i = 0; i < fragment.num_elements; ++i) fragment.x[i] = static_cast<float>(in[here()] + i);
  wmma::store_matrix_sync(reinterpret_cast<float*>(out) + here() / 32 * 16 * kStride, fragment, kStride, kLayout);
}

const Pattern kPatterns[] = {
    PATTERN(load_rows<1, 16, false>),
    PATTERN(load_rows<1, 128, false>),
    PATTERN(load_rows<1, 16, true>),
    PATTERN(load_rows<2, 16, false>),
    PATTERN(load_rows<2, 64, false>),
    PATTERN(load_rows<4, 16, false>),
    PATTERN(load_rows<4, 32, false>),
    PATTERN(load_rows<4, 64, false>),
    PATTERN(load_rows<4, 80, false>),
    PATTERN(load_rows<4, 128, false>),
    PATTERN(load_rows<4, 144, false>),
    PATTERN(load_rows<4, 16, true>),
    PATTERN(load_rows<4, 128, true>),
    PATTERN(store_rows<16, false>),
    PATTERN(store_rows<64, false>),
    PATTERN(store_rows<128, false>),
    PATTERN(store_rows<144, true>),
    PATTERN(load_one_matrix_four_times),
    PATTERN(load_fragment<wmma::row_major, 16>),
    PATTERN(load_fragment<wmma::row_major, 64>),
    PATTERN(load_fragment<wmma::col_major, 16>),
    PATTERN(store_fragment<wmma::mem_row_major, 16>),
    PATTERN(store_fragment<wmma::mem_col_major, 16>),
    PATTERN(store_fragment<wmma::mem_row_major, 32>),
};

}  // namespace

int main(int argc, char** argv) { return run_patterns(kPatterns, argc, argv); }
