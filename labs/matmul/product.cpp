// Multiplies matrices in double precision, fast enough for 4096 x 4096: blocks that stay in cache, a tile of sums that
// stays in registers, rows shared out among threads. (The same three ideas as the lab's ladder, on a CPU.)
#include <algorithm>
#include <cstring>
#include <thread>

#include "labs/matmul/matrix.h"

namespace lanewise::labs::matmul_lab {
namespace {

constexpr std::int64_t kTileRows = 4;  // 4 x 8 sums are 8 vector registers of 4 doubles
constexpr std::int64_t kTileCols = 8;
constexpr std::int64_t kDepth = 512;     // of a block along k: 32 KiB of a panel of B
constexpr std::int64_t kBlockRows = 64;  // that meet a panel of B while it is in cache
static_assert(kBlockRows % kTileRows == 0, "a block of rows is made of whole tiles");

using FourDoubles = double __attribute__((vector_size(4 * sizeof(double))));

// Where the processor has wider vectors they are used. Without fused multiply-add, which would round differently: the
// sums are the same bits on every processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LANEWISE_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LANEWISE_VECTOR_CLONES
#endif

// Adds the product of `depth` columns of 4 rows of A and `depth` rows of 8 columns of B to a tile of sums.
// a: depth x 4, b: depth x 8, both packed; sums: 4 x 8.
LANEWISE_VECTOR_CLONES
void multiply_tile(const double* a, const double* b, std::int64_t depth, double* sums) {
  FourDoubles tile[kTileRows][2] = {};
  for (std::int64_t p = 0; p < depth; ++p, a += kTileRows, b += kTileCols) {
    FourDoubles left;
    FourDoubles right;
    std::memcpy(&left, b, sizeof(left));
    std::memcpy(&right, b + 4, sizeof(right));
#pragma GCC unroll 4  // so that the sums can stay in registers
    for (int row = 0; row < 4; ++row) {
      tile[row][0] += a[row] * left;
      tile[row][1] += a[row] * right;
    }
  }
  std::memcpy(sums, tile, sizeof(tile));
}

std::int64_t rounded_up(std::int64_t count, std::int64_t to) { return (count + to - 1) / to * to; }

// Calls task(first, end) for pieces of [0, count), each a multiple of `step` but the last, one piece a thread.
template <class Task>
void in_parallel(std::int64_t count, std::int64_t step, unsigned threads, const Task& task) {
  const std::int64_t share = rounded_up((count + threads - 1) / static_cast<std::int64_t>(threads), step);
  std::vector<std::thread> others;
  for (std::int64_t first = share; first < count; first += share)
    others.emplace_back([&task, first, end = std::min(count, first + share)] { task(first, end); });
  if (count > 0) task(0, std::min(count, share));
  for (std::thread& other : others) other.join();
}

// One block along k: rows [first_row, end_row) of C gain A(.., p) B(p, ..) for p in [0, depth).
class DepthBlock {
 public:
  // `a` and `b` point to the block's first column and first row.
  DepthBlock(const float* a, const float* b, Extents extents, std::int64_t depth)
      : a_(a),
        b_(b),
        extents_(extents),
        depth_(depth),
        panels_(static_cast<std::size_t>(rounded_up(extents.n, kTileCols) * depth)) {}

  // Columns [first_col, end_col) of B, as panels of 8 columns with zeros where B has none.
  void pack_b(std::int64_t first_col, std::int64_t end_col) {
    for (std::int64_t col = first_col; col < end_col; col += kTileCols) {
      double* panel = panels_.data() + col * depth_;
      const std::int64_t width = std::min(kTileCols, extents_.n - col);
      for (std::int64_t p = 0; p < depth_; ++p)
        for (std::int64_t j = 0; j < width; ++j) panel[p * kTileCols + j] = b_[p * extents_.n + col + j];
    }
  }

  void multiply(std::int64_t first_row, std::int64_t end_row, double* c) const {
    std::vector<double> packed(static_cast<std::size_t>(kBlockRows * depth_));
    for (std::int64_t row = first_row; row < end_row; row += kBlockRows) {
      const std::int64_t rows = std::min(kBlockRows, end_row - row);
      pack_a(row, rows, packed);
      for (std::int64_t col = 0; col < extents_.n; col += kTileCols)
        for (std::int64_t i = 0; i < rows; i += kTileRows) {
          double sums[kTileRows * kTileCols];
          multiply_tile(packed.data() + i * depth_, panels_.data() + col * depth_, depth_, sums);
          for (std::int64_t r = 0; r < std::min(kTileRows, rows - i); ++r)
            for (std::int64_t j = 0; j < std::min(kTileCols, extents_.n - col); ++j)
              c[(row + i + r) * extents_.n + col + j] += sums[r * kTileCols + j];
        }
    }
  }

 private:
  // Groups of 4 rows of A, with zeros where A has none.
  void pack_a(std::int64_t first_row, std::int64_t rows, std::vector<double>& packed) const {
    for (std::int64_t r = 0; r < rounded_up(rows, kTileRows); ++r) {
      double* group = packed.data() + r / kTileRows * kTileRows * depth_ + r % kTileRows;
      for (std::int64_t p = 0; p < depth_; ++p)
        group[p * kTileRows] = r < rows ? a_[(first_row + r) * extents_.k + p] : 0;
    }
  }

  const float* a_;
  const float* b_;
  Extents extents_;
  std::int64_t depth_;
  std::vector<double> panels_;
};

}  // namespace

Extents extents_of(const Problem& problem) {
  return {integer_scalar(problem, "m"), integer_scalar(problem, "n"), integer_scalar(problem, "k")};
}

const float* factor_a(const Problem& problem) { return elements<float>(find_array(problem.inputs, "a")); }
const float* factor_b(const Problem& problem) { return elements<float>(find_array(problem.inputs, "b")); }

std::vector<double> product(const float* a, const float* b, Extents extents, unsigned threads) {
  const auto [m, n, k] = extents;
  std::vector<double> c(static_cast<std::size_t>(m * n));
  if (c.empty()) return c;
  constexpr std::int64_t kWorthAThread = 1 << 22;  // multiplications; below, starting a thread costs more than it saves
  const std::int64_t useful = std::max<std::int64_t>(1, m * n * k / kWorthAThread);
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::min<std::int64_t>(threads, useful));
  for (std::int64_t first = 0; first < k; first += kDepth) {
    DepthBlock block(a + first, b + first * n, extents, std::min(kDepth, k - first));
    in_parallel(n, kTileCols, threads, [&](std::int64_t begin, std::int64_t end) { block.pack_b(begin, end); });
    in_parallel(m, kTileRows, threads,
                [&](std::int64_t begin, std::int64_t end) { block.multiply(begin, end, c.data()); });
  }
  return c;
}

Array product_array(const float* a, const float* b, Extents extents) {
  const std::vector<double> sums = product(a, b, extents);
  Array result = make_array<float>("c", {extents.m, extents.n});
  std::transform(sums.begin(), sums.end(), elements<float>(result), [](double sum) { return static_cast<float>(sum); });
  return result;
}

}  // namespace lanewise::labs::matmul_lab
