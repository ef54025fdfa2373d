// Stencils on grids, and rows at random; all but R-MAT row by row.
#include "datasets/matrix_generators.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "datasets/coordinates.h"
#include "datasets/csr_rows.h"
#include "datasets/random.h"
#include "datasets/rmat.h"

namespace lanewise {
namespace {

// In [-1, 1), in steps of 2^-23: every one of them is a float.
float value_at(std::uint64_t row_seed, std::int32_t column) {
  const auto steps = static_cast<std::int32_t>(mixed(row_seed + static_cast<std::uint64_t>(column)) >> 40);
  return static_cast<float>(steps - (1 << 23)) * 0x1.0p-23f;
}

// Numbers of its own for every row: one seed for the values, another for the places.
std::uint64_t value_seed(std::uint64_t seed, std::int64_t row) { return seed_of_part(seed, row); }
std::uint64_t place_seed(std::uint64_t seed, std::int64_t row) { return seed_of_part(~seed, row); }

void fill_values(const std::int32_t* columns, std::int64_t count, std::uint64_t row_seed, float* values) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = value_at(row_seed, columns[i]);
}

// A grid of nx x ny x nz points; a point's neighbours are those within one step, and of those the ones in a direction
// along at most `axes` axes.
class Grid {
 public:
  Grid(std::int64_t nx, std::int64_t ny, std::int64_t nz, int axes) : nx_(nx), ny_(ny), nz_(nz), axes_(axes) {}

  std::int64_t points() const { return nx_ * ny_ * nz_; }

  // Calls take(neighbour) for the point itself and all around it, in ascending order.
  template <class Take>
  void for_stencil(std::int64_t point, const Take& take) const {
    const std::int64_t x = point % nx_;
    const std::int64_t y = point / nx_ % ny_;
    const std::int64_t z = point / nx_ / ny_;
    for (std::int64_t dz = z > 0 ? -1 : 0; dz <= (z + 1 < nz_ ? 1 : 0); ++dz)
      for (std::int64_t dy = y > 0 ? -1 : 0; dy <= (y + 1 < ny_ ? 1 : 0); ++dy)
        for (std::int64_t dx = x > 0 ? -1 : 0; dx <= (x + 1 < nx_ ? 1 : 0); ++dx)
          if (std::abs(dx) + std::abs(dy) + std::abs(dz) <= axes_) take(point + (dz * ny_ + dy) * nx_ + dx);
  }

 private:
  const std::int64_t nx_;
  const std::int64_t ny_;
  const std::int64_t nz_;
  const int axes_;
};

Csr poisson(const Grid& grid, float diagonal) {
  const auto length = [&grid](std::int64_t row) {
    std::int64_t count = 0;
    grid.for_stencil(row, [&count](std::int64_t) { ++count; });
    return count;
  };
  const auto fill = [&grid, diagonal](std::int64_t row, std::int32_t* columns, float* values) {
    grid.for_stencil(row, [&](std::int64_t column) {
      *columns++ = static_cast<std::int32_t>(column);
      *values++ = column == row ? diagonal : -1.0f;
    });
  };
  return csr_by_rows(grid.points(), grid.points(), WithValues::kYes, length, fill);
}

// A random set of `count` of the columns, every one equally likely, in ascending order.
void draw_columns(Random& random, std::int64_t cols, std::int64_t count, std::int32_t* columns) {
  if (count > cols / 2) {  // of the columns left, so many are still wanted
    std::int64_t wanted = count;
    for (std::int64_t column = 0; wanted > 0; ++column)
      if (static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(cols - column))) < wanted) {
        *columns++ = static_cast<std::int32_t>(column);
        --wanted;
      }
    return;
  }
  for (std::int64_t have = 0; have < count;) {  // what was drawn twice is drawn again
    for (std::int64_t i = have; i < count; ++i)
      columns[i] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(cols)));
    std::sort(columns, columns + count);
    have = std::unique(columns, columns + count) - columns;
  }
}

template <class Length>
Csr random_rows(std::int64_t rows, std::int64_t cols, std::uint64_t seed, const Length& length) {
  return csr_by_rows(rows, cols, WithValues::kYes, length, [&](std::int64_t row, std::int32_t* columns, float* values) {
    const std::int64_t count = length(row);
    if (count == 0) return;
    Random random(place_seed(seed, row));
    draw_columns(random, cols, count, columns);
    fill_values(columns, count, value_seed(seed, row), values);
  });
}

}  // namespace

Csr poisson5(std::int64_t n) { return poisson(Grid(n, n, 1, 1), 4.0f); }
Csr poisson7(std::int64_t n) { return poisson(Grid(n, n, n, 1), 6.0f); }
Csr poisson27(std::int64_t n) { return poisson(Grid(n, n, n, 3), 26.0f); }

Csr banded_matrix(std::int64_t rows, std::int64_t half_width, std::uint64_t seed) {
  const auto first = [half_width](std::int64_t row) { return std::max(std::int64_t{0}, row - half_width); };
  const auto end = [rows, half_width](std::int64_t row) { return std::min(rows, row + half_width + 1); };
  return csr_by_rows(
      rows, rows, WithValues::kYes, [&](std::int64_t row) { return end(row) - first(row); },
      [&](std::int64_t row, std::int32_t* columns, float* values) {
        const std::int64_t count = end(row) - first(row);
        for (std::int64_t i = 0; i < count; ++i) columns[i] = static_cast<std::int32_t>(first(row) + i);
        fill_values(columns, count, value_seed(seed, row), values);
      });
}

Csr uniform_rows_matrix(std::int64_t rows, std::int64_t cols, std::int64_t per_row, std::uint64_t seed) {
  assert(per_row >= 0 && per_row <= cols);
  return random_rows(rows, cols, seed, [per_row](std::int64_t) { return per_row; });
}

Csr dense_row_matrix(std::int64_t rows, std::int64_t cols, std::int64_t per_row, std::uint64_t seed) {
  assert(per_row >= 0 && per_row <= cols);
  return random_rows(rows, cols, seed,
                     [rows, cols, per_row](std::int64_t row) { return row == rows / 2 ? cols : per_row; });
}

Csr gaps_matrix(std::int64_t rows, std::int64_t cols, std::int64_t per_row, std::uint64_t seed) {
  const std::int64_t most = std::min(cols, 2 * per_row);
  return random_rows(rows, cols, seed, [=](std::int64_t row) -> std::int64_t {
    constexpr std::int64_t kBlock = 64;
    constexpr std::uint64_t kBlocks = 0xB10C;  // so that blocks and rows have numbers of their own
    if (row == 0 || row + 1 == rows || most == 0) return 0;
    const std::uint64_t bits = seed_of_part(~seed, row);
    const bool is_full = seed_of_part(seed ^ kBlocks, row / kBlock) % 4 == 0 && bits % 2 == 0;
    if (!is_full && row != rows / 2) return 0;
    return 1 + static_cast<std::int64_t>((bits >> 32) * static_cast<std::uint64_t>(most) >> 32);
  });
}

Csr rmat_matrix(int scale, int edge_factor, std::uint64_t seed) {
  Csr matrix = to_csr(rmat_places(scale, edge_factor, seed), Duplicates::kDrop);
  matrix.values.resize(matrix.columns.size());
  for_each_chunk_of(kRowsAtATime, matrix.rows, [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int32_t at = matrix.row_offsets[static_cast<std::size_t>(row)];
      fill_values(matrix.columns.data() + at, matrix.row_offsets[static_cast<std::size_t>(row) + 1] - at,
                  value_seed(seed, row), matrix.values.data() + at);
    }
  });
  return matrix;
}

}  // namespace lanewise
