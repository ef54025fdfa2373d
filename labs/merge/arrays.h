// The sorted arrays that the cases of the lab merge are made of, and what merging them must give.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::merge_lab {

/// The keys of a problem.
struct Inputs {
  const std::int32_t* a = nullptr;
  std::int64_t m = 0;
  const std::int32_t* b = nullptr;
  std::int64_t n = 0;
};
Inputs inputs_of(const Problem& problem);

/// Makes the problem that a case's parameters describe: m sorted keys of A, n sorted keys of B.
///   kind = "spread"     keys at random distances over the whole of [low, high]
///   kind = "extremes"   the same, but the first quarter of each array is the least int, the last quarter the greatest
///   kind = "a first"    every key of A is less than every key of B; "b first" the other way round
///   kind = "equal"      one key throughout
///   kind = "stretches"  `length` keys of A, then `length` keys of B, and so on, none equal
/// The same bytes for the same seed, on however many threads they are made.
std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed);

/// How many of the first k elements of the merged array come from A: the one i for which A's first i and B's first
/// k - i elements are those, equal keys of A before those of B. k lies in [0, m + n].
/// Source: O. Green, R. McColl, D. Bader, "GPU Merge Path", ICS 2012; C. Siebert, J. L. Traff, "Perfectly
/// load-balanced, optimal, stable, parallel merge", 2013.
std::int64_t co_rank(std::int64_t k, const Inputs& in);

/// A and B merged, on as many threads as the machine has.
Array merged(const Problem& problem);

}  // namespace lanewise::labs::merge_lab
