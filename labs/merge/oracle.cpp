// Merging, the sorted arrays that cases are made of, and what typical mistakes give. Pointers are to host memory.
#include "merge.cuh"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "datasets/random.h"

namespace {

using Key = std::int32_t;
using Index = std::int64_t;

constexpr Index kLeast = std::numeric_limits<Key>::min();
constexpr Index kGreatest = std::numeric_limits<Key>::max();

}  // namespace

void merge_sorted(const Key* a, std::size_t m, const Key* b, std::size_t n, Key* out) {
  std::merge(a, a + m, b, b + n, out);
}

// ---------------------------------------------------------------------------------------------------------------------
// Sorted arrays.
namespace {

struct Range {
  Index low, high;
};

// Sorted by construction, which no sort could be fast enough for in a competition's sizes: random steps are added up,
// and the sums stretched to the whole range. One step in sixteen is 0, which gives equal neighbours.
void fill_spread(Key* keys, Index count, Range range, std::uint64_t seed) {
  constexpr int kStepBits = 4;  // steps of 0 ... 15
  if (count > Index{1} << 28) throw std::invalid_argument("an array has at most 2^28 keys");
  const auto for_sums = [&](const auto& take) {
    lanewise::Random random(seed);
    std::uint64_t sum = 0, bits = 0;
    for (Index i = 0; i < count; ++i, bits >>= kStepBits) {
      if (i % (64 / kStepBits) == 0) bits = random.next();
      take(i, sum += bits % (1U << kStepBits));
    }
  };
  std::uint64_t total = 1;
  for_sums([&total](Index, std::uint64_t sum) { total = sum + 1; });
  // The product fits 64 bits: 15 * 2^28 and the width are at most 2^32. At most width - 1 comes out.
  const auto width = static_cast<std::uint64_t>(range.high - range.low) + 1;
  for_sums([&](Index i, std::uint64_t sum) {
    keys[i] = static_cast<Key>(range.low + static_cast<Index>(sum * width / total));
  });
}

void fill_both(Key* a, Index m, Range of_a, Key* b, Index n, Range of_b, std::uint64_t seed) {
  lanewise::Random random(seed);
  fill_spread(a, m, of_a, random.next());
  fill_spread(b, n, of_b, random.next());
}

void fill_ends(Key* keys, Index count) {
  const Index quarter = (count + 3) / 4;
  std::fill_n(keys, quarter, static_cast<Key>(kLeast));
  std::fill_n(keys + count - quarter, quarter, static_cast<Key>(kGreatest));
}

}  // namespace

// Keys at random distances over the whole of [low, high].
void spread(Key* a, std::size_t m, Key* b, std::size_t n, std::uint64_t seed, Index low, Index high) {
  if (low < kLeast || low > high || high > kGreatest)
    throw std::invalid_argument("spread(LOW, HIGH) needs ints with LOW <= HIGH");
  fill_both(a, m, {low, high}, b, n, {low, high}, seed);
}

// The same, but the first quarter of each array is the least int, the last quarter the greatest.
void extremes(Key* a, std::size_t m, Key* b, std::size_t n, std::uint64_t seed) {
  fill_both(a, m, {kLeast + 1, kGreatest - 1}, b, n, {kLeast + 1, kGreatest - 1}, seed);
  fill_ends(a, m);
  fill_ends(b, n);
}

// Every key of one array is less than every key of the other.
void a_first(Key* a, std::size_t m, Key* b, std::size_t n, std::uint64_t seed) {
  fill_both(a, m, {kLeast, -1}, b, n, {0, kGreatest}, seed);
}
void b_first(Key* a, std::size_t m, Key* b, std::size_t n, std::uint64_t seed) {
  fill_both(a, m, {0, kGreatest}, b, n, {kLeast, -1}, seed);
}

// One key throughout.
void equal(Key* a, std::size_t m, Key* b, std::size_t n, std::uint64_t seed) {
  const auto key = static_cast<Key>(lanewise::Random(seed).between(kLeast, kGreatest));
  std::fill_n(a, m, key);
  std::fill_n(b, n, key);
}

// The first `length` keys are those of A, the next those of B, and so on; none are equal.
void stretches(Key* a, std::size_t m, Key* b, std::size_t n, std::uint64_t seed, Index length) {
  const Index start = lanewise::Random(seed).between(-1'000'000, 0);
  if (length < 1) throw std::invalid_argument("stretches(LENGTH) needs LENGTH > 0");
  if (2 * (static_cast<Index>(std::max(m, n)) + length) > kGreatest)
    throw std::invalid_argument("that many stretches of different keys do not fit into 32 bits");
  const auto fill = [&](Key* keys, Index count, Index first) {
    for (Index i = 0; i < count; ++i) keys[i] = static_cast<Key>(first + i / length * 2 * length + i % length);
  };
  fill(a, m, start);
  fill(b, n, start + length);
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes. A segment is what one thread makes, a tile what one block makes.
namespace {

struct Inputs {
  const Key* a;
  Index m;
  const Key* b;
  Index n;

  Index outputs() const { return m + n; }
};

// Which of two keys is taken, one of A or one of B.
bool not_greater(Key of_a, Key of_b) { return of_a <= of_b; }
bool not_greater_as_float(Key of_a, Key of_b) { return static_cast<float>(of_a) <= static_cast<float>(of_b); }
bool not_greater_unsigned(Key of_a, Key of_b) {
  return static_cast<std::uint32_t>(of_a) <= static_cast<std::uint32_t>(of_b);
}
bool not_less(Key of_a, Key of_b) { return of_a >= of_b; }
bool greater(Key of_a, Key of_b) { return of_a > of_b; }

using TakesA = bool (*)(Key of_a, Key of_b);

// How many of the first k outputs come from A. Where a guess is not too small, it may be the answer: with `past` = 1,
// the search moves past it.
Index co_rank(const Inputs& in, Index k, TakesA takes_a = not_greater, Index past = 0) {
  Index low = std::max<Index>(0, k - in.n);
  Index high = std::min(k, in.m);
  while (low < high) {
    const Index guess = low + (high - low) / 2;
    if (takes_a(in.a[guess], in.b[k - 1 - guess]))
      low = guess + 1;
    else
      high = guess - past;
  }
  return low;
}

// Outputs from number `first` on, i of those before which come from A.
void merge_segment(const Inputs& in, Key* out, Index first, Index end, Index i, TakesA takes_a) {
  Index j = first - i;
  for (Index k = first; k < std::min(end, in.outputs()); ++k) {
    if (i < in.m && (j >= in.n || takes_a(in.a[i], in.b[j])))
      out[k] = in.a[i++];
    else if (j < in.n)
      out[k] = in.b[j++];
  }
}

void merge_first(const Inputs& in, Key* out, Index count) { merge_segment(in, out, 0, count, 0, not_greater); }

void merge_segments(const Inputs& in, Key* out, Index segment, TakesA takes_a, TakesA takes_a_in_search,
                    Index past = 0) {
  for (Index first = 0; first < in.outputs(); first += segment)
    merge_segment(in, out, first, first + segment, co_rank(in, first, takes_a_in_search, past), takes_a);
}

// What a segment is made from is cut out of A and B. When one piece runs out, what is left of the other is copied only
// if `keeps_a` or `keeps_b` says so. Segment 0: one for the whole.
void lose_rest(const Inputs& in, Key* out, Index segment, bool keeps_a, bool keeps_b) {
  if (segment == 0) segment = std::max<Index>(1, in.outputs());
  for (Index k = 0, end = 0; k < in.outputs(); k = end) {
    end = std::min(k + segment, in.outputs());
    Index i = co_rank(in, k), j = k - i;
    const Index i_end = co_rank(in, end), j_end = end - i_end;
    while (i < i_end && j < j_end) out[k++] = in.a[i] <= in.b[j] ? in.a[i++] : in.b[j++];
    if (keeps_a) std::copy(in.a + i, in.a + i_end, out + k);
    if (keeps_b) std::copy(in.b + j, in.b + j_end, out + k);
  }
}

// Every element goes to its own place plus the number of elements of the other array before it, and for that number
// both sides ask the same question: less, or not greater.
void scatter(const Key* own, Index count, const Key* other, Index other_count, bool counts_equal_ones, Key* out) {
  Index before = 0;
  for (Index i = 0; i < count; ++i) {
    while (before < other_count && (counts_equal_ones ? other[before] <= own[i] : other[before] < own[i])) ++before;
    out[i + before] = own[i];
  }
}

}  // namespace

void rest_of_a_lost(const Key* a, Index m, const Key* b, Index n, Key* out, Index segment) {
  lose_rest({a, m, b, n}, out, segment, false, true);
}
void rest_of_b_lost(const Key* a, Index m, const Key* b, Index n, Key* out, Index segment) {
  lose_rest({a, m, b, n}, out, segment, true, false);
}
void rest_lost(const Key* a, Index m, const Key* b, Index n, Key* out, Index segment) {
  lose_rest({a, m, b, n}, out, segment, false, false);
}

void ties_less_on_both_sides(const Key* a, Index m, const Key* b, Index n, Key* out) {
  scatter(a, m, b, n, false, out);
  scatter(b, n, a, m, false, out);
}
void ties_less_or_equal_on_both_sides(const Key* a, Index m, const Key* b, Index n, Key* out) {
  scatter(a, m, b, n, true, out);
  scatter(b, n, a, m, true, out);
}

void searched_past_the_answer(const Key* a, Index m, const Key* b, Index n, Key* out, Index segment) {
  merge_segments({a, m, b, n}, out, segment, not_greater, not_greater, 1);
}

void kept_the_wrong_half(const Key* a, Index m, const Key* b, Index n, Key* out, Index segment) {
  merge_segments({a, m, b, n}, out, segment, not_greater, greater);
}

// Piece number p of A is merged with piece number p of B, whatever is in them.
void pieces_of_equal_length(const Key* a, Index m, const Key* b, Index n, Key* out, Index piece) {
  for (Index first = 0; first < std::max(m, n); first += piece) {
    const Index i = std::min(first, m), i_end = std::min(first + piece, m);
    const Index j = std::min(first, n), j_end = std::min(first + piece, n);
    std::merge(a + i, a + i_end, b + j, b + j_end, out + i + j);
  }
}

void greatest_not_written(const Key* a, Index m, const Key* b, Index n, Key* out) {
  const auto greatest = static_cast<Key>(kGreatest);
  const Index less = (std::lower_bound(a, a + m, greatest) - a) + (std::lower_bound(b, b + n, greatest) - b);
  merge_first({a, m, b, n}, out, less);
}

// Rounding to floats keeps the order of keys that stay different, so the number of outputs a thread does not show.
void compared_as_floats(const Key* a, Index m, const Key* b, Index n, Key* out) {
  merge_segments({a, m, b, n}, out, 8, not_greater_as_float, not_greater_as_float);
}

void compared_without_sign(const Key* a, Index m, const Key* b, Index n, Key* out, Index segment) {
  merge_segments({a, m, b, n}, out, segment, not_greater_unsigned, not_greater_unsigned);
}

void larger_first(const Key* a, Index m, const Key* b, Index n, Key* out, Index segment) {
  merge_segments({a, m, b, n}, out, segment, not_less, not_greater);
}

void concatenated(const Key* a, Index m, const Key* b, Index n, Key* out, Index is_a_first) {
  std::copy_n(a, m, out + (is_a_first != 0 ? 0 : n));
  std::copy_n(b, n, out + (is_a_first != 0 ? m : 0));
}

void whole_pieces(const Key* a, Index m, const Key* b, Index n, Key* out, Index piece) {
  merge_first({a, m, b, n}, out, (m + n) / piece * piece);
}

void first_tile(const Key* a, Index m, const Key* b, Index n, Key* out, Index tile) {
  merge_first({a, m, b, n}, out, tile);
}

// Threads make eight outputs each, but only their index in the block is multiplied by that. What two threads make, both
// make right.
void blocks_overlap(const Key* a, Index m, const Key* b, Index n, Key* out, Index threads) {
  const Index tile = 8 * threads, blocks = (m + n + tile - 1) / tile;
  if (blocks > 0) merge_first({a, m, b, n}, out, (blocks - 1) * threads + tile);
}
