// Makes keys, and puts them in order.
#include "labs/keys_to_sort.h"

#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "datasets/chunks.h"
#include "datasets/key_generators.h"
#include "datasets/random.h"

namespace lanewise::labs::keys_to_sort {
namespace {

constexpr std::uint32_t kSign =
    0x80000000U;  // flipped, it turns the order of signed numbers into that of unsigned ones
constexpr std::int64_t kGreatest = std::numeric_limits<std::uint32_t>::max();

struct KeyShape {
  std::uint32_t* first = nullptr;
  std::int64_t count = 0;
};

std::int64_t bounded(const Parameters& parameters, const char* key, std::int64_t least, std::int64_t most) {
  const std::int64_t value = parameters.integer(key);
  if (value < least || value > most)
    throw std::invalid_argument(std::string("the key '") + key + "' of a sort must lie between " +
                                std::to_string(least) + " and " + std::to_string(most));
  return value;
}

// Calls make(random) for every key, in chunks that have random numbers of their own.
template <class Make>
void fill_each(KeyShape keys, std::uint64_t seed, const Make& make) {
  for_each_chunk(keys.count, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Random random(seed_of_part(seed, chunk));
    for (std::int64_t i = begin; i < end; ++i) keys.first[i] = make(random);
  });
}

std::uint32_t any_key(Random& random) { return static_cast<std::uint32_t>(random.next() >> 32); }

// `offset`: what to add to a number to have it in the order of unsigned keys.
void fill(const Parameters& parameters, std::uint64_t seed, KeyShape keys, std::int64_t offset) {
  const std::string& kind = parameters.text("kind");
  Random random(seed);
  if (kind == "entropy") {
    fill_entropy_keys(keys.first, keys.count, static_cast<int>(bounded(parameters, "words", 0, 5)), seed);
  } else if (kind == "sorted") {
    fill_sorted_keys(keys.first, keys.count, seed);
  } else if (kind == "reversed") {
    fill_reversed_keys(keys.first, keys.count, seed);
  } else if (kind == "nearly sorted") {
    fill_nearly_sorted_keys(keys.first, keys.count, seed);
  } else if (kind == "equal") {
    fill_equal_keys(keys.first, keys.count, seed);
  } else if (kind == "few") {
    fill_few_keys(keys.first, keys.count, bounded(parameters, "different", 1, kGreatest), seed);
  } else if (kind == "zipf") {
    fill_zipf_keys(keys.first, keys.count, seed);
  } else if (kind == "between") {
    const std::int64_t low = bounded(parameters, "low", -offset, kGreatest - offset);
    const std::int64_t high = bounded(parameters, "high", low, kGreatest - offset);
    fill_each(keys, random.next(),
              [low, high, offset](Random& own) { return static_cast<std::uint32_t>(own.between(low, high) + offset); });
  } else if (kind == "digit") {
    const std::int64_t first_bit = bounded(parameters, "first_bit", 0, 31);
    const std::int64_t bits = bounded(parameters, "bits", 1, 32 - first_bit);
    const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << first_bit);
    const std::uint32_t rest = any_key(random) & ~mask;
    fill_each(keys, random.next(), [mask, rest](Random& own) { return rest | (any_key(own) & mask); });
  } else if (kind == "extremes") {
    fill_each(keys, random.next(), [](Random& own) {
      const std::uint64_t quarter = own.below(4);
      return quarter == 0 ? 0 : quarter == 1 ? 0xFFFFFFFFU : any_key(own);
    });
  } else {
    throw std::invalid_argument("there are no keys of the kind '" + kind + "' to sort; labs/keys_to_sort.h lists them");
  }
}

template <class Key>
std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t n = bounded(parameters, "n", 0, kMostKeys);
  Problem problem;
  problem.inputs = {make_array<Key>("in", {n})};
  problem.outputs = {{"out", dtype_of<Key>(), {n}}};
  problem.scalars = {{"n", n}};
  // A signed key is an unsigned one with its first bit flipped.
  constexpr std::uint32_t kFlip = std::is_signed_v<Key> ? kSign : 0;
  const KeyShape keys{reinterpret_cast<std::uint32_t*>(problem.inputs[0].bytes.data()), n};
  fill(parameters, seed, keys, kFlip);
  if (kFlip != 0) {
    for_each_chunk(n, [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) keys.first[i] ^= kFlip;
    });
  }
  return problem;
}

constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
using Counts = std::array<std::int64_t, kDigits>;

// One pass of a radix sort with least significant digit first. Every chunk counts its digits; then every chunk knows
// where its keys of each digit go, and all chunks move theirs at the same time.
void move_by_digit(const std::uint32_t* in, std::uint32_t* out, std::int64_t n, int shift, std::uint32_t flip) {
  const auto digit_of = [shift, flip](std::uint32_t key) { return ((key ^ flip) >> shift) % kDigits; };
  std::vector<Counts> places(static_cast<std::size_t>(chunk_count(n)), Counts{});
  for_each_chunk(n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Counts counts{};
    for (std::int64_t i = begin; i < end; ++i) ++counts[digit_of(in[i])];
    places[static_cast<std::size_t>(chunk)] = counts;
  });
  std::int64_t place = 0;
  for (std::size_t digit = 0; digit < kDigits; ++digit)
    for (Counts& counts : places) place += std::exchange(counts[digit], place);
  for_each_chunk(n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Counts next = places[static_cast<std::size_t>(chunk)];
    for (std::int64_t i = begin; i < end; ++i) out[next[digit_of(in[i])]++] = in[i];
  });
}

Task task(const std::string& name, std::vector<Misconception> misconceptions) {
  Task task;
  task.name = name;
  task.oracle = [](const Problem& problem) { return std::vector<Array>{sorted(problem)}; };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  // Any sort reads every key and writes every key. One look at a key is counted as an operation; how often it is moved
  // and looked at is up to the method.
  task.work = [](const Problem& problem) {
    const auto n = static_cast<double>(integer_scalar(problem, "n"));
    return Work{2 * n * sizeof(std::uint32_t), n};
  };
  task.misconceptions = std::move(misconceptions);
  return task;
}

}  // namespace

std::variant<Problem, MissingData> make_unsigned(const Parameters& parameters, std::uint64_t seed) {
  return make<std::uint32_t>(parameters, seed);
}

std::variant<Problem, MissingData> make_signed(const Parameters& parameters, std::uint64_t seed) {
  return make<std::int32_t>(parameters, seed);
}

Array sorted(const Problem& problem) {
  const Array& in = find_array(problem.inputs, "in");
  const std::int64_t n = integer_scalar(problem, "n");
  const std::uint32_t flip = in.dtype == DType::kInt32 ? kSign : 0;
  Array out = in;
  out.name = "out";
  auto* keys = reinterpret_cast<std::uint32_t*>(out.bytes.data());
  std::vector<std::uint32_t> other(static_cast<std::size_t>(n));
  for (int shift = 0; shift < 32; shift += 2 * kDigitBits) {
    move_by_digit(keys, other.data(), n, shift, flip);
    move_by_digit(other.data(), keys, n, shift + kDigitBits, flip);
  }
  return out;
}

Task task_with_unsigned_keys(const std::string& name, std::vector<Misconception> misconceptions) {
  Task made = task(name, std::move(misconceptions));
  made.make = &make_unsigned;
  return made;
}

Task task_with_signed_keys(const std::string& name, std::vector<Misconception> misconceptions) {
  Task made = task(name, std::move(misconceptions));
  made.make = &make_signed;
  return made;
}

}  // namespace lanewise::labs::keys_to_sort
