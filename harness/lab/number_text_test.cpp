// Where the commas go.
#include "harness/lab/number_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace lanewise {
namespace {

TEST(NumberText, CommasPartGroupsOfThree) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-999), "-999");
  EXPECT_EQ(with_commas(-1234567), "-1,234,567");
  EXPECT_EQ(with_commas(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace lanewise
