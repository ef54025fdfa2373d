// The mistakes that are typical of merging in parallel, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::merge_lab {

/// Places that nothing is written to hold the poison. Entries with the same name are the same mistake made with other
/// numbers of outputs a thread or a block, or in another form of the same program.
std::vector<Misconception> merge_mistakes();

}  // namespace lanewise::labs::merge_lab
