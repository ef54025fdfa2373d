// Keys to sort, over the whole range of 32 bits: the same for the same seed on every machine. Each fills
// keys[0] .. keys[n - 1]; several threads share the work.
#pragma once

#include <cstdint>

namespace lanewise {

/// The bitwise AND of that many random words: 1 gives uniform keys, every further one halves the ones among the bits
/// (the entropy of a bit is 1, 0.81, 0.54, 0.34, 0.20 for 1 to 5 words); 0 gives keys that are all zero.
/// Source: K. Thearling, S. Smith, "An improved supercomputer sorting benchmark", Supercomputing 1992.
void fill_entropy_keys(std::uint32_t* keys, std::int64_t n, int words, std::uint64_t seed);

/// Random keys in ascending order: key i is drawn from [i, i + 1) * 2^32 / n.
void fill_sorted_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed);

/// The same in descending order.
void fill_reversed_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed);

/// n times the same random key.
void fill_equal_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed);

/// Only that many different keys (1 to 2^32), equally likely: the j-th is drawn from [j, j + 1) * 2^32 / different.
void fill_few_keys(std::uint32_t* keys, std::int64_t n, std::int64_t different, std::uint64_t seed);

/// 65536 different keys, scattered over the whole range, the r-th of them (from 1) with a probability of 1 / r over the
/// sum of all 1 / r, 11.67: one key in twelve is the most frequent one.
void fill_zipf_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed);

/// fill_sorted_keys, except for about one key in 128, which is random.
void fill_nearly_sorted_keys(std::uint32_t* keys, std::int64_t n, std::uint64_t seed);

}  // namespace lanewise
