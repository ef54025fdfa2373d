// How close a ladder comes to what is possible: to the task's floor, and to the library at every size.
#pragma once

#include <string>

#include "grader/bench/bench_page.h"

namespace lanewise {

/// Milliseconds that this work takes at least, by the task's floor and what the device's memory and processors reach; 0
/// if the task has no floor or the roofs are not known.
double floor_milliseconds(const FloorFile& floor, const MeasuredTime& time, const MeasuredRoofs* roofs);

/// A paragraph: what the floor is made of. Empty if there is none.
std::string floor_words(const FloorFile& floor, const MeasuredRoofs* roofs);

/// A sentence: at which of the measured sizes the last step is behind the fastest library, or how far ahead it is at
/// least. Empty if they were not measured together.
std::string sizes_words(const PageTask& task);

}  // namespace lanewise
