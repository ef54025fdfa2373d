// Sums of floats that are judged as if there were one right order to add in.
#pragma once

#include <string>

#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// The array whose elements the task's oracle adds up, or multiplies, into floats that are judged by ulps or exactly,
/// though threads may take them in any order; "" if none is found. Found by asking the oracle: with the elements along
/// an extent that no output has in another order, it gives what it gave, up to rounding, and yet each of them matters.
/// Throws what the oracle throws.
std::string order_dependent_sum(const std::string& lab, const Task& task, const TaskFile& file);

/// A sentence for the author of the lab: which array it is, and which judge would allow for any order.
std::string sum_note(const TaskFile& file, const std::string& summed);

}  // namespace lanewise
