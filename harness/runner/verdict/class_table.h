// The cost of the cases in a lab's classes, side by side, filled in as they are counted.
#pragma once

#include <string>

#include "harness/lab/counters.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Puts the cost of the case called `name` into its row of `table`, if it is one of the classes. An empty table first
/// gets its title, headings, and a row without values per class.
void add_to_classes(const ClassesFile& file, const std::string& name, const CounterSums& sums, ClassTable& table);

}  // namespace lanewise
