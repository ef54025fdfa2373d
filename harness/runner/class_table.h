// What the cases of a lab's classes cost, put side by side as they are counted.
#pragma once

#include <string>

#include "harness/lab/counters.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Puts what the case called `name` cost into its row of `table`, if it is one of the classes. A table that is still
/// empty gets its title, headings, and a row without values for each class.
void add_to_classes(const ClassesFile& file, const std::string& name, const CounterSums& sums, ClassTable& table);

}  // namespace lanewise
