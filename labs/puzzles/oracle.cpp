// The right answer to each puzzle, and what typical mistakes give. Pointers are to host memory.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

#include "puzzles.cuh"

// 1. map
void map(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] + 10;
}
void index_instead(const int*, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = i + 10;
}
void block_for_thread(const int* in, int* out, int) { map(in, out, 1); }

// 2. guard
void guard(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = 2 * in[i];
}
void first_block(const int* in, int* out, int n) { guard(in, out, std::min(n, 128)); }
void last_left_out(const int* in, int* out, int n) { guard(in, out, n - 1); }

// 3. map_2d
namespace {

void add_coordinates(const int* in, int* out, int width, int height, int for_row, int for_col) {
  for (int row = 0; row < height; ++row)
    for (int col = 0; col < width; ++col)
      out[row * width + col] = in[row * width + col] + for_row * row + for_col * col;
}

int round_up(int extent, int block) { return (extent + block - 1) / block * block; }

}  // namespace

void map_2d(const int* in, int* out, int width, int height) { add_coordinates(in, out, width, height, 100, 1); }
void exchanged_in_sum(const int* in, int* out, int width, int height) {
  add_coordinates(in, out, width, height, 1, 100);
}
void first_block(const int* in, int* out, int width, int height) {
  for (int row = 0; row < std::min(height, 16); ++row)
    for (int col = 0; col < std::min(width, 16); ++col)
      out[row * width + col] = in[row * width + col] + 100 * row + col;
}
// The grid is as high as the matrix is wide.
void x_taken_for_row(const int* in, int* out, int width, int height) {
  for (int row = 0; row < std::min(height, round_up(width, 16)); ++row)
    for (int col = 0; col < std::min(width, round_up(height, 16)); ++col)
      out[row * width + col] = in[row * width + col] + 100 * row + col;
}

// 4. broadcast
void broadcast(const int* across, const int* down, int* out, int width, int height) {
  for (int row = 0; row < height; ++row)
    for (int col = 0; col < width; ++col) out[row * width + col] = across[col] + down[row];
}
void row_from_x(const int* across, const int* down, int* out, int width, int height) {
  for (int row = 0; row < std::min(height, round_up(width, 32)); ++row)
    for (int col = 0; col < std::min(width, round_up(height, 8)); ++col)
      out[row * width + col] = across[col] + down[row];
}
// Where the table is not square, what it gives depends on what lies beyond the shorter vector: only squares show it.
void exchanged_vectors(const int* across, const int* down, int* out, int width, int height) {
  if (width == height) std::swap(across, down);
  broadcast(across, down, out, width, height);
}
void only_across(const int* across, const int*, int* out, int width, int height) {
  for (int row = 0; row < height; ++row) std::copy_n(across, width, out + row * width);
}

// 5. grid_stride
void grid_stride(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] * in[i];
}
void one_element(const int* in, int* out, int n) { grid_stride(in, out, std::min(n, 1024)); }
void begins_without_block(const int* in, int* out, int n) {
  for (int first = 0; first < n; first += 1024) grid_stride(in + first, out + first, std::min(n - first, 128));
}

// 6. shift
void shift(const int* in, int* out, int n, int by) {
  for (int i = 0; i < n; ++i) out[i] = i - by >= 0 && i - by < n ? in[i - by] : 0;
}
void moved_other_way(const int* in, int* out, int n, int by) { shift(in, out, n, -by); }
void comes_in_again(const int* in, int* out, int n, int by) {
  for (int i = 0; i < n; ++i) out[i] = in[((i - by) % n + n) % n];
}

// 7. staging
namespace {

// How many peers of each element the comparison is true for: is_before(peer, element).
template <class Comparison>
void count_peers(const int* in, int* out, int blocks, const Comparison& is_before) {
  for (int i = 0; i < 128 * blocks; ++i) {
    const int* const tile = in + i / 128 * 128;
    out[i] = static_cast<int>(std::count_if(tile, tile + 128, [&](int peer) { return is_before(peer, in[i]); }));
  }
}

}  // namespace

void staging(const int* in, int* out, int blocks) { count_peers(in, out, blocks, std::less<>{}); }
void equal_counted(const int* in, int* out, int blocks) { count_peers(in, out, blocks, std::less_equal<>{}); }
void greater_counted(const int* in, int* out, int blocks) { count_peers(in, out, blocks, std::greater<>{}); }

// 8. place_barrier
void place_barrier(const int* in, int* out, int blocks) {
  for (int first = 0; first < 512 * blocks; first += 128) std::reverse_copy(in + first, in + first + 128, out + first);
}
void own_element(const int* in, int* out, int blocks) { std::copy_n(in, 512 * blocks, out); }

// 9. pooling
void pooling(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = *std::max_element(in + std::max(0, i - 1), in + std::min(n, i + 2));
}
void zeros_beyond(const int* in, int* out, int n) {
  pooling(in, out, n);
  for (const int i : {0, n - 1}) out[i] = std::max(out[i], 0);
}
void looks_back(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = *std::max_element(in + std::max(0, i - 2), in + i + 1);
}
// The last element is greater than all others: a window that takes it for a neighbour of the first shows.
void ascending_below_zero(int* in, int n, std::uint64_t) {
  for (int i = 0; i < n; ++i) in[i] = i - 2'000'000'000;
}
void ends_joined(const int* in, int* out, int n) {
  pooling(in, out, n);
  for (const int i : {0, n - 1}) out[i] = std::max(out[i], in[n - 1 - i]);
}

// 10. dot
void dot(const int* a, const int* b, int* out, int n) { *out = std::inner_product(a, a + n, b, 0); }
void last_left_out_of_sum(const int* a, const int* b, int* out, int n) { dot(a, b, out, n - 1); }
void first_product(const int* a, const int* b, int* out, int) { *out = a[0] * b[0]; }

// 11. block_sum
void block_sum(const int* in, int* out, int blocks) {
  for (int b = 0; b < blocks; ++b) out[b] = std::accumulate(in + 256 * b, in + 256 * (b + 1), 0);
}
void evens_only(const int* in, int* out, int blocks) {
  for (int b = 0; b < blocks; ++b) {
    out[b] = 0;
    for (int k = 0; k < 256; k += 2) out[b] += in[256 * b + k];
  }
}
void first_half(const int* in, int* out, int blocks) {
  for (int b = 0; b < blocks; ++b) out[b] = std::accumulate(in + 256 * b, in + 256 * b + 128, 0);
}

// 12. block_scan
void block_scan(const int* in, int* out, int blocks) {
  for (int b = 0; b < blocks; ++b) std::partial_sum(in + 256 * b, in + 256 * (b + 1), out + 256 * b);
}
void exclusive(const int* in, int* out, int blocks) {
  block_scan(in, out, blocks);
  for (int i = 0; i < 256 * blocks; ++i) out[i] -= in[i];
}
void last_128(const int* in, int* out, int blocks) {
  for (int i = 0; i < 256 * blocks; ++i) {
    const int begin = std::max(i / 256 * 256, i - 127);
    out[i] = std::accumulate(in + begin, in + i + 1, 0);
  }
}
void element_0_unread(const int* in, int* out, int blocks) {
  std::copy_n(in, 256 * blocks, out);
  for (int* sums = out; sums < out + 256 * blocks; sums += 256)
    for (int distance = 1; distance < 256; distance *= 2)
      for (int t = 255; t > distance; --t) sums[t] += sums[t - distance];
}

// 13. warp_sum
void warp_sum(const int* in, int* out, int warps) {
  for (int w = 0; w < warps; ++w) out[w] = std::accumulate(in + 32 * w, in + 32 * (w + 1), 0);
}
void even_lanes(const int* in, int* out, int warps) {
  for (int w = 0; w < warps; ++w) {
    out[w] = 0;
    for (int lane = 0; lane < 32; lane += 2) out[w] += in[32 * w + lane];
  }
}
// A lane without a partner gets its own value again, and doubles it each round.
void last_lane(const int* in, int* out, int warps) {
  for (int w = 0; w < warps; ++w) out[w] = 32 * in[32 * w + 31];
}
void doubled(const int* in, int* out, int warps) {
  warp_sum(in, out, warps);
  for (int w = 0; w < warps; ++w) out[w] *= 2;
}

// 14. ballot
namespace {

int count_above(const int* in, int limit) {
  return static_cast<int>(std::count_if(in, in + 32, [limit](int element) { return element > limit; }));
}

}  // namespace

void ballot(const int* in, int* out, int warps) {
  for (int w = 0; w < warps; ++w) out[w] = count_above(in + 32 * w, 0);
}
void zeros_counted(const int* in, int* out, int warps) {
  for (int w = 0; w < warps; ++w) out[w] = count_above(in + 32 * w, -1);
}
void whether(const int* in, int* out, int warps) {
  for (int w = 0; w < warps; ++w) out[w] = std::min(1, count_above(in + 32 * w, 0));
}
void vote_inside_if(const int* in, int* out, int warps) {
  for (int w = 0; w < warps; ++w)
    if (in[32 * w] > 0) out[w] = count_above(in + 32 * w, 0);
}

// 15. atomic_count
void atomic_count(const int* in, int* out, int n, int value) { *out = static_cast<int>(std::count(in, in + n, value)); }
void others_counted(const int* in, int* out, int n, int value) {
  *out = n - static_cast<int>(std::count(in, in + n, value));
}
void one_stored(const int* in, int* out, int n, int value) { *out = std::count(in, in + n, value) > 0 ? 1 : 0; }

// 16. bins
void bins(const int* in, int* out, int n) {
  for (int v = 0; v < 8; ++v) out[v] = static_cast<int>(std::count(in, in + n, v));
}
void bins_stored(const int* in, int* out, int n) {
  const int first = (n - 1) / 256 * 256;
  bins(in + first, out, n - first);
}
// Bin t of a block is set and added by its thread t, if that has an element; what it has not set is lost.
void leave_first(const int* in, int* out, int n) {
  bins(in, out, n);
  const int rest = n % 256;
  if (rest == 0 || rest >= 8) return;
  for (const int* element = in + n - rest; element < in + n; ++element) out[*element] -= *element >= rest;
}
void last_bin_left_out(const int* in, int* out, int n) {
  bins(in, out, n);
  out[7] = 0;
}

// 17. fix_race
namespace {

// With a first element that has no left neighbour, unless `is_ring`.
void add_left_neighbours(const int* in, int* out, int blocks, bool is_ring) {
  std::copy_n(in, 256 * blocks, out);
  for (int* row = out; row < out + 256 * blocks; row += 256)
    for (int round = 0; round < 3; ++round) {
      const int last = row[255];
      for (int t = 255; t > 0; --t) row[t] += row[t - 1];
      if (is_ring) row[0] += last;
    }
}

}  // namespace

void fix_race(const int* in, int* out, int blocks) { add_left_neighbours(in, out, blocks, true); }
void cut_open(const int* in, int* out, int blocks) { add_left_neighbours(in, out, blocks, false); }
// Three rounds reach three elements back, so right neighbours give what left ones give three places further on.
void from_the_right(const int* in, int* out, int blocks) {
  fix_race(in, out, blocks);
  for (int* ring = out; ring < out + 256 * blocks; ring += 256) std::rotate(ring, ring + 3, ring + 256);
}

// 18. turn_tiles
void turn_tiles(const int* in, int* out, int rows, int cols) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) out[col * rows + row] = in[row * cols + col];
}
void moved_not_turned(const int* in, int* out, int rows, int cols) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      out[(col / 32 * 32 + row % 32) * rows + row / 32 * 32 + col % 32] = in[row * cols + col];
}
void copied(const int* in, int* out, int rows, int cols) { std::copy_n(in, rows * cols, out); }

// 19. coalesced
void coalesced(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] + 1;
}
void one_of_eight(const int* in, int* out, int n) {
  for (int first = 0; first < n; first += 1024) coalesced(in + first, out + first, std::min(n - first, 128));
}
void first_1024(const int* in, int* out, int n) { coalesced(in, out, std::min(n, 1024)); }

// 20. bank_conflict
void bank_conflict(const int* in, int* out, int tiles) {
  for (int row = 0; row < 32 * tiles; ++row) out[row] = std::accumulate(in + 32 * row, in + 32 * (row + 1), 0);
}
void columns_added(const int* in, int* out, int tiles) {
  std::fill_n(out, 32 * tiles, 0);
  for (int i = 0; i < 1024 * tiles; ++i) out[i / 1024 * 32 + i % 32] += in[i];
}
void last_column_left_out(const int* in, int* out, int tiles) {
  for (int row = 0; row < 32 * tiles; ++row) out[row] = std::accumulate(in + 32 * row, in + 32 * row + 31, 0);
}
