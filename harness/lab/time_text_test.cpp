// Times keep three digits across units, and an interval keeps the time's decimals.
#include "harness/lab/time_text.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(TimeText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(time_text(0.0021), "2.10 µs");
  EXPECT_EQ(time_text(0.0123456), "12.3 µs");
  EXPECT_EQ(time_text(0.0999), "99.9 µs");
  EXPECT_EQ(time_text(0.09996), "0.100 ms");
  EXPECT_EQ(time_text(0.5709), "0.571 ms");
  EXPECT_EQ(time_text(4.2), "4.20 ms");
  EXPECT_EQ(time_text(123.4), "123 ms");
  EXPECT_EQ(time_text(999.6), "1.00 s");
  EXPECT_EQ(time_text(2040), "2.04 s");
}

TEST(TimeText, AnIntervalHasTheDecimalsOfItsTime) {
  EXPECT_EQ(time_text({0.571, 0.567, 0.575}), "0.571 ± 0.004 ms");
  EXPECT_EQ(time_text({12.34, 12.0, 12.6}), "12.3 ± 0.3 ms");
  EXPECT_EQ(time_text({0.571, 0.57099, 0.57101}), "0.571 ± 0.001 ms") << "narrow is not nothing";
}

TEST(TimeText, RatiosHaveTwoDigitsOrMore) {
  EXPECT_EQ(ratio_text(0.982), "0.98");
  EXPECT_EQ(ratio_text(1.04), "1.0");
  EXPECT_EQ(ratio_text(1.62), "1.6");
  EXPECT_EQ(ratio_text(17.4), "17");
  EXPECT_EQ(ratio_text(2340.2), "2,340");
}

}  // namespace
}  // namespace lanewise
