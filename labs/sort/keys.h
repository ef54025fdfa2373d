// The keys that the cases of the lab sort are made of, and the same keys in order.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::sort_lab {

/// Makes a problem of radix_sort: input "in" {n} of uint32 keys, output "out" {n}, scalar "n". The kinds:
///   kind = "entropy"        words: each key is that many random words ANDed. 1 is uniform; with more, zeros prevail; 0
///                           gives zeros alone
///   kind = "sorted"         in order already, over the whole range; "reversed" from the greatest to the least
///   kind = "nearly sorted"  sorted, but for about one key of 128 that is random
///   kind = "equal"          one key throughout
///   kind = "few"            different: so many different keys, equally likely
///   kind = "zipf"           65536 different keys, the r-th most frequent 1/r as frequent as the first
///   kind = "between"        low, high: every key in [low, high] equally likely
///   kind = "digit"          first_bit, bits: one random key, in which these bits alone are random anew for every key
///   kind = "extremes"       a quarter of the keys is the least there is, a quarter the greatest, in random order
/// The same seed gives the same bytes on every platform and with any number of threads.
std::variant<Problem, MissingData> make_unsigned(const Parameters& parameters, std::uint64_t seed);

/// The same for merge_sort, with int32 keys: the least key is INT_MIN, and "entropy" of 0 words gives INT_MIN alone.
std::variant<Problem, MissingData> make_signed(const Parameters& parameters, std::uint64_t seed);

/// The keys of a problem of either task in ascending order, on as many threads as the machine has.
Array sorted(const Problem& problem);

}  // namespace lanewise::labs::sort_lab
