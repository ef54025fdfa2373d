// When a product of a sparse matrix and a vector is right.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::spmv_lab {

/// Right where each y[i] is at most 16 sqrt(n) 2^-24 S from the expected one, n being the number of entries of row i
/// and S the sum of the absolute values of its n products. 2^-24 is the error of one rounding, relative to what is
/// rounded; a sum of n products in float is off by some sqrt(n) of them (I. Ipsen, H. Zhou, "Probabilistic error
/// analysis for inner products", SIAM J. Matrix Anal. Appl. 41(4), 2020); the factor 16 is room for any order. An empty
/// row must give 0, and so must a row whose products are all 0. NaN and infinity are never right.
Judgement judge(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got);

/// Whether two outcomes are the same but for rounding, whatever entries were summed.
bool resembles(const Problem& problem, const std::vector<Array>& a, const std::vector<Array>& b);

}  // namespace lanewise::labs::spmv_lab
