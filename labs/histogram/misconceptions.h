// The mistakes that are typical of counting values, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::histogram_lab {

/// Bins that nobody clears hold the poison. Entries with the same name are the same mistake made with blocks, vectors
/// or ranges of other sizes. What depends on luck, such as counts read before all have counted, is left to the
/// checkers; the exception is the lost update, which loses the same updates in every run on the virtual GPU.
std::vector<Misconception> byte_mistakes();
std::vector<Misconception> wide_mistakes();

}  // namespace lanewise::labs::histogram_lab
