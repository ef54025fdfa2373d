// A speed as a picture: its time among those of the naive step, the reference and the library.
#pragma once

#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

/// An SVG element to stand in a page whose style has kHtmlStyle: horizontal bars on a logarithmic scale, the interval
/// of a measured time, a line for the roof and one for the next threshold. `speed` is known.
std::string speed_picture(const SpeedVerdict& speed);

}  // namespace lanewise
