// The mistakes that are typical of multiplying a sparse matrix by a vector, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::spmv_lab {

/// Rows that nothing is written to hold the poison. Entries with the same name are the same mistake made with other
/// numbers of threads a block or items a tile, or in another form of the same program.
std::vector<Misconception> mistakes();

/// Their parts: rows and entries that are lost, what lanes that share a row lose, carries that are, numbers that are
/// cut.
std::vector<Misconception> row_mistakes();
std::vector<Misconception> sum_mistakes();
std::vector<Misconception> lane_mistakes();
std::vector<Misconception> carry_mistakes();
std::vector<Misconception> precision_mistakes();

}  // namespace lanewise::labs::spmv_lab
