// cvt into and out of pairs of 8-bit floats, e4m3 and e5m2, against a search through all of their numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;

struct ByteFormat {
  const char* name;
  int mantissa_bits, bias;
  unsigned greatest;  ///< the code of the greatest number
  bool has_infinity;
};
constexpr ByteFormat kFormats[] = {{"e4m3x2", 3, 7, 0x7E, false}, {"e5m2x2", 2, 15, 0x7B, true}};

/// Of a finite number that is not negative.
double value_of(const ByteFormat& f, unsigned code) {
  const unsigned mantissa = code & ((1u << f.mantissa_bits) - 1), exponent = code >> f.mantissa_bits;
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - f.bias - f.mantissa_bits;
  return std::ldexp(exponent == 0 ? mantissa : mantissa + (1u << f.mantissa_bits), scale);
}

/// The code whose number is nearest; of two, the even one. Too large a number becomes the greatest.
unsigned nearest(const ByteFormat& f, double value, bool relu) {
  if (std::isnan(value)) return 0x7F;
  if (relu && std::signbit(value)) return 0;
  const double magnitude = std::fabs(value);
  unsigned best = 0;
  for (unsigned code = 1; code <= f.greatest; ++code) {
    const double now = std::fabs(value_of(f, code) - magnitude), before = std::fabs(value_of(f, best) - magnitude);
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  if (magnitude > value_of(f, f.greatest)) best = f.greatest;
  return best | (std::signbit(value) ? 0x80u : 0);
}

/// All numbers of a format, what lies half way between them, and the floats next to all of these.
std::vector<float> floats_around(const ByteFormat& f) {
  std::vector<float> floats = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 1e30f,
                               1e-30f};
  for (unsigned code = 0; code <= f.greatest; ++code) {
    const double here = value_of(f, code), next = code == f.greatest ? here * 1.0625 : value_of(f, code + 1);
    for (const double middle : {here, (here + next) / 2})
      for (const float to : {0.0f, 1e30f}) {
        floats.push_back(static_cast<float>(middle));
        floats.push_back(std::nextafter(static_cast<float>(middle), to));
      }
  }
  return floats;
}

TEST(ByteFloatConversion, RoundsFloatsToTheNearestNumber) {
  for (const ByteFormat& f : kFormats) {
    const std::vector<float> floats = floats_around(f);
    std::vector<std::tuple<float, float>> pairs;
    for (std::size_t n = 0; n < floats.size(); ++n) pairs.emplace_back(floats[n], -floats[(7 * n + 3) % floats.size()]);
    for (const bool relu : {false, true})
      check(std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + f.name + ".f32 %d, %a, %b;", pairs,
            [=](float upper, float lower) {
              return static_cast<U16>(nearest(f, static_cast<double>(upper), relu) << 8 |
                                      nearest(f, static_cast<double>(lower), relu));
            });
  }
}

/// Of a binary16.
double value_of_half(unsigned half) {
  const unsigned mantissa = half & 0x3FF, exponent = half >> 10 & 31;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31)
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return sign *
         (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, static_cast<int>(exponent) - 25));
}

TEST(ByteFloatConversion, RoundsHalvesToTheNearestNumber) {
  for (const ByteFormat& f : kFormats) {
    std::vector<std::tuple<U32>> pairs;
    for (U32 half = 0; half < 0x10000; half += 37) pairs.emplace_back(half << 16 | ((half * 5 + 0x7C00) & 0xFFFF));
    check(std::string("cvt.rn.satfinite.") + f.name + ".f16x2 %d, %a;", pairs, [=](U32 pair) {
      return static_cast<U16>(nearest(f, value_of_half(pair >> 16), false) << 8 |
                              nearest(f, value_of_half(pair & 0xFFFF), false));
    });
  }
}

TEST(ByteFloatConversion, WidensEveryNumberExactly) {
  for (const ByteFormat& f : kFormats) {
    std::vector<std::tuple<U16>> pairs;
    for (unsigned code = 0; code < 256; ++code) pairs.emplace_back(static_cast<U16>(code << 8 | (255 - code)));
    const auto is_right = [=](unsigned code, unsigned half) {
      const unsigned magnitude = code & 0x7F;
      if (magnitude > f.greatest)
        return half == (f.has_infinity && magnitude == f.greatest + 1 ? 0x7C00 | (code & 0x80) << 8 : 0x7FFFu);
      return value_of_half(half & 0x7FFF) == value_of(f, magnitude) && (half >> 15 != 0) == (code > 0x7F);
    };
    const Snippet snippet{
        std::string("cvt.rn.f16x2.") + f.name + " %d, %a;", {RegisterKind::k32}, {RegisterKind::k16}, {}};
    std::vector<Row> rows;
    for (const auto& [pair] : pairs) rows.push_back({pair});
    for (const SnippetRun& run : run_in_all_ways(snippet, rows))
      for (std::size_t n = 0; n < run.results.size(); ++n) {
        if (!run.took_part[n]) continue;
        const auto pair = static_cast<unsigned>(rows[run.row_of[n]][0]),
                   halves = static_cast<unsigned>(run.results[n][0]);
        EXPECT_TRUE(is_right(pair & 0xFF, halves & 0xFFFF) && is_right(pair >> 8, halves >> 16))
            << f.name << " " << std::hex << pair << " gives " << halves;
      }
  }
}

}  // namespace
}  // namespace vgpu::test
