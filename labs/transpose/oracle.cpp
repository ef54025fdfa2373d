// Transposing, the matrices of unusual values, and what typical mistakes give. Pointers are to host memory.
#include "transpose.cuh"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "datasets/random.h"

namespace {

using Index = std::int64_t;

// move_all transposes elements (r, c) with r in [first_row, end_row) and c in [first_col, end_col), as far as they
// exist.
struct Matrix {
  const float* in;
  float* out;
  Index rows;
  Index cols;

  Index size() const { return rows * cols; }

  void move(Index r, Index c) const { out[c * rows + r] = in[r * cols + c]; }

  void move_all(Index first_row, Index end_row, Index first_col, Index end_col) const {
    for (Index r = first_row; r < std::min(end_row, rows); ++r)
      for (Index c = first_col; c < std::min(end_col, cols); ++c) move(r, c);
  }
};

// What memory of the virtual GPU holds before anything is written to it.
float junk() {
  float value = 0;
  std::memset(&value, 0xCB, sizeof(value));
  return value;
}

}  // namespace

// Tile by tile, which caches like better: row by row, a large matrix would take more than twice as long.
void transpose(const float* in, float* out, int rows, int cols) {
  constexpr Index kTile = 32;
  for (Index top = 0; top < rows; top += kTile)
    for (Index left = 0; left < cols; left += kTile)
      Matrix{in, out, rows, cols}.move_all(top, top + kTile, left, left + kTile);
}

// Both zeros, denormals, the smallest and the largest numbers, both infinities, in random order. No value is a NaN: a
// program may move floats by arithmetic that keeps all others.
void unusual_values(float* in, int rows, int cols, std::uint64_t seed) {
  using Limits = std::numeric_limits<float>;
  constexpr float kMagnitudes[] = {0.0f, Limits::denorm_min(), Limits::min() / 2, Limits::min(),
                                   0.1f, Limits::max(),        Limits::infinity()};
  lanewise::Random random(seed);
  for (Index i = 0; i < Index{rows} * cols; ++i) {
    const float magnitude = kMagnitudes[random.below(std::size(kMagnitudes))];
    in[i] = random.below(2) == 0 ? magnitude : -magnitude;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes. `tile` is the extent of a tile, or of a block of threads.
void copied(const float* in, float* out, int rows, int cols) { std::copy_n(in, Index{rows} * cols, out); }

// As if the input had `cols` rows of `rows` elements.
void transposed_back(const float* in, float* out, int rows, int cols) { transpose(in, out, cols, rows); }

// Where several elements go to one place, the last one in the order of the input wins.
void written_with_cols(const float* in, float* out, int rows, int cols) {
  const Matrix m{in, out, rows, cols};
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c)
      if (c * cols + r < m.size()) out[c * cols + r] = in[r * cols + c];
}

// Both tests are right, so a thread may store what none has loaded: what shared memory holds on the virtual GPU.
// `turned` and `moved` say whether rows and columns change roles within a tile, and between tiles.
void tiles_halfway(const Matrix& m, Index tile, bool turned, bool moved) {
  for (Index top = 0; top < m.rows; top += tile)
    for (Index left = 0; left < m.cols; left += tile)
      for (Index y = 0; y < tile; ++y)
        for (Index x = 0; x < tile; ++x) {
          const Index out_row = (moved ? left : top) + y, out_col = (moved ? top : left) + x;
          if (out_row >= m.cols || out_col >= m.rows) continue;
          const Index row = top + (turned ? x : y), col = left + (turned ? y : x);
          m.out[out_row * m.rows + out_col] = row < m.rows && col < m.cols ? m.in[row * m.cols + col] : junk();
        }
}

void tiles_turned_in_place(const float* in, float* out, int rows, int cols, Index tile) {
  tiles_halfway({in, out, rows, cols}, tile, true, false);
}

void tiles_moved_unturned(const float* in, float* out, int rows, int cols, Index tile) {
  tiles_halfway({in, out, rows, cols}, tile, false, true);
}

void whole_tiles(const float* in, float* out, int rows, int cols, Index tile) {
  Matrix{in, out, rows, cols}.move_all(0, rows / tile * tile, 0, cols / tile * tile);
}

// Thread (y, x) of a tile stores what (x, y) loaded, if its own element to load exists: the first one, if it has
// several, `block_rows` apart.
void mirrored_test(const Matrix& m, Index tile, Index block_rows) {
  for (Index r = 0; r < m.rows; ++r)
    for (Index c = 0; c < m.cols; ++c)
      if (r / tile * tile + c % tile % block_rows < m.rows && c / tile * tile + r % tile < m.cols) m.move(r, c);
}

void mirrored_test(const float* in, float* out, int rows, int cols, Index tile) {
  mirrored_test({in, out, rows, cols}, tile, tile);
}

void mirrored_test_of_the_first_row(const float* in, float* out, int rows, int cols, Index block_rows) {
  mirrored_test({in, out, rows, cols}, 32, block_rows);
}

// In a tile of 32 x 32, a thread loads its first element for each that it should load, `block_rows` apart.
void first_rows_repeated(const float* in, float* out, int rows, int cols, Index block_rows) {
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) out[c * rows + r] = in[(r / 32 * 32 + r % 32 % block_rows) * cols + c];
}

void diagonal_tiles(const float* in, float* out, int rows, int cols, Index tile) {
  for (Index first = 0; first < std::min(rows, cols); first += tile)
    Matrix{in, out, rows, cols}.move_all(first, first + tile, first, first + tile);
}

// As many tiles across as there should be down.
void grid_swapped(const float* in, float* out, int rows, int cols, Index tile) {
  const auto whole = [tile](Index extent) { return (extent + tile - 1) / tile * tile; };
  Matrix{in, out, rows, cols}.move_all(0, whole(cols), 0, whole(rows));
}
