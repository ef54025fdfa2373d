// The numbers that the cases of the lab scan are made of, and their prefix sums.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::scan_lab {

/// Makes the problem that a case's parameters describe, `n` numbers of the kind
///   "uniform"       from `low` to `high`, both included
///   "constant"      `value`, n times
///   "alternating"   v, -v, w, -w, ...: every second sum is 0
///   "any"           any 32 bits: sums that wrap around at every other element
std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed);

/// out[i] = in[0] + ... + in[i], modulo 2^32.
Array prefix_sums(const Problem& problem);

}  // namespace lanewise::labs::scan_lab
