// Parses a float: every notation of C, C++ and Fortran.
#pragma once

#include <string_view>
#include <variant>

#include "datasets/text_lines.h"

namespace lanewise {

/// The float nearest to `word`, in any locale: "1", "-.5", "5.", "1e-3", "+1.5D+03", "0x1.8p3", "inf", "nan".
/// Numbers too small for a float are 0; those too large for one are kTooLarge.
std::variant<float, NumberFault> real_number(std::string_view word);

}  // namespace lanewise
