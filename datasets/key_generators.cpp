// Keys in chunks, each with random numbers of its own.
#include "datasets/key_generators.h"

#include <cassert>
#include <vector>

#include "datasets/chunks.h"
#include "datasets/random.h"

namespace lanewise {
namespace {

// keys[i] = draw(random, i), where `random` is the chunk's own.
template <class Draw>
void fill(std::uint32_t* keys, std::int64_t n, std::uint64_t seed, const Draw& draw) {
  constexpr std::int64_t kKeys = 1 << 16;
  for_each_chunk_of(kKeys, n, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Random random(seed_of_part(seed, chunk));
    for (std::int64_t i = begin; i < end; ++i) keys[i] = draw(random, i);
  });
}

std::uint32_t upper_half(std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); }

// From the i-th of n equal parts of all keys. n is at most 2^32.
std::uint32_t key_of_part(std::int64_t i, std::int64_t n, std::uint32_t random) {
  const auto begin_of = [n](std::int64_t part) {
    return (static_cast<std::uint64_t>(part) << 32) / static_cast<std::uint64_t>(n);
  };
  const std::uint64_t begin = begin_of(i);
  // The last part ends at 2^32, which a shift of n = 2^32 by 32 would lose.
  const std::uint64_t end = i + 1 == n ? std::uint64_t{1} << 32 : begin_of(i + 1);
  return static_cast<std::uint32_t>(begin + (random * (end - begin) >> 32));
}

// Draws ranks 0 .. kRanks - 1 with weights of 2^32 / (rank + 1), each within 2^-28 of a cell, from one random word.
// Source: A. Walker, "An efficient method for generating discrete random variables with general distributions", ACM
// TOMS 3(3), 1977: as many cells as ranks, all alike; each belongs to one rank up to a threshold and to another beyond.
class ZipfRanks {
 public:
  static constexpr std::uint64_t kRanks = 65536;

  ZipfRanks() : cells_(kRanks) {
    std::vector<std::uint64_t> weights(kRanks);
    std::uint64_t cell = 0;  // what a cell holds if a rank's weight counts kRanks times: below 2^36
    for (std::uint64_t rank = 0; rank < kRanks; ++rank) cell += (std::uint64_t{1} << 32) / (rank + 1);
    std::vector<std::uint32_t> light;
    std::vector<std::uint32_t> heavy;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      weights[rank] = (std::uint64_t{1} << 32) / (rank + 1) * kRanks;
      (weights[rank] < cell ? light : heavy).push_back(rank);
    }
    while (!light.empty() && !heavy.empty()) {
      const std::uint32_t small = light.back();
      const std::uint32_t large = heavy.back();
      light.pop_back();
      cells_[small] = {static_cast<std::uint32_t>((weights[small] << kThresholdBits) / cell), small, large};
      weights[large] -= cell - weights[small];
      if (weights[large] < cell) {
        heavy.pop_back();
        light.push_back(large);
      }
    }
    for (const auto* rest : {&light, &heavy})
      for (const std::uint32_t rank : *rest) cells_[rank] = {1U << kThresholdBits, rank, rank};
  }

  std::uint32_t draw(Random& random) const {
    const std::uint64_t bits = random.next();
    const Cell& cell = cells_[bits >> 48];
    return (bits & ((1U << kThresholdBits) - 1)) < cell.threshold ? cell.rank : cell.other;
  }

 private:
  static constexpr int kThresholdBits = 28;
  struct Cell {
    std::uint32_t threshold, rank, other;
  };
  std::vector<Cell> cells_;
};

}  // namespace

void fill_entropy_keys(std::uint32_t* keys, std::int64_t n, int words, std::uint64_t seed) {
  fill(keys, n, seed, [words](Random& random, std::int64_t) {
    std::uint32_t key = words > 0 ? ~std::uint32_t{0} : 0;
    for (int word = 0; word < words; ++word) key &= upper_half(random.next());
    return key;
  });
}

void fill_sorted_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed) {
  fill(keys, n, seed, [n](Random& random, std::int64_t i) { return key_of_part(i, n, upper_half(random.next())); });
}

void fill_reversed_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed) {
  fill(keys, n, seed,
       [n](Random& random, std::int64_t i) { return key_of_part(n - 1 - i, n, upper_half(random.next())); });
}

void fill_equal_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed) {
  const std::uint32_t key = upper_half(mixed(seed_of_part(seed, -1)));
  fill(keys, n, seed, [key](Random&, std::int64_t) { return key; });
}

void fill_few_keys(std::uint32_t* keys, std::int64_t n, std::int64_t different, std::uint64_t seed) {
  assert(different >= 1 && different <= std::int64_t{1} << 32);
  const std::uint64_t keys_seed = mixed(seed_of_part(seed, -1));
  fill(keys, n, seed, [different, keys_seed](Random& random, std::int64_t) {
    const auto which = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(different)));
    return key_of_part(which, different, upper_half(seed_of_part(keys_seed, which)));
  });
}

void fill_zipf_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed) {
  // 65536 numbers times an odd one, modulo 2^16, are 65536 different ones: each the upper half of one rank's key.
  const std::uint64_t bits = mixed(seed_of_part(seed, -1));
  std::vector<std::uint32_t> keys_of_ranks(ZipfRanks::kRanks);
  for (std::uint64_t rank = 0; rank < ZipfRanks::kRanks; ++rank)
    keys_of_ranks[rank] =
        static_cast<std::uint32_t>(((rank * (bits | 1) + (bits >> 16)) & 0xFFFF) << 16 | (mixed(bits + rank) & 0xFFFF));
  const ZipfRanks ranks;
  fill(keys, n, seed, [&](Random& random, std::int64_t) { return keys_of_ranks[ranks.draw(random)]; });
}

void fill_nearly_sorted_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed) {
  fill(keys, n, seed, [n](Random& random, std::int64_t i) {
    const std::uint64_t bits = random.next();
    return bits % 128 == 0 ? upper_half(random.next()) : key_of_part(i, n, upper_half(bits));
  });
}

}  // namespace lanewise
