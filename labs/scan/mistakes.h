// The mistakes that are typical of scanning, and what each of them gives.
#pragma once

#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::scan_lab {

/// Entries with the same name are the same mistake made with blocks of different sizes.
std::vector<Misconception> mistakes();

}  // namespace lanewise::labs::scan_lab
