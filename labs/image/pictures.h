// The pictures that the cases of the lab image are made of.
#pragma once

#include <cstdint>
#include <variant>

#include "harness/lab/lab.h"

namespace lanewise::labs::image_lab {

/// Makes a colour picture for grayscale: input "rgb" {height, width, 3}, output "gray" {height, width}. The kinds:
///   kind = "noise"       width, height: every byte drawn on its own; hides nothing, and its mean is 127 everywhere
///   kind = "extremes"    width, height: the same with 0 and 255 only
///   kind = "constant"    width, height, level: every byte the same; hides wrong places, shows wrong divisors
///   kind = "ramp"        width, height: brighter to the right and, less steeply, downwards, with some noise on top
///   kind = "photograph"  file: a picture from the data folders, with a camera's noise on top so that no table holds
///   the
///                        answers; MissingData where it is not there
std::variant<Problem, MissingData> make_colour(const Parameters& parameters, std::uint64_t seed);

/// Makes a grey picture for blur: input "in", output "out", both {height, width}, and the scalar "radius". The same
/// kinds; a photograph is made grey by the rule of grayscale.
std::variant<Problem, MissingData> make_grey(const Parameters& parameters, std::uint64_t seed);

}  // namespace lanewise::labs::image_lab
