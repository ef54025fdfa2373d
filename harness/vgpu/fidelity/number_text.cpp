#include "harness/vgpu/fidelity/number_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace vgpu::fidelity {

std::string number_text(double value) {
  constexpr double kNearlyWhole = 1e-9;
  const bool is_whole = std::abs(value - std::round(value)) <= kNearlyWhole;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), is_whole ? "%.0f" : "%.2f", value);
  std::string digits = text.data();
  if (!is_whole) return digits;
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace vgpu::fidelity
