// The data that the cases of the lab histogram are made of.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::histogram_lab {

/// Makes a problem of histogram_bytes: input "data" {n} of bytes, output "bins" {256}, scalar "n". The kinds:
///   kind = "uniform"      every value equally likely
///   kind = "constant"     value: the same value n times
///   kind = "mostly"       percent: that share is one value, which the seed chooses; the others are uniform
///   kind = "zipf"         the r-th most frequent value is about 1/r as frequent as the first; the seed shuffles them
///   kind = "text"         lines of English words (histogram_bytes only)
///   kind = "sorted"       ascending, all values equally often
///   kind = "extremes"     the least and the greatest value, in random order
///   kind = "alternating"  two values in turns: no two neighbours are equal
///   kind = "one_bank"     multiples of 32 only: 4-byte counts of these values lie in one bank of shared memory
/// The same seed gives the same bytes on every platform and with any number of threads.
std::variant<Problem, MissingData> make_bytes(const Parameters& parameters, std::uint64_t seed);

/// The same for histogram_wide: "data" {n} of 32-bit values, output "bins" {num_bins}, scalars "n" and "num_bins".
std::variant<Problem, MissingData> make_wide(const Parameters& parameters, std::uint64_t seed);

}  // namespace lanewise::labs::histogram_lab
