// Sums of products as tensor cores compute them.
//
// Products are exact. They and the accumulator are aligned to the largest exponent among them, that of a product being
// the sum of its factors', and cut off below a few bits more than a float has; the sum of these is exact and is cut off
// to the result, or rounded to the nearest f16. So many products at a time; an instruction with more takes several such
// steps. How many, and how many bits, depends on the architecture:
//   - Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021: Volta, Turing, Ampere.
//   - Xie, Wang, Yang, Yang, "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix Cores", 2025: all.
// For Hopper it gives every bit of what an H200 gave, 2026-11-29: programs/tensor_probe.expected, 303,712 sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "harness/vgpu/machine/matrix_operation.h"

namespace vgpu {
namespace {

/// How an architecture adds the products of one type.
struct TensorSums {
  std::uint32_t together;  ///< products in a step
  int fraction_bits;       ///< that are kept, counted from the largest exponent
  int result_bits = 23;    ///< of the fraction of an f32
  bool is_by_f16 = false;  ///< converts the operands to f16 first, and adds the accumulator last
};

inline TensorSums tensor_sums_of(MatrixType type, std::uint32_t device) {
  constexpr std::uint32_t kTuring = 75, kAmpere = 80, kHopper = 90;
  const bool is_byte = type == MatrixType::kE4M3 || type == MatrixType::kE5M2;
  const bool is_wide = type == MatrixType::kTF32;
  if (device >= kHopper) return is_byte ? TensorSums{16, 25, 23, true} : TensorSums{is_wide ? 8u : 16u, 25};
  if (device >= kAmpere) return is_byte ? TensorSums{16, 13, 13} : TensorSums{is_wide ? 4u : 8u, 24};
  return device >= kTuring ? TensorSums{8, 24} : TensorSums{4, 23};
}

/// A floating-point format, and where its numbers stop being finite.
struct NumberFormat {
  int exponent_bits, fraction_bits;
  int dropped_bits = 0;  ///< of a register, below the fraction
  bool has_infinity = true;
};

inline NumberFormat format_of(MatrixType type) {
  switch (type) {
    case MatrixType::kF16:
      return {5, 10};
    case MatrixType::kBF16:
      return {8, 7};
    case MatrixType::kTF32:
      return {8, 10, 13};
    case MatrixType::kE4M3:
      return {4, 3, 0, false};
    case MatrixType::kE5M2:
      return {5, 2};
    default:
      return {8, 23};
  }
}

enum class NumberKind : std::uint8_t { kFinite, kInfinite, kNan };

/// significand * 2^(exponent - fraction bits)
struct Number {
  std::int32_t significand;  ///< with its sign
  std::int32_t exponent;
  NumberKind kind;
};

/// Zeros have an exponent below all others, so that what they are multiplied by does not matter.
constexpr std::int32_t kExponentOfZero = -4096;

inline Number number_of(std::uint32_t bits, const NumberFormat& f) {
  bits >>= f.dropped_bits;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const auto fraction = static_cast<std::int32_t>(bits & ((1u << f.fraction_bits) - 1));
  const int biased = static_cast<int>(bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  const bool is_negative = (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
  const int top = (1 << f.exponent_bits) - 1;
  Number n{fraction, biased == 0 ? 1 - bias : biased - bias, NumberKind::kFinite};
  if (biased != 0) n.significand |= 1 << f.fraction_bits;
  if (f.has_infinity ? biased == top : biased == top && fraction == (1 << f.fraction_bits) - 1)
    n.kind = f.has_infinity && fraction == 0 ? NumberKind::kInfinite : NumberKind::kNan;
  if (n.significand == 0) n.exponent = kExponentOfZero;
  if (is_negative) n.significand = -n.significand;
  return n;
}

inline std::uint32_t bits_of_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

constexpr std::uint32_t kNanOfF32 = 0x7FFFFFFF, kNanOfF16 = 0x7FFF, kInfinityOfF32 = 0x7F800000,
                        kSignOfF32 = 0x80000000;

/// sum * 2^exponent, cut off; what becomes zero is positive.
inline std::uint32_t cut_off(std::int64_t sum, int exponent) {
  if (sum == 0) return 0;
  const auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const std::uint32_t sign = sum < 0 ? kSignOfF32 : 0;
  constexpr int kLowest = -126, kHighest = 127, kFraction = 23;
  const int top = 63 - __builtin_clzll(magnitude) + exponent;
  if (top > kHighest) return sign | kInfinityOfF32;
  const int down = std::max(top, kLowest) - kFraction - exponent;  // to the last place of the result
  const std::uint64_t kept = down > 63 ? 0 : down >= 0 ? magnitude >> down : magnitude << -down;
  if (kept == 0) return 0;
  if (top < kLowest) return sign | static_cast<std::uint32_t>(kept);
  return sign | static_cast<std::uint32_t>(top + kHighest) << kFraction | (static_cast<std::uint32_t>(kept) & 0x7FFFFF);
}

/// The nearest f16 of an f32 that is not NaN; what becomes zero is positive.
inline std::uint32_t nearest_f16(std::uint32_t bits) {
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & ~kSignOfF32;
  constexpr std::uint32_t kInfinity = 0x7C00, kTooLarge = 0x477FF000;  // 65520 and above
  if (magnitude >= kTooLarge) return sign | kInfinity;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  constexpr int kLowest = -14;
  const std::uint32_t significand = exponent == -127 ? 0 : (magnitude & 0x7FFFFF) | 0x800000;
  const int down = 13 + std::max(0, kLowest - exponent);
  if (down > 24) return 0;
  std::uint32_t kept = significand >> down;
  const std::uint32_t rest = significand & ((1u << down) - 1), half = 1u << (down - 1);
  kept += rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  if (exponent >= kLowest) kept += static_cast<std::uint32_t>(exponent - kLowest) << 10;  // a carry goes on upwards
  return kept == 0 ? 0 : sign | kept;
}

/// Lines along k of a matrix: rows of A or columns of B, decoded.
struct NumberLines {
  static constexpr std::uint32_t kMost = 32 * 32;
  alignas(64) std::int32_t significand[kMost];
  alignas(64) std::int32_t exponent[kMost];
  std::uint8_t is_special[32];  ///< a line that has infinities or NaNs
  NumberKind kind[kMost];

  /// `order`: where the elements of a line are, in the order in which they are added.
  /// `to_f16`: converted to it first, where no e4m3 is subnormal.
  void decode(const std::uint32_t* bits, std::uint32_t lines, std::uint32_t k, MatrixType type,
              const std::uint8_t* order, bool to_f16) {
    const NumberFormat format = format_of(type);
    for (std::uint32_t line = 0; line < lines; ++line) {
      is_special[line] = 0;
      for (std::uint32_t at = 0; at < k; ++at) {
        Number n = number_of(bits[line * k + order[at]], format);
        const std::uint32_t here = line * k + at;
        const std::int32_t whole = 1 << format.fraction_bits;
        while (to_f16 && type == MatrixType::kE4M3 && n.significand != 0 && std::abs(n.significand) < whole) {
          n.significand *= 2;
          --n.exponent;
        }
        significand[here] = n.significand;
        exponent[here] = n.exponent;
        kind[here] = n.kind;
        is_special[line] |= static_cast<std::uint8_t>(n.kind != NumberKind::kFinite);
      }
    }
  }
};

/// One line of A and one of B.
struct LinePair {
  const NumberLines& a;
  const NumberLines& b;
  std::uint32_t a_at, b_at;
  bool is_special;
};

/// A step: `count` products and an accumulator of that format, to f32.
inline std::uint32_t sum_of_products(const TensorSums& how, const LinePair& lines, std::uint32_t from,
                                     std::uint32_t count, int product_bits, const Number& c, int c_bits) {
  const std::int32_t *a = lines.a.significand + lines.a_at + from, *b = lines.b.significand + lines.b_at + from;
  const std::int32_t *a_exponent = lines.a.exponent + lines.a_at + from,
                     *b_exponent = lines.b.exponent + lines.b_at + from;
  if (__builtin_expect(lines.is_special || c.kind != NumberKind::kFinite, 0)) {
    bool is_nan = c.kind == NumberKind::kNan, is_up = false, is_down = false;
    const auto add = [&](bool is_negative) { (is_negative ? is_down : is_up) = true; };
    if (c.kind == NumberKind::kInfinite) add(c.significand < 0);
    for (std::uint32_t k = 0; k < count; ++k) {
      const NumberKind x = lines.a.kind[lines.a_at + from + k], y = lines.b.kind[lines.b_at + from + k];
      if (x == NumberKind::kFinite && y == NumberKind::kFinite) continue;
      if (x == NumberKind::kNan || y == NumberKind::kNan || a[k] == 0 || b[k] == 0)
        is_nan = true;
      else
        add((a[k] < 0) != (b[k] < 0));
    }
    if (is_nan || (is_up && is_down)) return kNanOfF32;
    if (is_up || is_down) return is_down ? kSignOfF32 | kInfinityOfF32 : kInfinityOfF32;
  }
  std::int32_t highest = c.exponent;
  for (std::uint32_t k = 0; k < count; ++k) highest = std::max(highest, a_exponent[k] + b_exponent[k]);
  const int up = how.fraction_bits - product_bits;
  std::int32_t products = 0;  // 16 of less than 2^27 each
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::int32_t product = a[k] * b[k], sign = product >> 31;
    const std::int32_t down = std::min(highest - (a_exponent[k] + b_exponent[k]), 31);
    products += (((((product ^ sign) - sign) << up) >> down) ^ sign) - sign;
  }
  const std::int64_t magnitude = c.significand < 0 ? -std::int64_t{c.significand} : c.significand;
  const int down = highest - c.exponent - (how.fraction_bits - c_bits);
  const std::int64_t aligned = down > 63 ? 0 : down >= 0 ? magnitude >> down : magnitude << -down;
  const std::uint32_t sum = cut_off(products + (c.significand < 0 ? -aligned : aligned), highest - how.fraction_bits);
  return sum >> (23 - how.result_bits) << (23 - how.result_bits);
}

/// D = A * B + C of floating-point numbers of at most 32 bits. A and C row after row, B column after column.
inline void multiply_floats(const MatrixProduct& p, const std::uint32_t* a, const std::uint32_t* b,
                            const std::uint32_t* c, std::uint32_t* d) {
  TensorSums how = tensor_sums_of(p.a, p.device);
  how.together = std::min(how.together, p.together);
  std::uint8_t order[32];
  for (std::uint32_t k = 0; k < p.k; ++k) {
    // Converted, four bytes of a register become two registers: the first ones of all are added first.
    const std::uint32_t n = k % 16, pair = k / 16;
    order[k] = static_cast<std::uint8_t>(how.is_by_f16 ? n / 2 * 4 + pair * 2 + n % 2 : k);
  }
  NumberLines rows, columns;
  rows.decode(a, p.m, p.k, p.a, order, how.is_by_f16);
  columns.decode(b, p.n, p.k, p.b, order, how.is_by_f16);
  const int product_bits = format_of(p.a).fraction_bits + format_of(p.b).fraction_bits;
  const NumberFormat sums = format_of(MatrixType::kF32);
  for (std::uint32_t row = 0; row < p.m; ++row)
    for (std::uint32_t column = 0; column < p.n; ++column) {
      const LinePair lines{rows, columns, row * p.k, column * p.k,
                           (rows.is_special[row] | columns.is_special[column]) != 0};
      const std::uint32_t before = c[row * p.n + column];
      NumberFormat format = how.is_by_f16 ? sums : format_of(p.c);
      std::uint32_t sum = how.is_by_f16 ? 0 : before;
      for (std::uint32_t k = 0; k < p.k; k += how.together) {
        sum = sum_of_products(how, lines, k, std::min(how.together, p.k - k), product_bits, number_of(sum, format),
                              format.fraction_bits);
        if (p.d == MatrixType::kF16) sum = sum == kNanOfF32 ? kNanOfF16 : nearest_f16(sum);
        format = format_of(p.d);
      }
      if (how.is_by_f16) {
        float products, accumulator;
        std::memcpy(&products, &sum, sizeof products);
        std::memcpy(&accumulator, &before, sizeof accumulator);
        const float all = products + accumulator;
        sum = std::isnan(all) ? kNanOfF32 : bits_of_float(all);
      }
      d[row * p.n + column] = sum;
    }
}

/// Of doubles: one fused multiply-add after the other, along k. A NaN that is found stays, quietened: that of B
/// first, then the accumulator's, then that of A.
inline std::uint64_t add_product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  constexpr std::uint64_t kQuiet = 0x0008000000000000, kNan = 0xFFF8000000000000;
  double x, y, z;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  std::memcpy(&z, &c, sizeof z);
  if (std::isnan(y)) return b | kQuiet;
  if (std::isnan(z)) return c | kQuiet;
  if (std::isnan(x)) return a | kQuiet;
  const double sum = std::fma(x, y, z);
  if (std::isnan(sum)) return kNan;
  std::uint64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  return bits;
}

inline void multiply_doubles(const MatrixProduct& p, const std::uint64_t* a, const std::uint64_t* b,
                             const std::uint64_t* c, std::uint64_t* d) {
  for (std::uint32_t row = 0; row < p.m; ++row)
    for (std::uint32_t column = 0; column < p.n; ++column) {
      std::uint64_t sum = c[row * p.n + column];
      for (std::uint32_t k = 0; k < p.k; ++k) sum = add_product(a[row * p.k + k], b[column * p.k + k], sum);
      d[row * p.n + column] = sum;
    }
}

/// Of integers and of single bits, 32 of which are an element here.
inline void multiply_integers(const MatrixProduct& p, const std::uint32_t* a, const std::uint32_t* b,
                              const std::uint32_t* c, std::uint32_t* d) {
  const std::uint32_t k_end = p.a == MatrixType::kB1 ? p.k / 32 : p.k;
  const auto widened = [](std::uint32_t bits, MatrixType type) {
    const bool is_signed = type == MatrixType::kS8 || type == MatrixType::kS4;
    const std::uint32_t sign = 1u << (bits_of(type) - 1);
    return is_signed ? static_cast<std::int32_t>((bits ^ sign) - sign) : static_cast<std::int32_t>(bits);
  };
  for (std::uint32_t row = 0; row < p.m; ++row)
    for (std::uint32_t column = 0; column < p.n; ++column) {
      std::int64_t sum = static_cast<std::int32_t>(c[row * p.n + column]);
      for (std::uint32_t k = 0; k < k_end; ++k) {
        const std::uint32_t x = a[row * k_end + k], y = b[column * k_end + k];
        sum +=
            p.a == MatrixType::kB1 ? __builtin_popcount(p.is_and ? x & y : x ^ y) : widened(x, p.a) * widened(y, p.b);
      }
      if (p.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      d[row * p.n + column] = static_cast<std::uint32_t>(sum);
    }
}

}  // namespace
}  // namespace vgpu
