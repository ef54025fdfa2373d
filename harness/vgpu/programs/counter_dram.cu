// Kernels over arrays several times the size of an H200's L2 cache (60 MiB): the bytes they move through device memory
// are held against Nsight Compute (scripts/counters_fidelity.sh).
// Usage: counter_dram [LOG2_OF_ELEMENTS]
// Prints whether each kernel did what it should, and how many of its blocks fit on a multiprocessor.
#include <cstdint>
#include <vector>

#include "check.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kTile = 32;
constexpr int kTileRows = 8;
constexpr unsigned kLookedAt = 13;  // of so many results one: there are many

struct Arrays {
  float* a;  // i % 251
  float* b;  // i % 127
  float* out;
  unsigned side;  // side * side elements in each
  unsigned elements;
};

__device__ unsigned here() { return blockIdx.x * kThreads + threadIdx.x; }

__global__ void dram_read(Arrays x) {
  const float v = x.a[here()];
  if (v < 0) x.out[0] = v;  // never
}

__global__ void dram_fill(Arrays x) { x.out[here()] = 7; }

__global__ void dram_copy(Arrays x) { x.out[here()] = x.a[here()]; }

__global__ void dram_copy_float4(Arrays x) {
  reinterpret_cast<float4*>(x.out)[here()] = reinterpret_cast<const float4*>(x.a)[here()];
}

__global__ void dram_triad(Arrays x) { x.out[here()] = x.a[here()] + 3 * x.b[here()]; }

__global__ void dram_add_in_place(Arrays x) { x.out[here()] += 7; }

// Of every so many elements one: whole sectors, every second, every fourth.
template <int kStride>
__global__ void dram_read_stride(Arrays x) {
  const float v = x.a[std::size_t{here()} * kStride];
  if (v < 0) x.out[0] = v;  // never
}

template <int kStride>
__global__ void dram_write_stride(Arrays x) {
  x.out[std::size_t{here()} * kStride] = 7;
}

// Sectors that one warp writes in several pieces, one right after the other.
__global__ void dram_write_pieces(Arrays x) {
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) reinterpret_cast<volatile float*>(x.out)[8 * here() + k] = 7;
}

__global__ void dram_write_colours(Arrays x) {
  volatile unsigned char* const bytes = reinterpret_cast<unsigned char*>(x.out);
  for (unsigned c = 0; c < 4; ++c) bytes[4 * here() + c] = c == 2 ? 0xE0 : c == 3 ? 0x40 : 0;  // of 7.0f
}

__global__ void dram_stencil(Arrays x) {
  const unsigned col = here() % x.side, row = here() / x.side;
  if (col == 0 || row == 0 || col == x.side - 1 || row == x.side - 1) return;
  const float* const at = x.a + here();
  x.out[here()] = at[0] + at[-1] + at[1] + *(at - x.side) + at[x.side];
}

// A sector is written by as many warps of a block as it has rows, up to eight.
template <unsigned kRows>
__global__ void dram_transpose_writes_columns(Arrays x) {
  const unsigned col = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  for (unsigned k = 0; k < kTile; k += kRows) x.out[col * x.side + row + k] = x.a[(row + k) * x.side + col];
}

__global__ void dram_transpose_reads_columns(Arrays x) {
  const unsigned col = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  for (unsigned k = 0; k < kTile; k += kTileRows) x.out[(row + k) * x.side + col] = x.a[col * x.side + row + k];
}

__global__ void dram_transpose_tile(Arrays x) {
  __shared__ float tile[kTile][kTile + 1];
  const unsigned left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (unsigned k = threadIdx.y; k < kTile; k += kTileRows)
    tile[k][threadIdx.x] = x.a[(top + k) * x.side + left + threadIdx.x];
  __syncthreads();
  for (unsigned k = threadIdx.y; k < kTile; k += kTileRows)
    x.out[(left + k) * x.side + top + threadIdx.x] = tile[threadIdx.x][k];
}

__global__ void dram_sum_of_rows(Arrays x) {  // a thread a row: neighbours are a row apart
  float sum = 0;
#pragma unroll 1
  for (unsigned col = 0; col < x.side; ++col) sum += x.a[here() * x.side + col];
  x.out[here()] = sum;
}

__global__ void dram_sum_of_columns(Arrays x) {  // a thread a column: neighbours are side by side
  float sum = 0;
#pragma unroll 1
  for (unsigned row = 0; row < x.side; ++row) sum += x.a[row * x.side + here()];
  x.out[here()] = sum;
}

float a_of(unsigned i) { return static_cast<float>(i % 251); }
float b_of(unsigned i) { return static_cast<float>(i % 127); }

/// What out[i] is afterwards; it was 0.
using Expected = float (*)(unsigned i, unsigned side);

enum class Shape : std::uint8_t { kElements, kVectors, kTiles, kRows, kEighth, kSixteenth, kThirtySecond };

struct Pattern {
  const char* name;
  void (*kernel)(Arrays);
  Shape shape;
  Expected expected;
  unsigned tile_rows = kTileRows;  // threads of a tile, down
};

float untouched(unsigned, unsigned) { return 0; }
float transposed(unsigned i, unsigned side) { return a_of(i % side * side + i / side); }

float stencil(unsigned i, unsigned side) {
  const unsigned col = i % side, row = i / side;
  if (col == 0 || row == 0 || col == side - 1 || row == side - 1) return 0;
  return a_of(i) + a_of(i - 1) + a_of(i + 1) + a_of(i - side) + a_of(i + side);
}

float sum_of_row(unsigned i, unsigned side) {
  if (i >= side) return 0;
  float sum = 0;
  for (unsigned col = 0; col < side; ++col) sum += a_of(i * side + col);
  return sum;
}

float sum_of_column(unsigned i, unsigned side) {
  if (i >= side) return 0;
  float sum = 0;
  for (unsigned row = 0; row < side; ++row) sum += a_of(row * side + i);
  return sum;
}

template <unsigned kStride>
float every(unsigned i, unsigned) {
  return i % kStride == 0 ? 7 : 0;
}

const Pattern kPatterns[] = {
    {"dram_read", dram_read, Shape::kElements, untouched},
    {"dram_fill", dram_fill, Shape::kElements, [](unsigned, unsigned) { return 7.0f; }},
    {"dram_copy", dram_copy, Shape::kElements, [](unsigned i, unsigned) { return a_of(i); }},
    {"dram_copy_float4", dram_copy_float4, Shape::kVectors, [](unsigned i, unsigned) { return a_of(i); }},
    {"dram_triad", dram_triad, Shape::kElements, [](unsigned i, unsigned) { return a_of(i) + 3 * b_of(i); }},
    {"dram_add_in_place", dram_add_in_place, Shape::kElements, [](unsigned, unsigned) { return 7.0f; }},
    {"dram_read_stride<8>", dram_read_stride<8>, Shape::kEighth, untouched},
    {"dram_read_stride<16>", dram_read_stride<16>, Shape::kSixteenth, untouched},
    {"dram_read_stride<32>", dram_read_stride<32>, Shape::kThirtySecond, untouched},
    {"dram_write_stride<8>", dram_write_stride<8>, Shape::kEighth, every<8>},
    {"dram_write_stride<16>", dram_write_stride<16>, Shape::kSixteenth, every<16>},
    {"dram_write_pieces", dram_write_pieces, Shape::kEighth, [](unsigned, unsigned) { return 7.0f; }},
    {"dram_write_colours", dram_write_colours, Shape::kElements, [](unsigned, unsigned) { return 7.0f; }},
    {"dram_stencil", dram_stencil, Shape::kElements, stencil},
    {"dram_transpose_writes_columns<2>", dram_transpose_writes_columns<2>, Shape::kTiles, transposed, 2},
    {"dram_transpose_writes_columns<8>", dram_transpose_writes_columns<8>, Shape::kTiles, transposed},
    {"dram_transpose_writes_columns<16>", dram_transpose_writes_columns<16>, Shape::kTiles, transposed, 16},
    {"dram_transpose_writes_columns<32>", dram_transpose_writes_columns<32>, Shape::kTiles, transposed, 32},
    {"dram_transpose_reads_columns", dram_transpose_reads_columns, Shape::kTiles, transposed},
    {"dram_transpose_tile", dram_transpose_tile, Shape::kTiles, transposed},
    {"dram_sum_of_rows", dram_sum_of_rows, Shape::kRows, sum_of_row},
    {"dram_sum_of_columns", dram_sum_of_columns, Shape::kRows, sum_of_column},
};

dim3 grid_of(Shape shape, const Arrays& x) {
  switch (shape) {
    case Shape::kElements:
      return x.elements / kThreads;
    case Shape::kVectors:
      return x.elements / 4 / kThreads;
    case Shape::kTiles:
      return {x.side / kTile, x.side / kTile};
    case Shape::kRows:
      return x.side / kThreads;
    case Shape::kEighth:
      return x.elements / 8 / kThreads;
    case Shape::kSixteenth:
      return x.elements / 16 / kThreads;
    case Shape::kThirtySecond:
      return x.elements / 32 / kThreads;
  }
  return 0;
}

void run(const Pattern& pattern, const Arrays& x, std::vector<float>& host) {
  const std::size_t bytes = std::size_t{x.elements} * sizeof(float);
  CHECK(cudaMemset(x.out, 0, bytes));
  int blocks = 0;
  const dim3 block = pattern.shape == Shape::kTiles ? dim3(kTile, pattern.tile_rows) : dim3(kThreads);
  const int threads = static_cast<int>(block.x * block.y);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pattern.kernel, threads, 0));
  pattern.kernel<<<grid_of(pattern.shape, x), block>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data(), x.out, bytes, cudaMemcpyDeviceToHost));
  unsigned wrong = 0;
  for (unsigned i = 0; i < x.elements; i += kLookedAt) wrong += host[i] != pattern.expected(i, x.side);
  std::printf("%s: %u wrong, %d blocks a multiprocessor\n", pattern.name, wrong, blocks);
}

}  // namespace

int main(int argc, char** argv) {
  const int log = argc > 1 ? std::atoi(argv[1]) : 26;  // 256 MiB an array
  Arrays x{};
  x.side = 1u << log / 2;
  x.elements = x.side * x.side;
  if (x.side < kThreads || log > 30) return 2;
  const std::size_t bytes = std::size_t{x.elements} * sizeof(float);
  std::vector<float> host(x.elements);
  for (float** const array : {&x.a, &x.b, &x.out}) CHECK(cudaMalloc(array, bytes));
  for (unsigned i = 0; i < x.elements; ++i) host[i] = a_of(i);
  CHECK(cudaMemcpy(x.a, host.data(), bytes, cudaMemcpyHostToDevice));
  for (unsigned i = 0; i < x.elements; ++i) host[i] = b_of(i);
  CHECK(cudaMemcpy(x.b, host.data(), bytes, cudaMemcpyHostToDevice));
  for (const Pattern& pattern : kPatterns) run(pattern, x, host);
  for (float* const array : {x.a, x.b, x.out}) CHECK(cudaFree(array));
  return 0;
}
