// Numbers as written in sentences.
#pragma once

#include <fmt/format.h>

#include <string>

namespace lanewise {

/// "1,025": a whole number with its digits in groups of three.
template <class Integer>
std::string with_commas(Integer number) {
  std::string digits = fmt::format("{}", number);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace lanewise
