// The vectors that the cases of the lab vecadd are made of, and what adding them must give.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::vecadd_lab {

/// Makes the problem that a case's parameters describe:
///   kind = "uniform"   n elements of a and b drawn from [low, high)
///   kind = "special"   n pairs of zeros of both signs, denormals, tiny, ordinary and huge values, in random order;
///                      no sum overflows
std::variant<Problem, MissingData> make(Space space, const Parameters& parameters, std::uint64_t seed);

/// c[i] = a[i] + b[i], rounded once, as IEEE 754 asks.
Array sums(const Problem& problem);

}  // namespace lanewise::labs::vecadd_lab
