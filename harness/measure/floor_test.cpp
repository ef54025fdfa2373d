// Times no device can reach are refused, and times that a very good kernel reaches are not.
#include "harness/measure/floor.h"

#include <gtest/gtest.h>

namespace lanewise::measure {
namespace {

const MemoryAndCores kH200{3201, 6144, 16896, 1980};

TEST(Floor, PeaksOfAnH200AreThoseOfItsDataSheet) {
  const Peaks peaks = peaks_of(kH200, 4.1e12);
  EXPECT_NEAR(peaks.bytes_per_second, 4.9e12, 0.1e12);
  EXPECT_NEAR(peaks.flops_per_second, 6 * 66.9e12, 1e12);
}

TEST(Floor, CopyStandsInForADeviceThatDoesNotTell) {
  EXPECT_DOUBLE_EQ(peaks_of({}, 1e12).bytes_per_second, 1.4e12);
  EXPECT_EQ(peaks_of({}, 1e12).flops_per_second, 0);
}

TEST(Floor, MemoryBoundTimeAtNineTenthsOfThePeakStands) {
  const LeastWork work{3e9, 1e9, 0};
  const Peaks peaks = peaks_of(kH200, 0);
  EXPECT_EQ(below_floor(3e9 / (0.93 * peaks.bytes_per_second), work, peaks), "");
}

TEST(Floor, ResultsMayStayInTheCache) {
  const Peaks peaks{1e12, 0};
  EXPECT_DOUBLE_EQ(floor_of({3e9, 1e8, 0}, peaks), 2.9e-3);
  EXPECT_DOUBLE_EQ(floor_of({3e9, 1e9, 0}, peaks), (3e9 - 128.0 * 1048576) / 1e12);
}

TEST(Floor, TimeOfHalfTheWorkIsRefusedWithBothTimes) {
  const std::string sentence = below_floor(0.3e-3, {3e9, 0, 0}, {4.8e12, 0});
  EXPECT_EQ(sentence.find("0.300 ms is less than the 0.625 ms that this device needs to move the required 3000.0 MB"),
            0U)
      << sentence;
}

TEST(Floor, ArithmeticHasAFloorToo) {
  const std::string sentence = below_floor(1e-3, {1e6, 0, 1e12}, peaks_of(kH200, 0));
  EXPECT_NE(sentence.find("1000.0 billion operations"), std::string::npos) << sentence;
  EXPECT_EQ(below_floor(16e-3, {1e6, 0, 1e12}, peaks_of(kH200, 0)), "");
}

TEST(Floor, WithoutPeaksOrWorkNothingIsRefused) {
  EXPECT_EQ(below_floor(1e-9, {3e9, 0, 1e12}, {}), "");
  EXPECT_EQ(below_floor(1e-9, {}, peaks_of(kH200, 4e12)), "");
}

}  // namespace
}  // namespace lanewise::measure
