// Draws data of every kind, chunk by chunk: each chunk has random numbers of its own, so chunks can be made in any
// order.
#include "labs/histogram/samples.h"

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "datasets/chunks.h"
#include "datasets/random.h"
#include "labs/histogram/histogram.cuh"
#include "labs/histogram/text.h"

namespace lanewise::labs::histogram_lab {
namespace {

constexpr std::uint64_t kBanks = 32;  // of shared memory, each as wide as one count

std::uint64_t seed_of_chunk(std::uint64_t seed, std::int64_t chunk) {
  return SplitMix64(seed + 0x9E3779B97F4A7C15 * static_cast<std::uint64_t>(chunk + 1)).next();
}

// data[i] = draw(random, i), where `random` is the chunk's own.
template <class T, class Draw>
void fill(T* data, std::int64_t n, std::uint64_t seed, const Draw& draw) {
  for_each_chunk(n, [&](int, std::int64_t chunk, std::int64_t first, std::int64_t end) {
    Random random(seed_of_chunk(seed, chunk));
    for (std::int64_t i = first; i < end; ++i) data[i] = static_cast<T>(draw(random, i));
  });
}

// Rank r (from 0) with a probability of about 1 / (r + 1): every octave of ranks [2^k - 1, 2^(k + 1) - 1) is equally
// likely, and within an octave every rank. Ranks beyond the last bin are drawn again.
class ZipfRanks {
 public:
  explicit ZipfRanks(std::uint64_t bins) : bins_(bins) {
    while ((std::uint64_t{1} << octaves_) - 1 < bins) ++octaves_;
  }
  std::uint64_t draw(Random& random) const {
    for (;;) {
      const std::uint64_t size = std::uint64_t{1} << random.below(octaves_);
      const std::uint64_t rank = size - 1 + random.below(size);
      if (rank < bins_) return rank;
    }
  }

 private:
  std::uint64_t bins_;
  std::uint64_t octaves_ = 0;
};

// A permutation of [0, bins) that takes neighbours far apart: multiplication by a number that has no divisor in common
// with `bins`, and a shift.
class Scatter {
 public:
  Scatter(std::uint64_t bins, Random& random) : bins_(bins), shift_(random.below(bins)) {
    do factor_ = 1 + random.below(bins);
    while (std::gcd(factor_, bins) != 1);
  }
  std::uint64_t operator()(std::uint64_t rank) const { return (rank * factor_ + shift_) % bins_; }

 private:
  std::uint64_t bins_;
  std::uint64_t shift_;
  std::uint64_t factor_ = 1;
};

template <class T>
void fill_kind(T* data, std::int64_t n, std::uint64_t bins, const Parameters& parameters, std::uint64_t seed) {
  const std::string& kind = parameters.text("kind");
  Random choices(seed);
  if (kind == "uniform") {
    fill(data, n, seed, [=](Random& random, std::int64_t) { return random.below(bins); });
  } else if (kind == "constant") {
    const std::int64_t value = parameters.integer("value");
    if (value < 0 || static_cast<std::uint64_t>(value) >= bins)
      throw std::invalid_argument("the key 'value' of constant data must be one of the bins");
    fill(data, n, seed, [=](Random&, std::int64_t) { return value; });
  } else if (kind == "mostly") {
    const std::int64_t percent = parameters.integer("percent");
    if (percent < 0 || percent > 100) throw std::invalid_argument("the key 'percent' must lie between 0 and 100");
    const std::uint64_t hot = choices.below(bins);
    fill(data, n, seed, [=](Random& random, std::int64_t) {
      return random.below(100) < static_cast<std::uint64_t>(percent) ? hot : random.below(bins);
    });
  } else if (kind == "zipf") {
    const ZipfRanks ranks(bins);
    const Scatter scatter(bins, choices);
    fill(data, n, seed, [=](Random& random, std::int64_t) { return scatter(ranks.draw(random)); });
  } else if (kind == "sorted") {
    fill(data, n, seed,
         [=](Random&, std::int64_t i) { return static_cast<std::uint64_t>(i) * bins / static_cast<std::uint64_t>(n); });
  } else if (kind == "extremes") {
    fill(data, n, seed, [=](Random& random, std::int64_t) { return random.below(2) * (bins - 1); });
  } else if (kind == "alternating") {
    const std::uint64_t even = choices.below(bins);
    const std::uint64_t odd = (even + 1 + choices.below(bins > 1 ? bins - 1 : 1)) % bins;
    fill(data, n, seed, [=](Random&, std::int64_t i) { return i % 2 == 0 ? even : odd; });
  } else if (kind == "one_bank") {
    fill(data, n, seed,
         [=](Random& random, std::int64_t) { return random.below((bins + kBanks - 1) / kBanks) * kBanks; });
  } else {
    throw std::invalid_argument(
        "the kind of data is 'uniform', 'constant', 'mostly', 'zipf', 'sorted', 'extremes', 'alternating', 'one_bank' "
        "or, for histogram_bytes only, 'text', not '" +
        kind + "'");
  }
}

std::int64_t length(const Parameters& parameters) {
  const std::int64_t n = parameters.integer("n");
  if (n < 0 || n > static_cast<std::int64_t>(kMostElements))
    throw std::invalid_argument("a histogram counts 0 to " + std::to_string(kMostElements) + " elements");
  return n;
}

template <class T>
Problem problem_of(std::int64_t n, std::int64_t bins) {
  Problem problem;
  problem.inputs.push_back(make_array<T>("data", {n}));
  problem.outputs = {{"bins", DType::kUint32, {bins}}};
  problem.scalars = {{"n", n}};
  return problem;
}

}  // namespace

std::variant<Problem, MissingData> make_bytes(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t n = length(parameters);
  auto problem = problem_of<std::uint8_t>(n, kByteBins);
  std::uint8_t* data = elements<std::uint8_t>(problem.inputs[0]);
  if (parameters.text("kind") == "text") {
    for_each_chunk(n, [&](int, std::int64_t chunk, std::int64_t first, std::int64_t end) {
      write_text(data + first, end - first, seed_of_chunk(seed, chunk));
    });
  } else {
    fill_kind(data, n, kByteBins, parameters, seed);
  }
  return problem;
}

std::variant<Problem, MissingData> make_wide(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t n = length(parameters);
  const std::int64_t bins = parameters.integer("num_bins");
  if (bins < 1 || bins > kMostBins)
    throw std::invalid_argument("a histogram has 1 to " + std::to_string(kMostBins) + " bins");
  auto problem = problem_of<std::uint32_t>(n, bins);
  fill_kind(elements<std::uint32_t>(problem.inputs[0]), n, static_cast<std::uint64_t>(bins), parameters, seed);
  problem.scalars.push_back({"num_bins", bins});
  return problem;
}

}  // namespace lanewise::labs::histogram_lab
