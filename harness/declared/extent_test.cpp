// What lab.toml writes for an extent.
#include "harness/declared/extent.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace lanewise {
namespace {

Problem problem() {
  Problem problem;
  problem.scalars = {{"m", std::int64_t{20}}, {"n", std::int64_t{3}}, {"top", INT64_MAX}, {"x", 0.5}};
  return problem;
}

TEST(Extent, IsANumberANameOrASumOfThem) {
  EXPECT_EQ(extent_of("7", problem()), 7);
  EXPECT_EQ(extent_of("m", problem()), 20);
  EXPECT_EQ(extent_of("m + n", problem()), 23);
  EXPECT_EQ(extent_of("m-n+1", problem()), 18);
  EXPECT_EQ(extent_of("n - m", problem()), -17);
}

TEST(Extent, HasNoOtherForm) {
  for (const char* const extent : {"", " ", "m n", "m *n", "m +", "- m", "+1", "(m)", "2m", "m + + n", "1.5"})
    EXPECT_TRUE(terms_of(extent).empty()) << extent;
}

TEST(Extent, WhatHasNoValueIsRefused) {
  for (const char* const extent : {"top + 1", "k", "x", "99999999999999999999"})
    EXPECT_THROW(extent_of(extent, problem()), std::invalid_argument) << extent;
}

}  // namespace
}  // namespace lanewise
