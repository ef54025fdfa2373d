// The mistakes that are typical of a merge sort, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::merge_sort_lab {

/// Places that nothing is written to hold the poison. Entries with the same name are the same mistake made with other
/// sizes, or in another form of the same program.
std::vector<Misconception> mistakes();

}  // namespace lanewise::labs::merge_sort_lab
