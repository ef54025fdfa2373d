// What each comparison lets through and what it does not.
#include "harness/lab/judgement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace lanewise {
namespace {

template <class T>
std::vector<Array> output(const std::vector<T>& values) {
  Array array = make_array<T>("out", {static_cast<std::int64_t>(values.size())});
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), values.size() * sizeof(T));
  return {array};
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(JudgeExact, CountsEveryMismatchAndKeepsTheFirst) {
  std::vector<std::int32_t> want(100, 1);
  std::vector<std::int32_t> have(100, 1);
  for (int i = 90; i < 100; ++i) have[static_cast<std::size_t>(i)] = 2;
  const Judgement judgement = judge_exact(output(want), output(have));
  EXPECT_FALSE(judgement.right);
  EXPECT_EQ(judgement.compared, 100);
  EXPECT_EQ(judgement.wrong, 10);
  ASSERT_EQ(judgement.first.size(), kMismatchesKept);
  EXPECT_EQ(judgement.first[0].flat_index, 90);
  EXPECT_EQ(judgement.first[0].expected, "1");
  EXPECT_EQ(judgement.first[0].got, "2");
  EXPECT_EQ(judgement.region, "from 90 to the end");
}

TEST(JudgeExact, NothingToCompareIsRight) { EXPECT_TRUE(judge_exact(output<float>({}), output<float>({})).right); }

TEST(JudgeExact, IndexHasOneEntryADimension) {
  Array want = make_array<std::uint8_t>("out", {3, 4});
  Array have = want;
  have.bytes[6] = std::byte{9};
  const Judgement judgement = judge_exact({want}, {have});
  ASSERT_EQ(judgement.first.size(), 1U);
  EXPECT_EQ(judgement.first[0].index, (std::vector<std::int64_t>{1, 2}));
}

TEST(JudgeExact, PoisonReadsAsNeverWritten) {
  Array want = make_array<float>("out", {2});
  Array have = want;
  std::memset(have.bytes.data() + 4, std::to_integer<int>(kPoison), 4);
  EXPECT_EQ(judge_exact({want}, {have}).first.at(0).got, kNeverWritten);
}

TEST(JudgeExact, OnePoisonByteIsAnOrdinaryValue) {
  EXPECT_EQ(judge_exact(output<std::uint8_t>({1}), output<std::uint8_t>({0xA5})).first.at(0).got, "165");
}

TEST(JudgeExact, SeveralOutputsAreNamedInTheRegion) {
  Array a = make_array<std::int32_t>("keys", {2});
  Array b = make_array<std::int32_t>("counts", {2});
  Array wrong = b;
  elements<std::int32_t>(wrong)[1] = 5;
  EXPECT_EQ(judge_exact({a, b}, {a, wrong}).region, "counts: the last element");
}

TEST(JudgeExact, DifferentSizesAreAMistakeOfTheLab) {
  EXPECT_THROW(judge_exact(output<float>({1}), output<float>({1, 2})), std::invalid_argument);
  EXPECT_THROW(judge_exact(output<float>({1}), output<std::int32_t>({1})), std::invalid_argument);
}

TEST(JudgeLevels, OneLevelPassesTwoDoNot) {
  EXPECT_TRUE(judge_levels(output<std::uint8_t>({0, 255}), output<std::uint8_t>({1, 254}), 1).right);
  EXPECT_FALSE(judge_levels(output<std::uint8_t>({0}), output<std::uint8_t>({2}), 1).right);
}

TEST(JudgeLevels, ExtremesDoNotWrapAround) {
  EXPECT_FALSE(judge_levels(output<std::uint8_t>({0}), output<std::uint8_t>({255}), 1).right);
  const auto low = std::numeric_limits<std::int64_t>::min();
  const auto high = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(judge_levels(output<std::int64_t>({low}), output<std::int64_t>({high}), 1).right);
}

TEST(JudgeLevels, FloatsAreAMistakeOfTheLab) {
  EXPECT_THROW(judge_levels(output<float>({1}), output<float>({1}), 1), std::invalid_argument);
}

TEST(JudgeUlps, NeighbouringFloatIsOneApart) {
  const float next = std::nextafter(1.0F, 2.0F);
  const float after = std::nextafter(next, 2.0F);
  EXPECT_TRUE(judge_ulps(output<float>({1.0F}), output<float>({next}), 1).right);
  EXPECT_FALSE(judge_ulps(output<float>({1.0F}), output<float>({after}), 1).right);
}

TEST(JudgeUlps, DistanceCountsAcrossZero) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(judge_ulps(output<float>({0.0F}), output<float>({-0.0F}), 0).right);
  EXPECT_TRUE(judge_ulps(output<float>({tiny}), output<float>({-tiny}), 2).right);
  EXPECT_FALSE(judge_ulps(output<float>({tiny}), output<float>({-tiny}), 1).right);
}

TEST(JudgeUlps, NanAndInfinityPassOnlyWhereExpected) {
  const float largest = std::numeric_limits<float>::max();
  EXPECT_FALSE(judge_ulps(output<float>({1}), output<float>({kNan}), 1000000000).right);
  EXPECT_FALSE(judge_ulps(output<float>({largest}), output<float>({kInfinity}), 1).right);
  EXPECT_FALSE(judge_ulps(output<float>({kInfinity}), output<float>({largest}), 1).right);
  EXPECT_TRUE(judge_ulps(output<float>({kInfinity}), output<float>({kInfinity}), 1).right);
  EXPECT_TRUE(judge_ulps(output<float>({kNan}), output<float>({kNan}), 1).right);
}

TEST(JudgeUlps, OppositeExtremesOfDoubleDoNotOverflow) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_FALSE(judge_ulps(output<double>({-largest}), output<double>({largest}), 4).right);
}

TEST(JudgeBound, BoundMayDependOnTheElement) {
  const auto bound = [](std::size_t, std::size_t index) { return index == 0 ? 0.0 : 0.5; };
  EXPECT_TRUE(judge_bound(output<float>({1, 1}), output<float>({1, 1.5F}), bound, "close").right);
  EXPECT_FALSE(judge_bound(output<float>({1, 1}), output<float>({1.5F, 1}), bound, "close").right);
}

TEST(JudgeBound, NanNeverPasses) {
  const auto bound = [](std::size_t, std::size_t) { return 1e300; };
  EXPECT_FALSE(judge_bound(output<float>({1}), output<float>({kNan}), bound, "close").right);
  EXPECT_FALSE(judge_bound(output<float>({kNan}), output<float>({kNan}), bound, "close").right);
  EXPECT_FALSE(judge_bound(output<float>({1}), output<float>({kInfinity}), bound, "close").right);
}

}  // namespace
}  // namespace lanewise
