// Mistakes in the grid and the indices, which the lab's two tasks have in common: they decide which pixels are computed
// and where they end up, not what is computed.
#pragma once

#include <functional>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::image_lab {

using Oracle = std::function<Array(const Problem&)>;

/// Every mistake applied to what `oracle` gives.
std::vector<Misconception> coverage_mistakes(const Oracle& oracle);

}  // namespace lanewise::labs::image_lab
