// Makes sorted arrays and merges them.
#include "labs/merge/arrays.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/chunks.h"
#include "datasets/random.h"
#include "labs/merge/merge.cuh"

namespace lanewise::labs::merge_lab {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int32_t>::max();

// The contract allows more; the sums of fill_spread are made for this many.
constexpr std::int64_t kMostKeys = std::int64_t{1} << 28;
static_assert(kMostKeys <= static_cast<std::int64_t>(kMaxElements), "every case keeps to the contract");

struct Keys {
  std::int32_t* first = nullptr;
  std::int64_t count = 0;
};

std::int64_t bounded(const Parameters& parameters, const char* key, std::int64_t least, std::int64_t most) {
  const std::int64_t value = parameters.integer(key);
  if (value < least || value > most)
    throw std::invalid_argument(std::string("the key '") + key + "' of a merge must lie between " +
                                std::to_string(least) + " and " + std::to_string(most));
  return value;
}

// Sorted by construction, which no sort could be fast enough for in a competition's sizes: random steps are added up,
// and the sums stretched to [low, high]. One step in sixteen is 0, which gives equal neighbours.
void fill_spread(Keys keys, std::int64_t low, std::int64_t high, std::uint64_t seed) {
  constexpr int kStepBits = 4;                                                               // steps of 0 ... 15
  std::vector<std::uint64_t> before(static_cast<std::size_t>(chunk_count(keys.count)) + 1);  // sum of the steps until
  const auto for_steps = [&](std::int64_t chunk, std::int64_t first, std::int64_t end, auto&& take) {
    // Odd, and not SplitMix64's own increment: by that, neighbouring chunks would share three of four words of state.
    Random random(seed + static_cast<std::uint64_t>(chunk) * 0xD1342543DE82EF95U);
    std::uint64_t bits = 0;
    for (std::int64_t i = first; i < end; ++i, bits >>= kStepBits) {
      if ((i - first) % (64 / kStepBits) == 0) bits = random.next();
      take(i, bits % (1U << kStepBits));
    }
  };
  for_each_chunk(keys.count, [&](int, std::int64_t chunk, std::int64_t first, std::int64_t end) {
    std::uint64_t sum = 0;
    for_steps(chunk, first, end, [&sum](std::int64_t, std::uint64_t step) { sum += step; });
    before[static_cast<std::size_t>(chunk) + 1] = sum;
  });
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  const std::uint64_t total = before.back() + 1;
  const auto range = static_cast<std::uint64_t>(high - low) + 1;  // at most 2^32
  for_each_chunk(keys.count, [&](int, std::int64_t chunk, std::int64_t first, std::int64_t end) {
    std::uint64_t sum = before[static_cast<std::size_t>(chunk)];
    for_steps(chunk, first, end, [&](std::int64_t i, std::uint64_t step) {
      sum += step;
      // The product fits 64 bits: 15 * kMostKeys and the range are at most 2^32. At most range - 1 comes out.
      keys.first[i] = static_cast<std::int32_t>(low + static_cast<std::int64_t>(sum * range / total));
    });
  });
}

void fill_extremes(Keys keys, std::uint64_t seed) {
  fill_spread(keys, kLeast + 1, kGreatest - 1, seed);
  const std::int64_t quarter = (keys.count + 3) / 4;
  std::fill_n(keys.first, quarter, static_cast<std::int32_t>(kLeast));
  std::fill_n(keys.first + keys.count - quarter, quarter, static_cast<std::int32_t>(kGreatest));
}

// The first keys of both arrays together are those of A, the next those of B, and so on, `length` of each at a time.
void fill_stretches(Keys keys, std::int64_t length, std::int64_t start, bool is_b) {
  for (std::int64_t i = 0; i < keys.count; ++i)
    keys.first[i] = static_cast<std::int32_t>(start + (2 * (i / length) + (is_b ? 1 : 0)) * length + i % length);
}

void fill(const Parameters& parameters, std::uint64_t seed, Keys a, Keys b) {
  const std::string& kind = parameters.text("kind");
  Random random(seed);
  const std::uint64_t seed_of_a = random.next();
  const std::uint64_t seed_of_b = random.next();
  if (kind == "spread") {
    const std::int64_t low = bounded(parameters, "low", kLeast, kGreatest);
    const std::int64_t high = bounded(parameters, "high", low, kGreatest);
    fill_spread(a, low, high, seed_of_a);
    fill_spread(b, low, high, seed_of_b);
  } else if (kind == "extremes") {
    fill_extremes(a, seed_of_a);
    fill_extremes(b, seed_of_b);
  } else if (kind == "a first") {
    fill_spread(a, kLeast, -1, seed_of_a);
    fill_spread(b, 0, kGreatest, seed_of_b);
  } else if (kind == "b first") {
    fill_spread(a, 0, kGreatest, seed_of_a);
    fill_spread(b, kLeast, -1, seed_of_b);
  } else if (kind == "equal") {
    const auto key = static_cast<std::int32_t>(random.between(kLeast, kGreatest));
    std::fill_n(a.first, a.count, key);
    std::fill_n(b.first, b.count, key);
  } else if (kind == "stretches") {
    const std::int64_t length = bounded(parameters, "length", 1, kGreatest);
    const std::int64_t start = random.between(-1'000'000, 0);
    if (2 * (std::max(a.count, b.count) + length) > kGreatest)
      throw std::invalid_argument("that many stretches of different keys do not fit into 32 bits");
    fill_stretches(a, length, start, false);
    fill_stretches(b, length, start, true);
  } else {
    throw std::invalid_argument(
        "the kind of a merge is 'spread', 'extremes', 'a first', 'b first', 'equal' or 'stretches', not '" + kind +
        "'");
  }
}

}  // namespace

Inputs inputs_of(const Problem& problem) {
  return {elements<std::int32_t>(find_array(problem.inputs, "a")), integer_scalar(problem, "m"),
          elements<std::int32_t>(find_array(problem.inputs, "b")), integer_scalar(problem, "n")};
}

std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t m = bounded(parameters, "m", 0, kMostKeys);
  const std::int64_t n = bounded(parameters, "n", 0, kMostKeys);
  Problem problem;
  problem.inputs = {make_array<std::int32_t>("a", {m}), make_array<std::int32_t>("b", {n})};
  problem.outputs = {{"out", DType::kInt32, {m + n}}};
  problem.scalars = {{"m", m}, {"n", n}};
  fill(parameters, seed, {elements<std::int32_t>(problem.inputs[0]), m},
       {elements<std::int32_t>(problem.inputs[1]), n});
  return problem;
}

std::int64_t co_rank(std::int64_t k, const Inputs& in) {
  std::int64_t low = std::max<std::int64_t>(0, k - in.n);
  std::int64_t high = std::min(k, in.m);
  while (low < high) {
    const std::int64_t i = low + (high - low) / 2;
    if (in.a[i] <= in.b[k - 1 - i])
      low = i + 1;
    else
      high = i;
  }
  return low;
}

Array merged(const Problem& problem) {
  const Inputs in = inputs_of(problem);
  Array result = make_array<std::int32_t>("out", {in.m + in.n});
  std::int32_t* out = elements<std::int32_t>(result);
  for_each_chunk(in.m + in.n, [&](int, std::int64_t, std::int64_t first, std::int64_t end) {
    const std::int64_t i = co_rank(first, in);
    const std::int64_t i_end = co_rank(end, in);
    std::merge(in.a + i, in.a + i_end, in.b + (first - i), in.b + (end - i_end), out + first);
  });
  return result;
}

}  // namespace lanewise::labs::merge_lab
