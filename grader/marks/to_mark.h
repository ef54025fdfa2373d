// to_mark.csv: the free-text answers to be marked by a human, in a spreadsheet.
#pragma once

#include <map>
#include <string>

#include "grader/class/graded_class.h"
#include "harness/lab/questions.h"

namespace lanewise {

/// The number of unmarked answers in counted attempts.
std::size_t count_waiting(const GradedClass& graded);

/// A row for each of them, with empty cells for points and remark; only headings if there are none. `keys` by lab: what
/// a full answer contains. No cell can become a formula.
std::string to_mark_csv(const GradedClass& graded, const std::map<std::string, Answers>& keys);

}  // namespace lanewise
