// Whether a lab's cases can show its misconceptions.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/lab/lab_file.h"

namespace lanewise {

/// The names of the task's misconceptions that no case in the group check shows as themselves: in each, they give what
/// is right, or what an earlier one gives. Cases with outputs of more than a megabyte are left out. Throws what oracle
/// and misconceptions throw.
std::vector<std::string> unrecognisable(const std::string& lab, const Task& task, const TaskFile& file);

/// The names of the cases with points that accept outputs of zeros, though some of what is right is not 0. Throws what
/// the oracle throws.
std::vector<std::string> accepting_zeros(const std::string& lab, const Task& task, const TaskFile& file);

}  // namespace lanewise
