// The mistakes that are typical of multiplying matrices, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::matmul_lab {

/// All of them, the likeliest first where two give the same. Entries with the same name are the same mistake made with
/// blocks or tiles of different sizes.
std::vector<Misconception> mistakes();

/// The parts of the list: elements of C that are never written; sums over the wrong products; numbers cut to fewer
/// bits.
std::vector<Misconception> coverage_mistakes();
std::vector<Misconception> sum_mistakes();
std::vector<Misconception> precision_mistakes();

}  // namespace lanewise::labs::matmul_lab
