// Keys in chunks, each with random numbers of its own.
#include "datasets/key_generators.h"

#include <algorithm>
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

// weights[r] is 2^40 / (r + 1) and all before it.
std::vector<std::uint64_t> zipf_weights(std::size_t ranks) {
  std::vector<std::uint64_t> weights(ranks);
  std::uint64_t sum = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) weights[rank] = sum += (std::uint64_t{1} << 40) / (rank + 1);
  return weights;
}

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
  constexpr std::size_t kRanks = 65536;
  const std::vector<std::uint64_t> weights = zipf_weights(kRanks);
  // 65536 numbers times an odd one, modulo 2^16, are 65536 different ones: each the upper half of one rank's key.
  const std::uint64_t bits = mixed(seed_of_part(seed, -1));
  const auto scatter = [bits](std::size_t rank) {
    const auto upper = static_cast<std::uint32_t>((rank * (bits | 1) + (bits >> 16)) & 0xFFFF);
    return upper << 16 | static_cast<std::uint32_t>(mixed(bits + rank) & 0xFFFF);
  };
  std::vector<std::uint32_t> key_of_rank(kRanks);
  for (std::size_t rank = 0; rank < kRanks; ++rank) key_of_rank[rank] = scatter(rank);
  fill(keys, n, seed, [&weights, &key_of_rank](Random& random, std::int64_t) {
    const std::uint64_t drawn = random.below(weights.back());
    return key_of_rank[static_cast<std::size_t>(std::upper_bound(weights.begin(), weights.end(), drawn) -
                                                weights.begin())];
  });
}

void fill_nearly_sorted_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed) {
  fill(keys, n, seed, [n](Random& random, std::int64_t i) {
    const std::uint64_t bits = random.next();
    return bits % 128 == 0 ? upper_half(random.next()) : key_of_part(i, n, upper_half(bits));
  });
}

}  // namespace lanewise
