// The mistakes that are typical of softmax and of attention, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::attention_lab {

/// The likeliest first where two give the same. Entries with the same name are the same mistake made with other tiles.
std::vector<Misconception> softmax_mistakes();
std::vector<Misconception> attention_mistakes();

}  // namespace lanewise::labs::attention_lab
