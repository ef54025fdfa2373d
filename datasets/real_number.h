// A number in text as a float: every way of writing one that C, C++ and Fortran have.
#pragma once

#include <string_view>
#include <variant>

#include "datasets/text_lines.h"

namespace lanewise {

/// The float nearest to `word`, whatever the locale: "1", "-.5", "5.", "1e-3", "+1.5D+03", "0x1.8p3", "inf", "nan".
/// Numbers too small for a float are 0; those too large for one are kTooLarge.
std::variant<float, NumberFault> real_number(std::string_view word);

}  // namespace lanewise
