// Times as shown in reports.
#pragma once

#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

/// Milliseconds with three digits and a unit: "12.3 µs", "0.571 ms", "4.20 ms", "123 ms", "2.04 s".
std::string time_text(double milliseconds);

/// With half the width of the interval, if there is one: "0.571 ± 0.004 ms".
std::string time_text(const TimeEstimate& time);

/// A ratio with two digits, or as many as precede the decimal point: "0.98", "1.6", "17", "2,340".
std::string ratio_text(double ratio);

}  // namespace lanewise
