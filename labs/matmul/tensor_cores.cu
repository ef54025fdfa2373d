// The product of two matrices on tensor cores, in each format that these take: TF32, bfloat16 and half precision. A
// worked example to read, run and change; none of it is to be submitted.
//
//   build/lanewise nvcc -std=c++17 -O2 -lineinfo -arch=sm_90 -o tensor_cores labs/matmul/tensor_cores.cu
//   build/lanewise run -- ./tensor_cores      on the virtual GPU: matrices of 128 x 128
//   ./tensor_cores 4096                       on a GPU
//
// Prints for each format the time, the rate, and the largest error among a thousand elements, in units of 2^-24 S, as
// the contract of the lab counts it: S is the sum of the absolute values of an element's products, and 16 sqrt(k) such
// units are allowed. The last line keeps within that: each number is split into two, and three products are added up.
// Ends with code 1 if an error is larger than its format explains.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                      \
  do {                                                                                                   \
    const cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                         \
      std::fprintf(stderr, "tensor_cores.cu:%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                      \
    }                                                                                                    \
  } while (false)

namespace {

namespace wmma = nvcuda::wmma;

constexpr int kWarp = 32;
constexpr int kFragment = 16;             // rows and columns of the sums that one instruction adds to
constexpr int kWarpTile = 2 * kFragment;  // of a warp: 2 x 2 fragments
constexpr int kTile = 2 * kWarpTile;      // of a block: 2 x 2 warps
constexpr int kThreads = 4 * kWarp;
constexpr int kDepth = 16;   // products that are staged in shared memory at a time
constexpr int kPadding = 8;  // elements at the end of a row: the next one begins in other banks

// What a format is: how its elements are stored and rounded, how fragments name it, how many products one instruction
// adds, how many bits of a fraction are kept, and in how many parts a number is multiplied.
struct Tf32 {
  using Stored = float;
  using Fragment = wmma::precision::tf32;
  static constexpr const char* kName = "TF32";
  static constexpr int kProducts = 8, kFractionBits = 10, kParts = 1;
  static __device__ Stored rounded(float x) { return wmma::__float_to_tf32(x); }
};

struct BFloat16 {
  using Stored = __nv_bfloat16;
  using Fragment = __nv_bfloat16;
  static constexpr const char* kName = "bfloat16";
  static constexpr int kProducts = 16, kFractionBits = 7, kParts = 1;
  static __device__ Stored rounded(float x) { return __float2bfloat16(x); }
};

struct Half {
  using Stored = __half;
  using Fragment = __half;
  static constexpr const char* kName = "half";
  static constexpr int kProducts = 16, kFractionBits = 10, kParts = 1;
  static __device__ Stored rounded(float x) { return __float2half(x); }
};

// A float has 24 bits, and two numbers in TF32 have 22: what rounding has lost of the first is the second.
struct SplitTf32 : Tf32 {
  static constexpr const char* kName = "TF32, split";
  static constexpr int kFractionBits = 21, kParts = 2;
};

template <class Format>
struct Tiles {
  typename Format::Stored a[Format::kParts][kTile][kDepth + kPadding];
  typename Format::Stored b[Format::kParts][kDepth][kTile + kPadding];
};

// Stores the parts of a number at the same place of each part's tile.
template <class Format, int kRows, int kPitch>
__device__ void store_parts(typename Format::Stored (&tile)[Format::kParts][kRows][kPitch], int row, int col, float x) {
  for (int part = 0; part < Format::kParts; ++part) {
    const typename Format::Stored rounded = Format::rounded(x);
    tile[part][row][col] = rounded;
    x -= static_cast<float>(rounded);
  }
}

// C = A B for square matrices whose extent is a multiple of kTile. Sums are floats in every format.
template <class Format>
__global__ void __launch_bounds__(kThreads) product(const float* a, const float* b, float* c, int n) {
  using Left = wmma::fragment<wmma::matrix_a, kFragment, kFragment, Format::kProducts, typename Format::Fragment,
                              wmma::row_major>;
  using Right = wmma::fragment<wmma::matrix_b, kFragment, kFragment, Format::kProducts, typename Format::Fragment,
                               wmma::row_major>;
  using Sums = wmma::fragment<wmma::accumulator, kFragment, kFragment, Format::kProducts, float>;
  __shared__ alignas(32) Tiles<Format> tiles;
  const int thread = static_cast<int>(threadIdx.x);
  const int warp_row = thread / kWarp / 2 * kWarpTile;
  const int warp_col = thread / kWarp % 2 * kWarpTile;
  const std::size_t row = std::size_t{blockIdx.y} * kTile;
  const std::size_t col = std::size_t{blockIdx.x} * kTile;

  Sums sums[2][2];
  for (auto& line : sums)
    for (Sums& sum : line) wmma::fill_fragment(sum, 0.0F);
  for (int first = 0; first < n; first += kDepth) {
    __syncthreads();  // the tiles before have been multiplied
    for (int i = thread; i < kTile * kDepth; i += kThreads) {
      store_parts<Format>(tiles.a, i / kDepth, i % kDepth, a[(row + i / kDepth) * n + first + i % kDepth]);
      store_parts<Format>(tiles.b, i / kTile, i % kTile,
                          b[static_cast<std::size_t>(first + i / kTile) * n + col + i % kTile]);
    }
    __syncthreads();
    for (int p = 0; p < kDepth; p += Format::kProducts) {
      Left left[Format::kParts][2];
      Right right[Format::kParts][2];
      for (int part = 0; part < Format::kParts; ++part)
        for (int i = 0; i < 2; ++i) {
          wmma::load_matrix_sync(left[part][i], &tiles.a[part][warp_row + i * kFragment][p], kDepth + kPadding);
          wmma::load_matrix_sync(right[part][i], &tiles.b[part][p][warp_col + i * kFragment], kTile + kPadding);
        }
      // The small products first. That of two small parts is too small to matter.
      for (int part = Format::kParts - 1; part >= 0; --part)
        for (int other = Format::kParts - 1 - part; other >= 0; --other)
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], left[part][i], right[other][j], sums[i][j]);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      float* const to = c + (row + warp_row + i * kFragment) * n + col + warp_col + j * kFragment;
      wmma::store_matrix_sync(to, sums[i][j], n, wmma::mem_row_major);
    }
}

struct Matrices {
  int n;
  std::vector<float> a, b;
  float *d_a, *d_b, *d_c;
};

std::vector<float> random_numbers(std::size_t count, unsigned state) {
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = static_cast<float>(state >> 8) * 0x1p-23F - 1;  // in [-1, 1)
  }
  return numbers;
}

float* on_device(const std::vector<float>& numbers) {
  float* device = nullptr;
  CHECK(cudaMalloc(&device, numbers.size() * sizeof(float)));
  CHECK(cudaMemcpy(device, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice));
  return device;
}

// The largest error of a thousand elements or so, in units of 2^-24 S.
double largest_error(const Matrices& m) {
  std::vector<float> c(m.a.size());
  CHECK(cudaMemcpy(c.data(), m.d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double largest = 0;
  const std::size_t step = std::max<std::size_t>(c.size() / 1024, 1) | 1;  // odd, so that every column has its turn
  for (std::size_t i = 0; i < c.size(); i += step) {
    double sum = 0, magnitude = 0;
    for (int p = 0; p < m.n; ++p) {
      const double term =
          static_cast<double>(m.a[i / m.n * m.n + p]) * m.b[static_cast<std::size_t>(p) * m.n + i % m.n];
      sum += term;
      magnitude += std::abs(term);
    }
    largest = std::max(largest, std::abs(sum - c[i]) / magnitude * 0x1p24);
  }
  return largest;
}

// Whether the error is one that the format explains: both operands rounded, and a sum of floats.
template <class Format>
bool measure(const Matrices& m) {
  const auto blocks = static_cast<unsigned>(m.n / kTile);
  const auto run = [&] { product<Format><<<dim3(blocks, blocks), kThreads>>>(m.d_a, m.d_b, m.d_c, m.n); };
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  run();  // the first call loads the kernel
  CHECK(cudaEventRecord(begin));
  run();
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));

  const double error = largest_error(m);
  const double allowed = 16 * std::sqrt(m.n);
  std::printf("%-12s %10.4f %8.2f %12.1f  %s\n", Format::kName, milliseconds,
              2.0 * m.n * m.n * m.n / milliseconds * 1e-9, error, error <= allowed ? "yes" : "no");
  return error <= std::ldexp(1.0, 24 - Format::kFractionBits) + allowed;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 128;
  if (n <= 0 || n % kTile != 0 || n > 1 << 15) {
    std::fprintf(stderr, "tensor_cores: '%s' is no extent; give a multiple of %d up to 32768\n", argv[1], kTile);
    return 2;
  }
  const std::size_t count = static_cast<std::size_t>(n) * n;
  Matrices m{n, random_numbers(count, 1), random_numbers(count, 2), nullptr, nullptr, nullptr};
  m.d_a = on_device(m.a);
  m.d_b = on_device(m.b);
  CHECK(cudaMalloc(&m.d_c, count * sizeof(float)));

  std::printf("%d x %d x %d; allowed: %.0f\n\n", n, n, n, 16 * std::sqrt(n));
  std::printf("%-12s %10s %8s %12s  %s\n", "format", "ms", "TFLOP/s", "error", "allowed");
  bool all = measure<Tf32>(m);
  all &= measure<BFloat16>(m);
  all &= measure<Half>(m);
  all &= measure<SplitTf32>(m);

  CHECK(cudaFree(m.d_a));
  CHECK(cudaFree(m.d_b));
  CHECK(cudaFree(m.d_c));
  return all ? 0 : 1;
}
