// Makes numbers and adds them up.
#include "labs/scan/numbers.h"

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/chunks.h"
#include "datasets/random.h"

namespace lanewise::labs::scan_lab {
namespace {

using Limits = std::numeric_limits<std::int32_t>;

// What makes the numbers of one chunk. Chunks have random numbers of their own, so that they can be made in any order.
using Fill = std::function<void(Random& random, std::int32_t* begin, const std::int32_t* end)>;

std::int64_t value_of_32_bits(const Parameters& parameters, const char* key) {
  const std::int64_t value = parameters.integer(key);
  if (value < Limits::min() || value > Limits::max())
    throw std::invalid_argument(std::string("the key '") + key + "' does not fit into 32 bits");
  return value;
}

std::int32_t any_bits(Random& random) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(random.next())); }

Fill uniform(std::int64_t low, std::int64_t high) {
  if (low > high) throw std::invalid_argument("a uniform case needs low <= high");
  return [=](Random& random, std::int32_t* begin, const std::int32_t* end) {
    for (std::int32_t* at = begin; at != end; ++at) *at = static_cast<std::int32_t>(random.between(low, high));
  };
}

Fill constant(std::int64_t value) {
  return [=](Random&, std::int32_t* begin, const std::int32_t* end) {
    for (std::int32_t* at = begin; at != end; ++at) *at = static_cast<std::int32_t>(value);
  };
}

Fill alternating() {
  static_assert(kChunk % 2 == 0, "a number and its negative lie in the same chunk");
  return [](Random& random, std::int32_t* begin, const std::int32_t* end) {
    for (std::int32_t* at = begin; at < end; at += 2) {
      const auto value = static_cast<std::int32_t>(random.between(-Limits::max(), Limits::max()));
      at[0] = value;
      if (at + 1 < end) at[1] = -value;
    }
  };
}

Fill any() {
  return [](Random& random, std::int32_t* begin, const std::int32_t* end) {
    for (std::int32_t* at = begin; at != end; ++at) *at = any_bits(random);
  };
}

Fill fill_of(const Parameters& parameters) {
  const std::string& kind = parameters.text("kind");
  if (kind == "uniform") return uniform(value_of_32_bits(parameters, "low"), value_of_32_bits(parameters, "high"));
  if (kind == "constant") return constant(value_of_32_bits(parameters, "value"));
  if (kind == "alternating") return alternating();
  if (kind == "any") return any();
  throw std::invalid_argument("the kind of numbers is 'uniform', 'constant', 'alternating' or 'any', not '" + kind +
                              "'");
}

std::uint32_t sum(const std::int32_t* begin, const std::int32_t* end) {
  std::uint32_t result = 0;
  for (const std::int32_t* at = begin; at != end; ++at) result += static_cast<std::uint32_t>(*at);
  return result;
}

}  // namespace

std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t n = parameters.integer("n");
  if (n < 0 || n > std::int64_t{1} << 32) throw std::invalid_argument("n must lie between 0 and 2^32");
  const Fill fill = fill_of(parameters);

  Problem problem;
  problem.inputs = {make_array<std::int32_t>("in", {n})};
  problem.outputs = {{"out", DType::kInt32, {n}}};
  problem.scalars = {{"n", n}};

  std::vector<std::uint64_t> chunk_seeds(static_cast<std::size_t>(chunk_count(n)));
  SplitMix64 seeds(seed);
  for (std::uint64_t& chunk_seed : chunk_seeds) chunk_seed = seeds.next();
  auto* const numbers = elements<std::int32_t>(problem.inputs[0]);
  for_each_chunk(n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Random random(chunk_seeds[static_cast<std::size_t>(chunk)]);
    fill(random, numbers + begin, numbers + end);
  });
  return problem;
}

// Twice over the chunks: their sums, then, from what comes before each, its prefix sums. A sum modulo 2^32 does not
// depend on the order it is taken in.
Array prefix_sums(const Problem& problem) {
  const auto* const in = elements<std::int32_t>(find_array(problem.inputs, "in"));
  const std::int64_t n = integer_scalar(problem, "n");
  Array result = make_array<std::int32_t>("out", {n});
  auto* const out = elements<std::int32_t>(result);

  std::vector<std::uint32_t> before(static_cast<std::size_t>(chunk_count(n)));
  for_each_chunk(n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    before[static_cast<std::size_t>(chunk)] = sum(in + begin, in + end);
  });
  std::uint32_t running = 0;
  for (std::uint32_t& chunk : before) running += std::exchange(chunk, running);
  for_each_chunk(n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::uint32_t prefix = before[static_cast<std::size_t>(chunk)];
    for (std::int64_t i = begin; i < end; ++i) {
      prefix += static_cast<std::uint32_t>(in[i]);
      out[i] = static_cast<std::int32_t>(prefix);
    }
  });
  return result;
}

}  // namespace lanewise::labs::scan_lab
