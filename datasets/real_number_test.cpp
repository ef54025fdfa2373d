// Every way of writing a number, and the border between too small and too large.
#include "datasets/real_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace lanewise {
namespace {

float value(const std::string& word) {
  const auto parsed = real_number(word);
  const auto* real = std::get_if<float>(&parsed);
  if (real == nullptr) ADD_FAILURE() << word;
  return real == nullptr ? std::numeric_limits<float>::quiet_NaN() : *real;
}

bool fails(const std::string& word, NumberFault fault) {
  const auto parsed = real_number(word);
  const auto* found = std::get_if<NumberFault>(&parsed);
  return found != nullptr && *found == fault;
}

TEST(RealNumber, AllNotationsGiveTheSame) {
  for (const char* word : {"1.5", "+1.5", "1.50", "0.15e1", "15E-1", "15.e-1", ".15E+01", "0x1.8", "0X1.8p0", "0xCp-3",
                           "1.5D0", "15d-1", "0.15D+01", "000001.5"})
    EXPECT_EQ(value(word), 1.5f) << word;
  EXPECT_EQ(value("-5."), -5.0f);
  EXPECT_EQ(value("-.5"), -0.5f);
  EXPECT_EQ(value("-0x1p-1"), -0.5f);
  EXPECT_TRUE(std::signbit(value("-0")));
}

TEST(RealNumber, RoundsToTheNearestFloat) {
  EXPECT_EQ(value("16777217"), 16777216.0f);
  EXPECT_EQ(value("0.1"), 0.1f);
  EXPECT_EQ(value("1.00000017881393432617187499"), 1.00000011920928955078125f);
  EXPECT_EQ(value("1.00000017881393432617187501"), 1.0000002384185791015625f);
  EXPECT_EQ(value("-564.2036607119013"), -564.2036607119013f);
}

TEST(RealNumber, WhatIsTooSmallIsZeroAndWhatIsTooLargeIsNot) {
  EXPECT_EQ(value("1e-46"), 0.0f);
  EXPECT_EQ(value("-1e-400"), 0.0f);
  EXPECT_EQ(value("1e-99999999999999999999"), 0.0f);
  EXPECT_EQ(value("1e-9223372036854775808"), 0.0f);
  EXPECT_EQ(value("0." + std::string(400, '0') + "1"), 0.0f);
  EXPECT_EQ(value("0x1p-2000"), 0.0f);
  EXPECT_EQ(value("0e999999"), 0.0f);
  EXPECT_EQ(value("1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(value("3.4028235e38"), std::numeric_limits<float>::max());
  for (const std::string& word :
       {std::string("3.5e38"), std::string("-1e39"), std::string("1e400"), std::string("1e9223372036854775807"),
        std::string("1e99999999999999999999"), std::string(400, '9'), std::string("0x1p128"), std::string("0x1p5000")})
    EXPECT_TRUE(fails(word, NumberFault::kTooLarge)) << word;
}

TEST(RealNumber, WhatIsNoNumber) {
  for (const char* word : {"",   "+",    "-",   ".",     "--1", "+-1",   "-+1", "1,5", "1.5f",  "1e",    "1e+",
                           "0x", "0x-1", "0xg", "1_000", "one", "1.5.2", "1d",  "d1",  "1e5d2", "-0x-1", "0x0x1"})
    EXPECT_TRUE(fails(word, NumberFault::kNoNumber)) << word;
}

TEST(RealNumber, InfinityAndNanAreReadAsSuch) {
  EXPECT_TRUE(std::isinf(value("inf")));
  EXPECT_TRUE(std::isinf(value("-Infinity")));
  EXPECT_TRUE(std::isnan(value("NaN")));
}

}  // namespace
}  // namespace lanewise
