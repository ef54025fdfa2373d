// One rule, any element type.
#include "harness/declared/values.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

namespace lanewise {
namespace {

[[noreturn]] void refuse(const Array& array, const std::string& why) {
  throw std::invalid_argument(fmt::format("the values of {}: {}", array.name, why));
}

template <class T>
T as_element(const Array& array, double number) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(number);
  // 2^63 and 2^64 are doubles, the largest integers below them are not.
  const bool fits = number >= static_cast<double>(std::numeric_limits<T>::min()) &&
                    number < std::ldexp(1.0, std::numeric_limits<T>::digits) && number == std::floor(number);
  if (!fits) refuse(array, fmt::format("{} is not a number of the type {}", number, name_of(array.dtype)));
  return static_cast<T>(number);
}

template <class T>
void fill_with_positions(T* values, std::int64_t count, const std::string& order, Random& random) {
  std::vector<T> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), T{0});
  if (order == "descending") std::reverse(positions.begin(), positions.end());
  if (order == "shuffled") shuffle(positions, random);
  std::copy(positions.begin(), positions.end(), values);
}

template <class T>
void fill_typed(Array& array, const NameWithNumbers& rule, Random& random) {
  const std::size_t count = element_count(array);
  T* const values = elements<T>(array);
  if (rule.name == "uniform" && rule.numbers.size() == 2) {
    const auto low = as_element<T>(array, rule.numbers[0]);
    const auto high = as_element<T>(array, rule.numbers[1]);
    if (!(low < high)) refuse(array, "uniform(LOW, HIGH) needs LOW < HIGH");
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_floating_point_v<T>)
        values[i] = random.uniform(static_cast<float>(low), static_cast<float>(high));
      else
        values[i] = static_cast<T>(static_cast<std::uint64_t>(low) + random.below(static_cast<std::uint64_t>(high) -
                                                                                  static_cast<std::uint64_t>(low) + 1));
    }
  } else if (rule.name == "constant" && rule.numbers.size() == 1) {
    std::fill_n(values, count, as_element<T>(array, rule.numbers[0]));
  } else if ((rule.name == "ascending" || rule.name == "descending" || rule.name == "shuffled") &&
             rule.numbers.empty()) {
    if (count > 0) as_element<T>(array, static_cast<double>(count - 1));
    fill_with_positions(values, static_cast<std::int64_t>(count), rule.name, random);
  } else {
    refuse(array, "they are uniform(LOW, HIGH), constant(VALUE), ascending, descending or shuffled");
  }
}

}  // namespace

std::optional<NameWithNumbers> parse_name_with_numbers(const std::string& text, const NumberOf& number_of) {
  NameWithNumbers result{text.substr(0, text.find('(')), {}};
  if (result.name.size() == text.size()) return result;
  if (text.back() != ')') return std::nullopt;
  const char* at = text.c_str() + result.name.size();
  const char* const end = text.c_str() + text.size() - 1;
  while (at != end) {
    const char* begin = at + 1;
    while (*begin == ' ') ++begin;
    const char* behind = begin;
    if (std::isalpha(static_cast<unsigned char>(*begin)) != 0) {
      while (std::isalnum(static_cast<unsigned char>(*behind)) != 0 || *behind == '_') ++behind;
      result.numbers.push_back(number_of(std::string(begin, behind)));
    } else {
      char* stopped = nullptr;
      result.numbers.push_back(std::strtod(begin, &stopped));
      behind = stopped;
    }
    if (behind == begin || behind > end || (behind != end && *behind != ',')) return std::nullopt;
    if (!std::isfinite(result.numbers.back())) return std::nullopt;
    at = behind;
  }
  return result;
}

void fill(Array& array, const std::string& text, Random& random, const NumberOf& number_of) {
  const auto rule = parse_name_with_numbers(text, number_of);
  if (!rule) refuse(array, fmt::format("'{}' is not a rule with numbers, such as uniform(-1, 1)", text));
  switch (array.dtype) {
    case DType::kInt8:
      return fill_typed<std::int8_t>(array, *rule, random);
    case DType::kUint8:
      return fill_typed<std::uint8_t>(array, *rule, random);
    case DType::kInt16:
      return fill_typed<std::int16_t>(array, *rule, random);
    case DType::kUint16:
      return fill_typed<std::uint16_t>(array, *rule, random);
    case DType::kInt32:
      return fill_typed<std::int32_t>(array, *rule, random);
    case DType::kUint32:
      return fill_typed<std::uint32_t>(array, *rule, random);
    case DType::kInt64:
      return fill_typed<std::int64_t>(array, *rule, random);
    case DType::kUint64:
      return fill_typed<std::uint64_t>(array, *rule, random);
    case DType::kFloat32:
      return fill_typed<float>(array, *rule, random);
    case DType::kFloat64:
      return fill_typed<double>(array, *rule, random);
  }
}

}  // namespace lanewise
