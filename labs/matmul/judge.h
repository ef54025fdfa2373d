// When a product of two matrices is right.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::matmul_lab {

/// Right where each element is at most 16 sqrt(k) 2^-24 S from the expected one, S being the sum of the absolute values
/// of its k products. 2^-24 is the error of one rounding, relative to what is rounded; a sum of k products in float is
/// off by some sqrt(k) of them (I. Ipsen, H. Zhou, "Probabilistic error analysis for inner products", SIAM J. Matrix
/// Anal. Appl. 41(4), 2020); the factor 16 is room for any order. (A long sum of equal numbers, whose errors
/// do not average out, could still exceed it; no case is made of those.) NaN and infinity are never right.
Judgement judge(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got);

/// Whether two outcomes are the same but for rounding, whatever rows and columns were multiplied.
bool resembles(const Problem& problem, const std::vector<Array>& a, const std::vector<Array>& b);

}  // namespace lanewise::labs::matmul_lab
