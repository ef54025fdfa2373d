// to_mark.csv: the free texts that wait for a human, to be filled in with a spreadsheet.
#pragma once

#include <map>
#include <string>

#include "grader/graded_class.h"
#include "harness/lab/questions.h"

namespace lanewise {

/// The answers of counted attempts that wait.
std::size_t count_waiting(const GradedClass& graded);

/// A row for each of them, with empty cells for points and remark; headings alone if none waits. `keys` by lab: what a
/// full answer has. No cell can become a formula.
std::string to_mark_csv(const GradedClass& graded, const std::map<std::string, Answers>& keys);

}  // namespace lanewise
