// Counting on the CPU: what the lab histogram's functions must give, and the counts that mistakes are put together
// from.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::histogram_lab {

using Counts = std::vector<std::uint32_t>;

/// Number of bins of a problem of either task.
std::int64_t bins_of(const Problem& problem);

/// How often each value occurs among elements first ... end - 1.
Counts count_values(const Problem& problem, std::int64_t first, std::int64_t end);

/// The counts as the output "bins".
Array bins_array(const Counts& counts);

/// The right bins: all n elements counted.
Array histogram_oracle(const Problem& problem);

}  // namespace lanewise::labs::histogram_lab
