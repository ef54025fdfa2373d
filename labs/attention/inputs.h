// The rows, queries, keys and values that the cases of the lab attention are made of.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::attention_lab {

/// Makes a matrix of `rows` x `cols`. The kinds:
///   kind = "uniform"    low, high: every element drawn from [low, high)
///   kind = "equal"      low, high: the elements of a row are equal, drawn from [low, high)
///   kind = "ascending"  low, high: each row ascends from low to high in equal steps
std::variant<Problem, MissingData> make_rows(const Parameters& parameters, std::uint64_t seed);

/// Makes queries, keys and values of `heads` x `n` x `d`, the values drawn from [-1, 1). The kinds, all with a size:
///   kind = "uniform"    queries and keys drawn from [-size, size)
///   kind = "equal"      likewise, but all keys of a head are equal, and so are the scores of a query
///   kind = "ascending"  queries from [size / 2, size), and key j is (j + 1) / n in each place: scores ascend
///   kind = "negative"   queries from [size / 2, size), and keys from [-size, -size / 2): all scores are far below 0
std::variant<Problem, MissingData> make_heads(const Parameters& parameters, std::uint64_t seed);

}  // namespace lanewise::labs::attention_lab
