// Values at which arithmetic goes wrong first, and tables made of all their combinations.
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "harness/vgpu/machine/testing/operands.h"

namespace vgpu::test {

/// The same numbers in every run, for rows that nobody thought of (splitmix64, Steele et al. 2014).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

/// Zero, one, the ends of the range, powers of two and their neighbours, shift amounts around the widths.
template <class T>
std::vector<T> edge_values() {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0,
                        1,
                        2,
                        3,
                        7,
                        8,
                        10,
                        31,
                        32,
                        33,
                        63,
                        64,
                        100,
                        Limits::max(),
                        static_cast<T>(Limits::max() - 1),
                        Limits::min(),
                        static_cast<T>(Limits::min() + 1),
                        static_cast<T>(-1),
                        static_cast<T>(-2),
                        static_cast<T>(-7),
                        static_cast<T>(Limits::max() / 2),
                        static_cast<T>(Limits::max() / 2 + 1)};
  if constexpr (sizeof(T) >= 2)
    values.insert(values.end(), {static_cast<T>(0xFF), static_cast<T>(0x100), static_cast<T>(-129)});
  if constexpr (sizeof(T) >= 4)
    values.insert(values.end(), {static_cast<T>(0xFFFF), static_cast<T>(0x10000), static_cast<T>(0xA5A5A5A5u),
                                 static_cast<T>(0x00FFFFFF), static_cast<T>(0x01000000), static_cast<T>(-32769)});
  if constexpr (sizeof(T) == 8)
    values.insert(values.end(), {static_cast<T>(0xFFFFFFFFull), static_cast<T>(0x100000000ull),
                                 static_cast<T>(0x80000000ull), static_cast<T>(0x001FFFFFFFFFFFFFull),
                                 static_cast<T>(0x0123456789ABCDEFull), static_cast<T>(-4294967297ll)});
  return values;
}

template <>
inline std::vector<bool> edge_values<bool>() {
  return {false, true};
}

/// Both zeros, subnormals, the ends of the normal range, numbers around the ends of the integer types, ties for
/// rounding, infinities, quiet and signalling NaNs with payloads.
template <>
inline std::vector<float> edge_values<float>() {
  std::vector<float> values;
  for (const std::uint32_t bits :
       {0x00000000u, 0x00000001u, 0x00000003u, 0x007FFFFFu, 0x00800000u, 0x00800001u, 0x33800000u, 0x3EFFFFFFu,
        0x3F000000u, 0x3F7FFFFFu, 0x3F800000u, 0x3F800001u, 0x3FC00000u, 0x40200000u, 0x40490FDBu, 0x42FE0000u,
        0x437F8000u, 0x46FFFE00u, 0x4B7FFFFFu, 0x4EFFFFFFu, 0x4F000000u, 0x4F800000u, 0x5EFFFFFFu, 0x5F000000u,
        0x5F800000u, 0x7E800000u, 0x7F7FFFFFu, 0x7F800000u, 0x7FC00000u, 0x7FC12345u, 0x7F812345u}) {
    values.push_back(bits_to<float>(bits));
    values.push_back(bits_to<float>(bits | 0x80000000u));
  }
  return values;
}

template <>
inline std::vector<double> edge_values<double>() {
  std::vector<double> values;
  for (const std::uint64_t bits :
       {0x0000000000000000ull, 0x0000000000000001ull, 0x000FFFFFFFFFFFFFull, 0x0010000000000000ull,
        0x0010000000000001ull, 0x3690000000000000ull, 0x3690000000000001ull, 0x36A0000000000000ull,
        0x380FFFFFE0000000ull, 0x380FFFFFF0000001ull, 0x3810000000000000ull, 0x3E6FFFFFFFFFFFFFull,
        0x3FDFFFFFFFFFFFFFull, 0x3FE0000000000000ull, 0x3FEFFFFFFFFFFFFFull, 0x3FF0000000000000ull,
        0x3FF0000000000001ull, 0x3FF0000010000000ull, 0x3FF0000030000000ull, 0x3FF8000000000000ull,
        0x4004000000000000ull, 0x400921FB54442D18ull, 0x405FC00000000000ull, 0x406FF00000000000ull,
        0x40DFFFC000000000ull, 0x40EFFFE000000000ull, 0x41DFFFFFFFC00000ull, 0x41DFFFFFFFE00000ull,
        0x41E0000000000000ull, 0x41EFFFFFFFF00000ull, 0x41F0000000000000ull, 0x43DFFFFFFFFFFFFFull,
        0x43E0000000000000ull, 0x43EFFFFFFFFFFFFFull, 0x43F0000000000000ull, 0x47EFFFFFE0000000ull,
        0x47EFFFFFF0000000ull, 0x47F0000000000000ull, 0x7FEFFFFFFFFFFFFFull, 0x7FF0000000000000ull,
        0x7FF8000000000000ull, 0x7FF8000000012345ull, 0x7FF0000000054321ull, 0x7FFABCDE87654321ull}) {
    values.push_back(bits_to<double>(bits));
    values.push_back(bits_to<double>(bits | 0x8000000000000000ull));
  }
  return values;
}

namespace detail {

template <class T>
T random_value(Numbers& numbers) {
  const std::uint64_t bits = numbers.next();
  if constexpr (std::is_same_v<T, bool>)
    return (bits & 1) != 0;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits >> (numbers.next() % (8 * sizeof(T))));
  else if constexpr (sizeof(T) == 4)
    return bits_to<float>(static_cast<std::uint32_t>(bits));
  else
    return bits_to<double>(bits);
}

/// Every `step`-th of the edge values.
template <class T>
std::vector<T> thinned(std::size_t at_most) {
  const std::vector<T> all = edge_values<T>();
  std::vector<T> kept;
  const std::size_t step = (all.size() + at_most - 1) / at_most;
  for (std::size_t i = 0; i < all.size(); i += step) kept.push_back(all[i]);
  return kept;
}

template <class Row, std::size_t I, class... Values>
void combine(std::vector<Row>& rows, Row& row, const std::tuple<std::vector<Values>...>& values) {
  if constexpr (I == sizeof...(Values)) {
    rows.push_back(row);
  } else {
    for (const auto value : std::get<I>(values)) {
      std::get<I>(row) = value;
      combine<Row, I + 1>(rows, row, values);
    }
  }
}

}  // namespace detail

/// All combinations of the given values.
template <class... T>
std::vector<std::tuple<T...>> all_combinations(const std::vector<T>&... values) {
  std::vector<std::tuple<T...>> rows;
  std::tuple<T...> row;
  detail::combine<std::tuple<T...>, 0>(rows, row, std::make_tuple(values...));
  return rows;
}

/// Edge values of every operand in all combinations (thinned out from three operands on), and some random rows.
template <class... T>
std::vector<std::tuple<T...>> edge_rows() {
  constexpr std::size_t kMost = sizeof...(T) <= 2 ? 1000 : sizeof...(T) == 3 ? 22 : 9;
  std::vector<std::tuple<T...>> rows = all_combinations(detail::thinned<T>(kMost)...);
  Numbers numbers(2026);
  for (int i = 0; i < 500; ++i) rows.push_back(std::tuple<T...>{detail::random_value<T>(numbers)...});
  return rows;
}

}  // namespace vgpu::test
