// What the labs radix_sort and merge_sort share: the keys that their cases are made of, and the same keys in order.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::keys_to_sort {

/// The most that a case may have: kMaxKeys of both contracts.
inline constexpr std::int64_t kMostKeys = std::numeric_limits<std::int32_t>::max();

/// Makes a problem with unsigned keys: input "in" {n} of uint32 keys, output "out" {n}, scalar "n". The kinds:
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

/// The same with int32 keys: the least key is INT_MIN, and "entropy" of 0 words gives INT_MIN alone.
std::variant<Problem, MissingData> make_signed(const Parameters& parameters, std::uint64_t seed);

/// The keys of a problem of either kind in ascending order, on as many threads as the machine has.
Array sorted(const Problem& problem);

/// A task whose problems are those of make_unsigned, or of make_signed.
Task task_with_unsigned_keys(const std::string& name, std::vector<Misconception> misconceptions);
Task task_with_signed_keys(const std::string& name, std::vector<Misconception> misconceptions);

}  // namespace lanewise::labs::keys_to_sort
