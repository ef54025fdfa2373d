// std::from_chars, and around it what it leaves out: a plus sign, the 0x of C, the D of Fortran, and telling too large
// from too small.
#include "datasets/real_number.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

namespace lanewise {
namespace {

// Whether a number that no float can hold is too small rather than too large: where its first digit that is not 0
// stands before or behind the point, and the exponent.
bool is_tiny(std::string_view digits, bool is_hex) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;  // further than any number has digits
  const std::size_t mark = digits.find_first_of(is_hex ? "pP" : "eE");
  std::int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    const auto parsed = whole_number(digits.substr(mark + 1));
    const auto* value = std::get_if<std::int64_t>(&parsed);
    if (value == nullptr) return digits[mark + 1] == '-';
    exponent = std::clamp<std::int64_t>(*value, -kFar, kFar);
  }
  const std::string_view mantissa = digits.substr(0, mark);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(std::min(mantissa.find_first_not_of("0."), mantissa.size()));
  return (point - first) * (is_hex ? 4 : 1) + exponent < 0;
}

}  // namespace

std::variant<float, NumberFault> real_number(std::string_view word) {
  std::string digits(word);
  const bool is_negative = !digits.empty() && digits[0] == '-';
  if (is_negative || (!digits.empty() && digits[0] == '+')) digits.erase(0, 1);
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) return NumberFault::kNoNumber;
  const bool is_hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (is_hex) {
    digits.erase(0, 2);
    if (digits[0] == '-') return NumberFault::kNoNumber;
  } else if (digits.find_first_not_of("0123456789.dD+-") == std::string::npos) {
    std::replace(digits.begin(), digits.end(), 'd', 'e');
    std::replace(digits.begin(), digits.end(), 'D', 'e');
  }
  float value = 0.0f;
  const char* last = digits.data() + digits.size();
  const auto [end, error] =
      std::from_chars(digits.data(), last, value, is_hex ? std::chars_format::hex : std::chars_format::general);
  if (end != last || error == std::errc::invalid_argument) return NumberFault::kNoNumber;
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(digits, is_hex)) return NumberFault::kTooLarge;
    value = 0.0f;
  }
  return is_negative ? -value : value;
}

}  // namespace lanewise
