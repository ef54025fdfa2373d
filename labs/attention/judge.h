// When a softmax and an attention are right.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::attention_lab {

/// Right where y(r, c) is at most (16 sqrt(cols) + 8 (m - x)) 2^-24 y + 2^-125 from the expected one; m is the row's
/// maximum. With u = 2^-24, the error of one rounding:
///   - the exponent x - m is rounded, and with __expf multiplied by a rounded log2(e): at most 4 u (m - x) in all.
///     A running maximum M splits it into x - M and M - m, which have one sign: the bound holds for their sum, too.
///   - the sum has the mean of these errors, weighted by y: 4 u times the mean of m - x, which is at most ln(cols).
///   - every exponential, addition, product and the division round: some sqrt(cols) u, and 16 is room for any order.
///   - what is less than 2^-126 may become 0. The sum is at least 1.
Judgement judge_softmax(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got);

/// Right where out(i, c) is at most (exp(e) - 1) W + 2^-100 V from the expected one, where e = (1.25 + 2.05 a) / 1024,
/// a = |q(i)| max |k(j)| / sqrt(d), W = the sum of p(i, j) |v(j, c)|, V = the head's greatest |v|. Proof: no score is
/// greater than a (Cauchy and Schwarz). If each operand is rounded to TF32, by 2^-11 of itself, a score moves by at
/// most a (2^-10 + 2^-22); its sum in float and its exponential add less than a (16 sqrt(d) + 16) u: together by less
/// than E = 1.02 a / 1024. A weight then changes by a factor between exp(-E) and exp(E), the sum of all weights
/// likewise, their quotient by one between exp(-2 E) and exp(2 E). Rounding the weight and the value to TF32 adds
/// 2^-10, and the roundings of two sums of n <= 2^14 terms, more than any case has, at most 2^-12 (16 sqrt(n) u,
/// twice): e is the sum of these exponents, 1.25 / 1024 + 2 E. Weights below 2^-126 may become 0.
Judgement judge_attention(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got);

/// Whether two outcomes, which may be wrong, are the same but for rounding. NaN is like NaN.
bool resembles(const Problem& problem, const std::vector<Array>& a, const std::vector<Array>& b);

}  // namespace lanewise::labs::attention_lab
