// The matrices that the cases of the lab matmul are made of.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::matmul_lab {

/// Makes the problem that a case's parameters m, n, k and kind describe. The kinds:
///   kind = "counting"  1, 2, 3, ... row by row, in A and in B: small products can be checked with a pencil
///   kind = "integers"  low, high: whole numbers from low to high; sums of products below 2^24 are exact in float
///   kind = "uniform"   low, high: every element drawn from [low, high)
///   kind = "zeros"     from [-1, 1), but every third row of A and every third column of B is all zeros, beginning with
///                      the second: results that are exactly 0 and may not be off by anything
///   kind = "scaled"    from [-1, 1), each row of A and each column of B multiplied by a power of two of its own,
///                      2^-20 ... 2^10: an error that is small beside the largest result is not small beside its own
///   kind = "rounding"  magnitudes from [1, 2) which rounding to half precision, TF32 or bfloat16 always makes smaller:
///                      the bits that are dropped hold 1/4 to 1/2 of the last place that is kept (of bfloat16's: less
///                      than 1/2). Signs are mixed, but such that no two products of a sum cancel: the errors add up
std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed);

}  // namespace lanewise::labs::matmul_lab
