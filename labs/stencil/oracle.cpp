// Both stencils, the integers that cases are made of, and what typical mistakes give. Pointers are to host memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "datasets/random.h"
#include "stencil.cuh"

// ---------------------------------------------------------------------------------------------------------------------
// The right results. All sums are exact, so the order of the additions does not matter.
namespace {

struct Picture {
  const float* in;
  int width, height;

  float at(int row, int col) const {
    return row >= 0 && row < height && col >= 0 && col < width ? in[row * width + col] : 0.0f;
  }
  float clamped(int row, int col) const {
    return in[std::clamp(row, 0, height - 1) * width + std::clamp(col, 0, width - 1)];
  }
};

// out = the sum of product(row, col, i, j) over taps `first` to side - 1 - `left_out_at_end` in both directions.
template <class Product>
void add_up(float* out, int width, int height, int radius, const Product& product, int first = 0,
            int left_out_at_end = 0) {
  const int end = 2 * radius + 1 - left_out_at_end;
  for (int row = 0; row < height; ++row)
    for (int col = 0; col < width; ++col) {
      float sum = 0;
      for (int i = first; i < end; ++i)
        for (int j = first; j < end; ++j) sum += product(row, col, i, j);
      out[row * width + col] = sum;
    }
}

// The same with the mask as it is, for pixel(row, col), which may lie outside.
template <class Pixel>
void lay_mask(const float* mask, float* out, int width, int height, int radius, const Pixel& pixel) {
  add_up(out, width, height, radius, [&](int row, int col, int i, int j) {
    return mask[i * (2 * radius + 1) + j] * pixel(row, col, row + i - radius, col + j - radius);
  });
}

struct Grid {
  const float* in;
  int nx, ny, nz;

  int points() const { return nx * ny * nz; }
  int index(int x, int y, int z) const { return (z * ny + y) * nx + x; }
  float at(int x, int y, int z) const { return in[index(x, y, z)]; }
  bool exists(int x, int y, int z) const { return x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz; }
  bool inside(int x, int y, int z) const { return x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1; }
};

float weighted(float centre, float neighbours) { return kCentreWeight * centre + kNeighbourWeight * neighbours; }

// The stencil at a point whose neighbours are read by at(x, y, z).
template <class At>
float seven(int x, int y, int z, const At& at) {
  return weighted(at(x, y, z), at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) +
                                   at(x, y, z + 1));
}

// out = value(x, y, z) for the points inside, and the input for the others.
template <class Value>
void update(const Grid& grid, float* out, const Value& value) {
  std::copy_n(grid.in, grid.points(), out);
  for (int z = 1; z < grid.nz - 1; ++z)
    for (int y = 1; y < grid.ny - 1; ++y)
      for (int x = 1; x < grid.nx - 1; ++x) out[grid.index(x, y, z)] = value(x, y, z);
}

// The right output, but only where keeps(x, y, z).
template <class Keeps>
void keep(const Grid& grid, float* out, const Keeps& keeps) {
  const auto at = [&grid](int x, int y, int z) { return grid.at(x, y, z); };
  for (int z = 0; z < grid.nz; ++z)
    for (int y = 0; y < grid.ny; ++y)
      for (int x = 0; x < grid.nx; ++x)
        if (keeps(x, y, z)) out[grid.index(x, y, z)] = grid.inside(x, y, z) ? seven(x, y, z, at) : grid.at(x, y, z);
}

}  // namespace

// Several pixels of a row at a time, over a copy of the picture with zeros around it: compilers do that with vectors,
// and the race case has 1.5e10 products.
void convolve(const float* in, const float* mask, float* out, int width, int height, int radius) {
  constexpr int kAtATime = 16;
  const int side = 2 * radius + 1;
  const std::int64_t pitch = std::int64_t{width} + 2 * radius + kAtATime;
  std::vector<float> padded(static_cast<std::size_t>(pitch * (std::int64_t{height} + 2 * radius)));
  for (int row = 0; row < height; ++row)
    std::copy_n(in + row * width, width, padded.data() + (row + radius) * pitch + radius);
  for (int row = 0; row < height; ++row)
    for (int col = 0; col < width; col += kAtATime) {
      float sums[kAtATime] = {};
      for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
          const float* const from = padded.data() + (row + i) * pitch + col + j;
          for (int k = 0; k < kAtATime; ++k) sums[k] += mask[i * side + j] * from[k];
        }
      std::copy_n(sums, std::min(kAtATime, width - col), out + row * width + col);
    }
}

void seven_point(const float* in, float* out, int nx, int ny, int nz) {
  keep({in, nx, ny, nz}, out, [](int, int, int) { return true; });
}

// ---------------------------------------------------------------------------------------------------------------------
// Integers, stored as floats.
namespace {

// Integers from -most to most, all about equally likely. 2 * most + 1 is less than 2^32.
void fill(float* values, std::int64_t count, std::uint32_t most, lanewise::Random& random) {
  const auto integer = [most](std::uint64_t bits) {
    return static_cast<float>(static_cast<std::int64_t>((bits & 0xFFFFFFFFu) * (2 * std::uint64_t{most} + 1) >> 32) -
                              std::int64_t{most});
  };
  for (std::int64_t i = 0; i < count; i += 2) {
    const std::uint64_t bits = random.next();
    values[i] = integer(bits);
    if (i + 1 < count) values[i + 1] = integer(bits >> 32);
  }
}

constexpr std::uint32_t kMostPixel = 4095, kMostTap = 15, kMostPoint = 1u << 20;

int taps_of(int radius) { return (2 * radius + 1) * (2 * radius + 1); }

}  // namespace

void integers(float* in, float* mask, int width, int height, int radius, std::uint64_t seed) {
  lanewise::Random random(seed);
  fill(mask, taps_of(radius), kMostTap, random);
  fill(in, std::int64_t{width} * height, kMostPixel, random);
}
void integers(float* in, int nx, int ny, int nz, std::uint64_t seed) {
  lanewise::Random random(seed);
  fill(in, std::int64_t{nx} * ny * nz, kMostPoint, random);
}

void counting(float* in, float* mask, int width, int height, int radius, std::uint64_t) {
  for (int i = 0; i < width * height; ++i) in[i] = static_cast<float>(i + 1);
  for (int i = 0; i < taps_of(radius); ++i) mask[i] = static_cast<float>(i + 1);
}
void counting(float* in, int nx, int ny, int nz, std::uint64_t) {
  for (int i = 0; i < nx * ny * nz; ++i) in[i] = static_cast<float>(8 * i);
}

// Everything is 0, except for one value in the middle.
void one_dot(float* in, float* mask, int width, int height, int radius, std::uint64_t seed) {
  integers(in, mask, width, height, radius, seed);
  std::fill_n(in, width * height, 0.0f);
  in[height / 2 * width + width / 2] = 1;
}
void one_dot(float* in, int nx, int ny, int nz, std::uint64_t) {
  std::fill_n(in, nx * ny * nz, 0.0f);
  in[(nz / 2 * ny + ny / 2) * nx + nx / 2] = 8;
}

void largest(float* in, float* mask, int width, int height, int radius, std::uint64_t) {
  std::fill_n(in, width * height, static_cast<float>(kMostPixel));
  std::fill_n(mask, taps_of(radius), static_cast<float>(kMostTap));
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in the convolution.
void mask_turned(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const Picture picture{in, width, height};
  add_up(out, width, height, radius, [&](int row, int col, int i, int j) {
    return mask[taps_of(radius) - 1 - (i * (2 * radius + 1) + j)] * picture.at(row + i - radius, col + j - radius);
  });
}

void mask_transposed(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const Picture picture{in, width, height};
  add_up(out, width, height, radius, [&](int row, int col, int i, int j) {
    return mask[j * (2 * radius + 1) + i] * picture.at(row + i - radius, col + j - radius);
  });
}

void neighbourhood_off_centre(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const Picture picture{in, width, height};
  lay_mask(mask, out, width, height, radius,
           [&](int, int, int r, int c) { return picture.at(r + radius, c + radius); });
}

void border_repeated(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const Picture picture{in, width, height};
  lay_mask(mask, out, width, height, radius, [&](int, int, int r, int c) { return picture.clamped(r, c); });
}

// With `twice` = 1, the outermost pixel stands on both sides of the mirror.
void border_mirrored(const float* in, const float* mask, float* out, int width, int height, int radius, int twice) {
  const auto mirrored = [twice](int x, int n) {
    while (n > 1 && (x < 0 || x >= n)) x = x < 0 ? -x - twice : 2 * n - 2 + twice - x;
    return n > 1 ? x : 0;
  };
  lay_mask(mask, out, width, height, radius,
           [&](int, int, int r, int c) { return in[mirrored(r, height) * width + mirrored(c, width)]; });
}

void wrapped_around(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const auto wrapped = [](int x, int n) { return (x % n + n) % n; };
  lay_mask(mask, out, width, height, radius,
           [&](int, int, int r, int c) { return in[wrapped(r, height) * width + wrapped(c, width)]; });
}

void columns_not_tested(const float* in, const float* mask, float* out, int width, int height, int radius) {
  lay_mask(mask, out, width, height, radius, [&](int, int, int r, int c) {
    const int index = r * width + c;
    return index >= 0 && index < width * height ? in[index] : 0.0f;
  });
}

void halo_missing(const float* in, const float* mask, float* out, int width, int height, int radius, int tile) {
  const Picture picture{in, width, height};
  lay_mask(mask, out, width, height, radius, [&](int row, int col, int r, int c) {
    return r >= 0 && c >= 0 && r / tile == row / tile && c / tile == col / tile ? picture.at(r, c) : 0.0f;
  });
}

void halo_corners_missing(const float* in, const float* mask, float* out, int width, int height, int radius, int tile) {
  const Picture picture{in, width, height};
  lay_mask(mask, out, width, height, radius, [&](int row, int col, int r, int c) {
    return r >= 0 && c >= 0 && (r / tile == row / tile || c / tile == col / tile) ? picture.at(r, c) : 0.0f;
  });
}

namespace {

// What shared memory of the virtual GPU holds before anything is written to it.
float junk() {
  float value = 0;
  std::memset(&value, 0xCB, sizeof(value));
  return value;
}

// Where a tile was not loaded, sums are no longer exact: the order is that of the loops in the handout, with fused
// multiply-adds. is_loaded(own_row, own_col) says whether pixels in the tile's own rows, or columns, are there.
template <class IsLoaded>
void tile_with_holes(const Picture& picture, const float* mask, float* out, int radius, int tile,
                     const IsLoaded& is_loaded) {
  const int side = 2 * radius + 1;
  for (int row = 0; row < picture.height; ++row)
    for (int col = 0; col < picture.width; ++col) {
      float sum = 0;
      for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
          const int r = row + i - radius, c = col + j - radius;
          const bool own_row = r >= 0 && r / tile == row / tile, own_col = c >= 0 && c / tile == col / tile;
          sum = std::fma(mask[i * side + j], is_loaded(own_row, own_col) ? picture.at(r, c) : junk(), sum);
        }
      out[row * picture.width + col] = sum;
    }
}

}  // namespace

void halo_not_loaded(const float* in, const float* mask, float* out, int width, int height, int radius, int tile) {
  tile_with_holes({in, width, height}, mask, out, radius, tile, [](bool row, bool col) { return row && col; });
}

void halo_corners_not_loaded(const float* in, const float* mask, float* out, int width, int height, int radius,
                             int tile) {
  tile_with_holes({in, width, height}, mask, out, radius, tile, [](bool row, bool col) { return row || col; });
}

void taps_of_zero(const float*, const float*, float* out, int width, int height, int) {
  std::fill_n(out, width * height, 0.0f);
}

void radius_too_small(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const Picture picture{in, width, height};
  const auto product = [&](int row, int col, int i, int j) {
    return mask[i * (2 * radius + 1) + j] * picture.at(row + i - radius, col + j - radius);
  };
  add_up(out, width, height, radius, product, 1, 1);
}

void last_taps_missing(const float* in, const float* mask, float* out, int width, int height, int radius) {
  const Picture picture{in, width, height};
  const auto product = [&](int row, int col, int i, int j) {
    return mask[i * (2 * radius + 1) + j] * picture.at(row + i - radius, col + j - radius);
  };
  add_up(out, width, height, radius, product, 0, 1);
}

void extents_swapped(const float* in, const float* mask, float* out, int width, int height, int radius) {
  convolve(in, mask, out, height, width, radius);
}

void last_column_missing(const float* in, const float* mask, float* out, int width, int height, int radius) {
  std::vector<float> all(static_cast<std::size_t>(width) * height);
  convolve(in, mask, all.data(), width, height, radius);
  for (int i = 0; i < width * height; ++i)
    if (i % width < width - 1) out[i] = all[i];
}

void whole_blocks(const float* in, const float* mask, float* out, int width, int height, int radius, int block) {
  std::vector<float> all(static_cast<std::size_t>(width) * height);
  convolve(in, mask, all.data(), width, height, radius);
  for (int i = 0; i < width * height; ++i)
    if (i % width < width / block * block && i / width < height / block * block) out[i] = all[i];
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in the seven-point stencil. `chunk`: planes that a block marches through.
void border_unwritten(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  keep(grid, out, [&](int x, int y, int z) { return grid.inside(x, y, z); });
}

namespace {

// The stencil everywhere.
template <class At>
void everywhere(const Grid& grid, float* out, const At& at) {
  for (int z = 0; z < grid.nz; ++z)
    for (int y = 0; y < grid.ny; ++y)
      for (int x = 0; x < grid.nx; ++x) out[grid.index(x, y, z)] = seven(x, y, z, at);
}

}  // namespace

void border_with_zeros(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  everywhere(grid, out, [&](int x, int y, int z) { return grid.exists(x, y, z) ? grid.at(x, y, z) : 0.0f; });
}
void border_clamped(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  everywhere(grid, out, [&](int x, int y, int z) {
    return grid.at(std::clamp(x, 0, nx - 1), std::clamp(y, 0, ny - 1), std::clamp(z, 0, nz - 1));
  });
}
void wrapped_around(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  everywhere(grid, out, [&](int x, int y, int z) { return grid.at((x + nx) % nx, (y + ny) % ny, (z + nz) % nz); });
}

void border_set_to_zero(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  seven_point(in, out, nx, ny, nz);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        if (!grid.inside(x, y, z)) out[grid.index(x, y, z)] = 0;
}

void x_and_z_swapped(const float* in, float* out, int nx, int ny, int nz) { seven_point(in, out, nz, ny, nx); }

namespace {

// With below(x, y, z) for the value below, save in the first plane of a chunk, for which it is loaded.
template <class Below>
void march(const Grid& grid, float* out, int chunk, const Below& below) {
  update(grid, out, [&](int x, int y, int z) {
    return seven(x, y, z,
                 [&](int a, int b, int c) { return c < z && z % chunk != 0 ? below(a, b, z) : grid.at(a, b, c); });
  });
}

}  // namespace

void below_is_centre(const float* in, float* out, int nx, int ny, int nz, int chunk) {
  const Grid grid{in, nx, ny, nz};
  march(grid, out, chunk, [&](int x, int y, int z) { return grid.at(x, y, z); });
}
void below_never_moved(const float* in, float* out, int nx, int ny, int nz, int chunk) {
  const Grid grid{in, nx, ny, nz};
  march(grid, out, chunk, [&](int x, int y, int z) { return z < chunk ? 0.0f : grid.at(x, y, z / chunk * chunk - 1); });
}
void below_is_updated(const float* in, float* out, int nx, int ny, int nz, int chunk) {
  const Grid grid{in, nx, ny, nz};
  march(grid, out, chunk, [&](int x, int y, int z) { return out[grid.index(x, y, z - 1)]; });
}

void below_missing_at_first(const float* in, float* out, int nx, int ny, int nz, int chunk) {
  const Grid grid{in, nx, ny, nz};
  update(grid, out, [&](int x, int y, int z) {
    return seven(x, y, z, [&](int a, int b, int c) { return c < z && z % chunk == 0 ? 0.0f : grid.at(a, b, c); });
  });
}

void above_missing_at_last(const float* in, float* out, int nx, int ny, int nz, int chunk) {
  const Grid grid{in, nx, ny, nz};
  update(grid, out, [&](int x, int y, int z) {
    return seven(x, y, z, [&](int a, int b, int c) { return c > z && c % chunk == 0 ? 0.0f : grid.at(a, b, c); });
  });
}

void edge_vectors_copied(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  const auto at = [&](int x, int y, int z) { return grid.at(x, y, z); };
  update(grid, out,
         [&](int x, int y, int z) { return nx % 4 == 0 && (x < 4 || x >= nx - 4) ? at(x, y, z) : seven(x, y, z, at); });
}

void rows_ny_apart(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  update(grid, out, [&](int x, int y, int z) {
    return seven(x, y, z, [&](int a, int b, int c) { return in[grid.index(a, y, c) + (b - y) * ny]; });
  });
}

void all_by_centre_weight(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  const auto at = [&](int x, int y, int z) { return grid.at(x, y, z); };
  update(grid, out, [&](int x, int y, int z) {  // (seven - centre) is what the neighbours add
    const float neighbours = seven(x, y, z, at) - kCentreWeight * at(x, y, z);
    return kCentreWeight * (at(x, y, z) + neighbours / kNeighbourWeight);
  });
}

void five_points(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  update(grid, out, [&](int x, int y, int z) {
    return seven(x, y, z, [&](int a, int b, int c) { return c == z ? grid.at(a, b, c) : 0.0f; });
  });
}

void plane_corners(const float* in, float* out, int nx, int ny, int nz) {
  const Grid grid{in, nx, ny, nz};
  const auto at = [&](int x, int y, int z) { return grid.at(x, y, z); };
  update(grid, out, [&](int x, int y, int z) {
    return weighted(at(x, y, z), at(x - 1, y - 1, z) + at(x + 1, y - 1, z) + at(x - 1, y + 1, z) + at(x + 1, y + 1, z) +
                                     at(x, y, z - 1) + at(x, y, z + 1));
  });
}

void last_plane_missing(const float* in, float* out, int nx, int ny, int nz) {
  keep({in, nx, ny, nz}, out, [nz](int, int, int z) { return z < nz - 1; });
}
void whole_chunks(const float* in, float* out, int nx, int ny, int nz, int chunk) {
  keep({in, nx, ny, nz}, out, [=](int, int, int z) { return z < nz / chunk * chunk; });
}
void whole_blocks(const float* in, float* out, int nx, int ny, int nz, int block) {
  keep({in, nx, ny, nz}, out, [=](int x, int y, int) { return x < nx / block * block && y < ny / block * block; });
}
