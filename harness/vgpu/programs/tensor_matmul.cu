// Matrix products by tensor cores, against the host's: with nvcuda::wmma, and with ldmatrix, mma.sync, stmatrix and
// movmatrix. All numbers are small integers, so that every sum is exact in whatever order it is made.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "check.cuh"

namespace wmma = nvcuda::wmma;
using U32 = std::uint32_t;

constexpr int kM = 64, kN = 96, kK = 80;  // different ones, none a power of two but M
constexpr int kTile = 16;

// --- wmma: a warp a tile, straight from global memory ---

template <class T, class Sum, class BLayout, int kDepth>
__global__ void multiply_tiles(const T* a, const T* b, Sum* c) {
  constexpr bool kBIsColumns = std::is_same_v<BLayout, wmma::col_major>;
  using Element = std::conditional_t<std::is_same_v<T, float>, wmma::precision::tf32, T>;
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  wmma::fragment<wmma::accumulator, kTile, kTile, kDepth, Sum> sum;
  wmma::fill_fragment(sum, Sum(0.0f));
  for (int k = 0; k < kK; k += kDepth) {
    wmma::fragment<wmma::matrix_a, kTile, kTile, kDepth, Element, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, kTile, kTile, kDepth, Element, BLayout> right;
    wmma::load_matrix_sync(left, a + row * kK + k, kK);
    wmma::load_matrix_sync(right, kBIsColumns ? b + column * kK + k : b + k * kN + column, kBIsColumns ? kK : kN);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
  wmma::store_matrix_sync(c + row * kN + column, sum, kN, wmma::mem_row_major);
}

// --- ldmatrix and mma.sync: a block of four warps, tiles in shared memory ---

/// Rows of 40 halves, 80 bytes: eight rows of a matrix then lie in different banks. Swizzled, rows of 32 halves do,
/// too.
constexpr int kBlockK = 32, kPadded = kBlockK + 8;

__device__ U32 shared_address(const void* pointer) { return static_cast<U32>(__cvta_generic_to_shared(pointer)); }

/// C of 32 rows and 32 columns a block; each warp has 16 by 16 of it, as two sums of 16 by 8. B lies in memory by rows:
/// its matrices are transposed on the way.
__global__ void multiply_in_shared(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half tile_a[32 * kPadded], tile_b[kBlockK * kPadded];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.y * 32, column = blockIdx.x * 32;
  float sums[2][4] = {};
  for (int k = 0; k < kK; k += kBlockK) {
    for (int i = threadIdx.x; i < 32 * kBlockK; i += blockDim.x) {
      const int r = i / kBlockK, s = i % kBlockK;
      tile_a[r * kPadded + s] = k + s < kK ? a[(row + r) * kK + k + s] : __half(0.0f);
      tile_b[r * kPadded + s] = k + r < kK ? b[(k + r) * kN + column + s] : __half(0.0f);
    }
    __syncthreads();
    for (int step = 0; step < kBlockK; step += 16) {
      U32 from_a[4], from_b[4];
      const __half* const rows_a = tile_a + (warp / 2 * 16 + lane % 16) * kPadded + step + lane / 16 * 8;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(from_a[0]), "=r"(from_a[1]), "=r"(from_a[2]), "=r"(from_a[3])
                   : "r"(shared_address(rows_a))
                   : "memory");
      const __half* const rows_b = tile_b + (step + lane % 16) * kPadded + warp % 2 * 16 + lane / 16 * 8;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(from_b[0]), "=r"(from_b[1]), "=r"(from_b[2]), "=r"(from_b[3])
                   : "r"(shared_address(rows_b))
                   : "memory");
      for (int n = 0; n < 2; ++n)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sums[n][0]), "+f"(sums[n][1]), "+f"(sums[n][2]), "+f"(sums[n][3])
            : "r"(from_a[0]), "r"(from_a[1]), "r"(from_a[2]), "r"(from_a[3]), "r"(from_b[2 * n]),
              "r"(from_b[2 * n + 1]));
    }
    __syncthreads();
  }
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i) {
      const int r = row + warp / 2 * 16 + lane / 4 + i / 2 * 8,
                s = column + warp % 2 * 16 + n * 8 + lane % 4 * 2 + i % 2;
      c[r * kN + s] = sums[n][i];
    }
}

// --- what moves matrices: each of these leaves the numbers of the halves of a 16 by 16 matrix ---

__global__ void move_matrices(U32* out) {
  __shared__ __align__(16) unsigned short from[16 * 16], to[16 * 16];
  const int lane = threadIdx.x;
  const auto leave = [&](int which, U32 word) { out[which * 32 + lane] = word; };
  for (int i = lane; i < 256; i += 32) from[i] = static_cast<unsigned short>(i);
  __syncwarp();
  const unsigned short* const row = from + lane % 16 * 16 + lane / 16 * 8;
  U32 r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(shared_address(row))
               : "memory");
  leave(0, r[0]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
  leave(1, r[0]);
  leave(2, r[1]);
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[1]) : "r"(r[0]));
  leave(3, r[1]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "l"(row)
               : "memory");
  const U32 target = shared_address(to + lane % 16 * 16 + lane / 16 * 8);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(target), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
  __syncwarp();
  for (int i = 0; i < 4; ++i) leave(4 + i, to[lane * 8 + 2 * i] | static_cast<U32>(to[lane * 8 + 2 * i + 1]) << 16);
}

// --- the host's side ---

template <class T>
std::vector<T> small_integers(int count, int seed) {
  std::vector<T> all;
  for (int i = 0; i < count; ++i) all.push_back(T(static_cast<float>((i * 7 + seed + i / 5) % 9 - 4)));
  return all;
}

template <class T>
T* on_device(const std::vector<T>& from) {
  T* at;
  CHECK(cudaMalloc(&at, from.size() * sizeof(T)));
  CHECK(cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return at;
}

template <class T, class Sum, class Multiply>
void check(const char* name, bool b_is_columns, int times, const Multiply& multiply) {
  const std::vector<T> a = small_integers<T>(kM * kK, 1), b = small_integers<T>(kK * kN, 5);
  std::vector<Sum> c(kM * kN, Sum(-1.0f));
  T *d_a = on_device(a), *d_b = on_device(b);
  Sum* d_c = on_device(c);
  multiply(d_a, d_b, d_c);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(Sum), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int m = 0; m < kM; ++m)
    for (int n = 0; n < kN; ++n) {
      float sum = 0;
      for (int k = 0; k < kK; ++k)
        sum += static_cast<float>(a[m * kK + k]) * static_cast<float>(b_is_columns ? b[n * kK + k] : b[k * kN + n]);
      wrong += static_cast<float>(c[m * kN + n]) != sum * static_cast<float>(times) ? 1 : 0;
    }
  std::printf("%s: %d of %d are wrong\n", name, wrong, kM * kN);
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
}

template <class T, class Sum, class BLayout, int kDepth = 16>
void check_tiles(const char* name) {
  check<T, Sum>(name, std::is_same_v<BLayout, wmma::col_major>, 2, [](const T* a, const T* b, Sum* c) {
    multiply_tiles<T, Sum, BLayout, kDepth><<<dim3(kN / kTile, kM / kTile), 32>>>(a, b, c);
  });
}

int main() {
  check_tiles<__half, float, wmma::row_major>("wmma, f16 into f32, B by rows");
  check_tiles<__half, float, wmma::col_major>("wmma, f16 into f32, B by columns");
  check_tiles<__half, __half, wmma::row_major>("wmma, f16 into f16, B by rows");
  check_tiles<__nv_bfloat16, float, wmma::col_major>("wmma, bf16 into f32, B by columns");
  check_tiles<float, float, wmma::row_major, 8>("wmma, tf32 into f32, B by rows");
  check_tiles<signed char, int, wmma::col_major>("wmma, s8 into s32, B by columns");
  check<__half, float>("ldmatrix and mma.sync", false, 1, [](const __half* a, const __half* b, float* c) {
    multiply_in_shared<<<dim3(kN / 32, kM / 32), 128>>>(a, b, c);
  });
  std::vector<U32> moved(8 * 32);
  U32* d_moved = on_device(moved);
  move_matrices<<<1, 32>>>(d_moved);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(moved.data(), d_moved, moved.size() * sizeof(U32), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_moved));
  constexpr const char* kNames[] = {"ldmatrix.x1",
                                    "ldmatrix.x2.trans, first",
                                    "ldmatrix.x2.trans, second",
                                    "movmatrix",
                                    "stmatrix.trans",
                                    "  second words",
                                    "  third words",
                                    "  fourth words"};
  for (int which = 0; which < 8; ++which) {
    std::printf("%s:", kNames[which]);
    for (int lane = 0; lane < 32; ++lane)
      std::printf(" %u,%u", moved[which * 32 + lane] & 0xFFFF, moved[which * 32 + lane] >> 16);
    std::printf("\n");
  }
}
