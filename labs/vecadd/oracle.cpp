// The sums, the vectors of unusual values, and what typical mistakes give. Pointers are to host memory, for both tasks.
#include "vecadd.cuh"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace {

void add(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

}  // namespace

// Each sum is rounded once, as IEEE 754 asks.
void vec_add(const float* a, const float* b, float* c, int n) { add(a, b, c, static_cast<std::size_t>(n)); }
void vec_add_device(const float* a, const float* b, float* c, std::size_t n) { add(a, b, c, n); }

// ---------------------------------------------------------------------------------------------------------------------
// Every value meets every value, itself and its negative included, in random order: sums that are exact, that round,
// that vanish, that stay denormal and that cancel down to a zero. None overflows.
void unusual_values(float* a, float* b, std::size_t n, std::uint64_t seed) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values;
  for (const float magnitude : {0.0f, Limits::denorm_min(), Limits::min() / 2, Limits::min(), 1.0e-20f, 0.1f, 1.0f,
                                16777216.0f, 1.0e20f, Limits::max() / 2})
    values.insert(values.end(), {magnitude, -magnitude});
  std::vector<std::pair<float, float>> pairs;
  for (const float one : values)
    for (const float other : values) pairs.emplace_back(one, other);
  // D. Knuth's generator for MMIX, because <random> compiles slowly.
  for (std::size_t left = pairs.size(); left > 1; --left) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    std::swap(pairs[left - 1], pairs[(seed >> 33) % left]);
  }
  for (std::size_t i = 0; i < n; ++i) std::tie(a[i], b[i]) = pairs[i % pairs.size()];
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in the kernel and its launch. `block` is how many threads a block has.
void whole_blocks(const float* a, const float* b, float* c, std::size_t n, std::size_t block) {
  add(a, b, c, n / block * block);
}

void first_block(const float* a, const float* b, float* c, std::size_t n, std::size_t block) {
  add(a, b, c, std::min(n, block));
}

// Block i begins at element i.
void blocks_one_apart(const float* a, const float* b, float* c, std::size_t n, std::size_t block) {
  add(a, b, c, std::min(n, (n + block - 1) / block + block - 1));
}

// Block i begins at element i times the number of blocks.
void blocks_a_grid_apart(const float* a, const float* b, float* c, std::size_t n, std::size_t block) {
  const std::size_t blocks = (n + block - 1) / block;
  for (std::size_t i = 0; i < blocks && i * blocks < n; ++i) {
    const std::size_t begin = i * blocks;
    add(a + begin, b + begin, c + begin, std::min(n - begin, block));
  }
}

// Thread i, which is to add floats 4 i to 4 i + 3, adds vector 4 i. The floats after the last group of four may be
// right.
void every_fourth_vector(const float* a, const float* b, float* c, std::size_t n, std::size_t tail_is_added) {
  for (std::size_t i = 0; i < n && i / 4 + 3 < n; i += 16) add(a + i, b + i, c + i, std::min<std::size_t>(n - i, 4));
  const std::size_t tail = tail_is_added != 0 ? n / 4 * 4 : n;
  add(a + tail, b + tail, c + tail, n - tail);
}

void whole_fours(const float* a, const float* b, float* c, std::size_t n) { add(a, b, c, n / 4 * 4); }

void subtracted(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] - b[i];
}

void twice_a(const float* a, const float*, float* c, std::size_t n) { add(a, a, c, n); }

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in moving the data. What is in c is what device memory held before, for an input as for the result.
void nothing_written(const float*, const float*, float*, std::size_t) {}

void a_never_copied(const float*, const float* b, float* c, std::size_t n) { add(c, b, c, n); }

void b_never_copied(const float* a, const float*, float* c, std::size_t n) { add(a, c, c, n); }

void first_quarter_of_the_bytes(const float* a, const float* b, float* c, std::size_t n) {
  std::vector<float> sums(n);
  add(a, b, sums.data(), n);
  std::memcpy(c, sums.data(), n);
}
