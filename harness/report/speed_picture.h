// A speed as a picture: its time next to those of the naive step, the reference and the library.
#pragma once

#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

/// An SVG element for a page styled with kHtmlStyle: horizontal bars on a logarithmic scale, the interval of a measured
/// time, and lines for the roof and the next threshold. Requires speed.is_known.
std::string speed_picture(const SpeedVerdict& speed);

}  // namespace lanewise
