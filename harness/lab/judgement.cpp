// The comparisons that labs share: one pass over all outputs, with the rule for one element as an argument.
#include "harness/lab/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "harness/lab/region.h"

namespace lanewise {
namespace {

// Calls `visit` with typed pointers to both arrays' elements.
template <class Visit>
void with_elements(const Array& expected, const Array& got, const Visit& visit) {
  switch (expected.dtype) {
    case DType::kInt8:
      return visit(elements<std::int8_t>(expected), elements<std::int8_t>(got));
    case DType::kUint8:
      return visit(elements<std::uint8_t>(expected), elements<std::uint8_t>(got));
    case DType::kInt16:
      return visit(elements<std::int16_t>(expected), elements<std::int16_t>(got));
    case DType::kUint16:
      return visit(elements<std::uint16_t>(expected), elements<std::uint16_t>(got));
    case DType::kInt32:
      return visit(elements<std::int32_t>(expected), elements<std::int32_t>(got));
    case DType::kUint32:
      return visit(elements<std::uint32_t>(expected), elements<std::uint32_t>(got));
    case DType::kInt64:
      return visit(elements<std::int64_t>(expected), elements<std::int64_t>(got));
    case DType::kUint64:
      return visit(elements<std::uint64_t>(expected), elements<std::uint64_t>(got));
    case DType::kFloat32:
      return visit(elements<float>(expected), elements<float>(got));
    case DType::kFloat64:
      return visit(elements<double>(expected), elements<double>(got));
  }
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;  // NOLINT(bugprone-suspicious-memory-comparison): zeros differ by sign
}

template <class T>
std::string value_text(T value) {
  if constexpr (sizeof(T) == 1)
    return fmt::format("{}", static_cast<int>(value));
  else
    return fmt::format("{}", value);
}

// Four bytes or more of poison are no coincidence; a single byte may well be a result.
template <class T>
bool is_untouched(T value) {
  if constexpr (sizeof(T) < 4) return false;
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  return std::all_of(bytes, bytes + sizeof(T),
                     [](unsigned char byte) { return byte == std::to_integer<int>(kPoison); });
}

std::vector<std::int64_t> index_of(const ArrayShape& shape, std::int64_t flat) {
  std::vector<std::int64_t> index(shape.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = flat % shape.shape[d];
    flat /= shape.shape[d];
  }
  return index;
}

void check_comparable(const std::vector<Array>& expected, const std::vector<Array>& got) {
  if (expected.size() != got.size())
    throw std::invalid_argument(
        fmt::format("{} outputs are expected, but the judge got {}", expected.size(), got.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i].dtype != got[i].dtype || expected[i].bytes.size() != got[i].bytes.size() ||
        byte_count(expected[i]) != expected[i].bytes.size())
      throw std::invalid_argument(fmt::format(
          "output '{}' of type {} and {} bytes cannot be compared with the expected {} and {} bytes", got[i].name,
          name_of(got[i].dtype), got[i].bytes.size(), name_of(expected[i].dtype), expected[i].bytes.size()));
}

// Compares everything; `is_right(output, index, expected, got)` decides one element.
template <class IsRight>
Judgement judge(const std::vector<Array>& expected, const std::vector<Array>& got, std::string rule,
                const IsRight& is_right) {
  check_comparable(expected, got);
  Judgement judgement;
  judgement.rule = std::move(rule);
  for (std::size_t output = 0; output < expected.size(); ++output) {
    const auto count = static_cast<std::int64_t>(element_count(expected[output]));
    WrongRegion region(expected[output]);
    with_elements(expected[output], got[output], [&](const auto* want, const auto* have) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (is_right(output, static_cast<std::size_t>(i), want[i], have[i])) continue;
        ++judgement.wrong;
        region.add(i);
        if (judgement.first.size() < kMismatchesKept)
          judgement.first.push_back({expected[output].name, i, index_of(expected[output], i), value_text(want[i]),
                                     is_untouched(have[i]) ? kNeverWritten : value_text(have[i])});
      }
    });
    judgement.compared += count;
    const std::string where = region.describe();
    if (where.empty()) continue;
    if (!judgement.region.empty()) judgement.region += "; ";
    judgement.region += expected.size() > 1 ? expected[output].name + ": " + where : where;
  }
  judgement.right = judgement.wrong == 0;
  return judgement;
}

// Position on the line of all floats of this width, so that neighbours differ by one and both zeros coincide.
std::int64_t rank_of(float value) {
  std::int32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits >= 0 ? bits : -static_cast<std::int64_t>(bits & 0x7fffffff);
}

std::int64_t rank_of(double value) {
  std::int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits >= 0 ? bits : -(bits & 0x7fffffffffffffff);
}

template <class T>
bool is_within_ulps(T want, T have, std::int64_t ulps) {
  if (same_bits(want, have)) return true;
  if (!std::isfinite(want) || !std::isfinite(have)) return false;
  const std::int64_t a = rank_of(want);
  const std::int64_t b = rank_of(have);
  // Unsigned, because the distance between doubles of opposite sign does not fit the signed type.
  const std::uint64_t distance = a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                                       : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
  return distance <= static_cast<std::uint64_t>(ulps);
}

}  // namespace

Judgement judge_exact(const std::vector<Array>& expected, const std::vector<Array>& got) {
  return judge(expected, got, "exactly equal",
               [](std::size_t, std::size_t, auto want, auto have) { return same_bits(want, have); });
}

Judgement judge_levels(const std::vector<Array>& expected, const std::vector<Array>& got, std::int64_t levels) {
  const std::string rule =
      levels == 0 ? "exactly equal" : fmt::format("at most {} level{} apart", levels, levels == 1 ? "" : "s");
  return judge(expected, got, rule, [levels](std::size_t, std::size_t, auto want, auto have) -> bool {
    using T = decltype(want);
    if constexpr (std::is_integral_v<T>) {
      const std::uint64_t distance = want > have ? static_cast<std::uint64_t>(want) - static_cast<std::uint64_t>(have)
                                                 : static_cast<std::uint64_t>(have) - static_cast<std::uint64_t>(want);
      return distance <= static_cast<std::uint64_t>(levels);
    } else {
      throw std::invalid_argument("judge_levels compares integers; use judge_ulps or judge_bound for floats");
    }
  });
}

Judgement judge_ulps(const std::vector<Array>& expected, const std::vector<Array>& got, std::int64_t ulps) {
  return judge(
      expected, got, fmt::format("at most {} ULP (unit in the last place) apart", ulps),
      [ulps](std::size_t, std::size_t, auto want, auto have) -> bool {
        using T = decltype(want);
        if constexpr (std::is_floating_point_v<T>)
          return is_within_ulps(want, have, ulps);
        else
          throw std::invalid_argument("judge_ulps compares floats; use judge_exact or judge_levels for integers");
      });
}

Judgement judge_bound(const std::vector<Array>& expected, const std::vector<Array>& got,
                      const std::function<double(std::size_t output, std::size_t index)>& bound, std::string rule) {
  return judge(expected, got, std::move(rule), [&bound](std::size_t output, std::size_t index, auto want, auto have) {
    const auto a = static_cast<double>(want);
    const auto b = static_cast<double>(have);
    if (std::isinf(a) || std::isinf(b)) return a == b;
    return std::abs(a - b) <= bound(output, index);  // false for NaN
  });
}

}  // namespace lanewise
