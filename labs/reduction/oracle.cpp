// Sums and greatest elements, the arrays that cases are made of, and what typical mistakes give. Pointers are to host
// memory.
#include "reduction.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "datasets/random.h"

namespace {

using Index = std::int64_t;

// The sum of those elements whose indices `is_taken` accepts. In double, no sum of these arrays is rounded noticeably.
template <class IsTaken>
float sum_of(const float* x, std::size_t n, const IsTaken& is_taken) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (is_taken(i)) sum += static_cast<double>(x[i]);
  return static_cast<float>(sum);
}

float sum_of(const float* x, std::size_t n) {
  return sum_of(x, n, [](std::size_t) { return true; });
}

// The first element that `goes_before` puts before all that come ahead of it; -1 if there are none.
template <class GoesBefore>
Index first_best(const std::int32_t* x, std::size_t n, const GoesBefore& goes_before) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (goes_before(x[i], x[best])) best = i;
  return n == 0 ? -1 : static_cast<Index>(best);
}

bool is_greater(std::int32_t a, std::int32_t b) { return a > b; }

// What the packed number 0 holds, which stays if no element is packed.
constexpr Index kIndexOfZero = 0xffff'ffff;

}  // namespace

void sum(const float* x, std::size_t n, float* result) { *result = sum_of(x, n); }

void arg_max(const std::int32_t* x, std::size_t n, Index* index) { *index = first_best(x, n, is_greater); }

// ---------------------------------------------------------------------------------------------------------------------
// Arrays.

// Multiples of 1/8 from low/8 to high/8: few enough and small enough for every sum of them to be exact in any order.
void eighths(float* x, std::size_t n, std::uint64_t seed, Index low, Index high) {
  if (low > high) throw std::invalid_argument("eighths(LOW, HIGH) needs LOW <= HIGH");
  if (static_cast<double>(n) * static_cast<double>(std::max(std::abs(low), std::abs(high))) > std::ldexp(1.0, 24))
    throw std::invalid_argument("sums of that many eighths of that size would be rounded");
  lanewise::Random random(seed);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(random.between(low, high)) / 8;
}

// About one element in 32 is 1 or 2, and the others are 0: every sum of 2^28 of them or fewer, some 1.3e7, is exact in
// any order. Each is drawn by itself, so that none can be told from its neighbours.
void sparse(float* x, std::size_t n, std::uint64_t seed) {
  if (n > std::size_t{1} << 28) throw std::invalid_argument("sums of more than 2^28 elements might be rounded");
  lanewise::Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random.next();
    x[i] = bits % 32 != 0 ? 0.0f : (bits >> 32) % 2 == 0 ? 1.0f : 2.0f;
  }
}

// Random elements from -1000 to 999, and in `count` random places 1000.
void equal_maxima(std::int32_t* x, std::size_t n, std::uint64_t seed, Index count) {
  lanewise::Random random(seed);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::int32_t>(random.between(-1000, 999));
  for (Index k = 0; k < count && n > 0; ++k) x[random.next() % n] = 1000;
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in a sum. `block` is how many elements a block adds up.
void first_block(const float* x, std::size_t n, float* result, std::size_t block) {
  *result = sum_of(x, std::min(n, block));
}

void whole_blocks(const float* x, std::size_t n, float* result, std::size_t block) {
  *result = sum_of(x, n / block * block);
}

void last_block(const float* x, std::size_t n, float* result, std::size_t block) {
  const std::size_t first = n == 0 ? 0 : (n - 1) / block * block;
  *result = sum_of(x + first, n - first);
}

void first_of_each_block(const float* x, std::size_t n, float* result, std::size_t block) {
  *result = sum_of(x, n, [block](std::size_t i) { return i % block == 0; });
}

void first_warp_of_each_block(const float* x, std::size_t n, float* result, std::size_t block) {
  *result = sum_of(x, n, [block](std::size_t i) { return i % block < 32; });
}

// A tree whose last step would have added odd elements to even ones (block = 0), or the second half to the first.
void last_step_missing(const float* x, std::size_t n, float* result, std::size_t block) {
  *result = sum_of(x, n, [block](std::size_t i) { return block == 0 ? i % 2 == 0 : i % block < block / 2; });
}

// Each block of one element per thread adds its sum once for each of its threads.
void added_by_every_thread(const float* x, std::size_t n, float* result, std::size_t block) {
  *result = 0;
  for (std::size_t first = 0; first < n; first += block) {
    const float of_block = sum_of(x + first, std::min(n - first, block));
    for (std::size_t thread = 0; thread < block; ++thread) *result += of_block;
  }
}

// A shuffle that adds a lane's own value in place of one that is not there doubles the sum.
void multiplied(const float* x, std::size_t n, float* result, std::size_t by) {
  *result = sum_of(x, n) * static_cast<float>(by);
}

void cut_to_integers(const float* x, std::size_t n, float* result) {
  Index total = 0;
  for (std::size_t i = 0; i < n; ++i) total += static_cast<Index>(x[i]);
  *result = static_cast<float>(total);
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in a search for the greatest element.
void first_block(const std::int32_t* x, std::size_t n, Index* index, std::size_t block) {
  *index = first_best(x, std::min(n, block), is_greater);
}

void whole_blocks(const std::int32_t* x, std::size_t n, Index* index, std::size_t block) {
  *index = n > 0 && n < block ? kIndexOfZero : first_best(x, n / block * block, is_greater);
}

void last_of_equals(const std::int32_t* x, std::size_t n, Index* index) {
  *index = first_best(x, n, [](std::int32_t a, std::int32_t b) { return a >= b; });
}

void begun_with_zero(const std::int32_t* x, std::size_t n, Index* index, Index none) {
  *index = first_best(x, n, is_greater);
  if (n > 0 && x[*index] <= 0) *index = none;
}

void value_for_index(const std::int32_t* x, std::size_t n, Index* index) {
  *index = first_best(x, n, is_greater);
  if (n > 0) *index = x[*index];
}

void index_in_block(const std::int32_t* x, std::size_t n, Index* index, Index block) {
  *index = first_best(x, n, is_greater);
  if (n > 0) *index %= block;
}

// `from` is all bits of the index, with or without a sign.
void complement_of_index(const std::int32_t* x, std::size_t n, Index* index, Index from) {
  *index = first_best(x, n, is_greater);
  if (n > 0) *index = from - *index;
}

void packed_number(const std::int32_t* x, std::size_t n, Index* index) {
  *index = first_best(x, n, is_greater);
  if (n == 0) return;
  const std::uint64_t value = static_cast<std::uint32_t>(x[*index]) ^ 0x8000'0000;
  *index = static_cast<Index>(value << 32 | static_cast<std::uint32_t>(~*index));
}

void always_zero(const std::int32_t*, std::size_t n, Index* index) { *index = n == 0 ? -1 : 0; }

void least(const std::int32_t* x, std::size_t n, Index* index) {
  *index = first_best(x, n, [](std::int32_t a, std::int32_t b) { return a < b; });
}

void compared_without_sign(const std::int32_t* x, std::size_t n, Index* index) {
  *index = first_best(x, n, [](std::int32_t a, std::int32_t b) {
    return static_cast<std::uint32_t>(a) > static_cast<std::uint32_t>(b);
  });
}

void compared_as_floats(const std::int32_t* x, std::size_t n, Index* index) {
  *index =
      first_best(x, n, [](std::int32_t a, std::int32_t b) { return static_cast<float>(a) > static_cast<float>(b); });
}

// ---------------------------------------------------------------------------------------------------------------------
// Right, but without elements nothing is written.
void nothing_written_for_nothing(const float* x, std::size_t n, float* result) {
  if (n > 0) sum(x, n, result);
}
void nothing_written_for_nothing(const std::int32_t* x, std::size_t n, Index* index) {
  if (n > 0) arg_max(x, n, index);
}
