// When accelerations are right.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::nbody_lab {

/// Right where each component is at most (32 + min(n, 16 sqrt(n))) u S + 2^-120 from the expected one. S is the sum of
/// the absolute values of its n terms, u = 2^-24 the error of one rounding, relative to what is rounded:
///   - a difference of coordinates is rounded once: u. Its square: 3 u. r2 is a sum of four such squares, all of them
///     positive, so that no order of its three additions is off by more than 6 u.
///   - r2^(-3/2): with rsqrtf, which is off by at most 2 ulp (4 u) itself, 3 u + 4 u, three times that for the third
///     power, and 2 u for its products: 23 u. With 1 / sqrtf(r2 r2 r2): 12 u. With powf (4 ulp): 17 u.
///   - the mass, the difference and two products: 3 u. A term is off by 26 u, or by less; 32 is room for other ways.
///   - n - 1 additions in any order are off by at most (n - 1) u S. Where n is greater than 256, that is more than
///     roundings add up to: some sqrt(n) (I. Ipsen, H. Zhou, "Probabilistic error analysis for inner products", SIAM J.
///     Matrix Anal. Appl. 41(4), 2020); the factor 16 is room for any order.
/// What is less than 2^-126 may become 0.
Judgement judge(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got);

/// Whether two outcomes, which may be wrong, are the same but for rounding. NaN is like NaN.
bool resembles(const Problem& problem, const std::vector<Array>& a, const std::vector<Array>& b);

}  // namespace lanewise::labs::nbody_lab
