// The generators against published sequences, and the draws' ranges, lack of bias and sameness.
#include "datasets/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace lanewise {
namespace {

TEST(SplitMix64, GivesThePublishedSequence) {
  SplitMix64 generator(1234567);  // reference outputs of splitmix64.c for this seed
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(generator.next(), expected);
}

TEST(SplitMix64, PartsOfADataSetAreItsOutputs) {
  SplitMix64 generator(mixed(42));
  for (std::int64_t part = 0; part < 5; ++part) EXPECT_EQ(seed_of_part(42, part), generator.next());
}

TEST(Random, GivesThePublishedSequence) {
  Random generator(std::array<std::uint64_t, 4>{1, 2, 3, 4});  // reference outputs of xoshiro256starstar.c
  for (const std::uint64_t expected :
       {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240}, std::uint64_t{1215971899390074240u},
        std::uint64_t{1216172134540287360u}, std::uint64_t{607988272756665600u}, std::uint64_t{16172922978634559625u},
        std::uint64_t{8476171486693032832u}, std::uint64_t{10595114339597558777u}})
    EXPECT_EQ(generator.next(), expected);
}

TEST(Random, SeedGoesThroughSplitMix) {
  Random generator(42);  // xoshiro256** whose state is the first four outputs of splitmix64(42)
  for (const std::uint64_t expected :
       {1546998764402558742u, 6990951692964543102u, 12544586762248559009u, 17057574109182124193u})
    EXPECT_EQ(generator.next(), expected);
}

TEST(Random, BelowOneIsZero) {
  Random generator(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(generator.below(1), 0u);
}

TEST(Random, BelowStaysBelowTheBoundAtThePowersOfTwo) {
  Random generator(2);
  for (int shift = 1; shift < 64; ++shift)
    for (const std::uint64_t bound :
         {(std::uint64_t{1} << shift) - 1, std::uint64_t{1} << shift, (std::uint64_t{1} << shift) + 1})
      for (int i = 0; i < 20; ++i) ASSERT_LT(generator.below(bound), bound);
  EXPECT_LE(generator.below(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max() - 1);
}

TEST(Random, BelowHasNoBias) {
  // 3 does not divide a power of two: a remainder of few bits would favour the small values. 5 sigma of a
  // binomial(300,000, 1/3) is 1291.
  Random generator(3);
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 300'000; ++i) ++counts[generator.below(3)];
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 100'000, 1300) << value;
}

TEST(Random, BetweenReachesBothEnds) {
  Random generator(4);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const auto value = generator.between(-2, 2);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 2);
    low |= value == -2;
    high |= value == 2;
  }
  EXPECT_TRUE(low && high);
}

TEST(Random, BetweenTakesTheWholeRangeOfIntegers) {
  Random generator(5);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 100; ++i) {
    const auto value =
        generator.between(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    negative |= value < 0;
    positive |= value > 0;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Random, UniformNeverGivesItsUpperEnd) {
  // Between two neighbouring floats every draw must round to the lower one.
  Random generator(6);
  const float high = std::nextafter(1.0f, 2.0f);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(generator.uniform(1.0f, high), 1.0f);
}

TEST(Random, UniformFillsItsRangeEvenly) {
  Random generator(7);
  std::array<int, 10> tenths{};
  for (int i = 0; i < 100'000; ++i) {
    const float value = generator.uniform(-5.0f, 5.0f);
    ASSERT_GE(value, -5.0f);
    ASSERT_LT(value, 5.0f);
    ++tenths[static_cast<std::size_t>(value + 5.0f)];
  }
  for (const int count : tenths) EXPECT_NEAR(count, 10'000, 500);  // 5 sigma is 474
}

TEST(Random, UniformTakesTheWholeRangeOfFloats) {
  Random generator(8);
  const float largest = std::numeric_limits<float>::max();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(std::isfinite(generator.uniform(-largest, largest)));
}

TEST(Shuffle, KeepsEveryItem) {
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  auto shuffled = items;
  Random generator(9);
  shuffle(shuffled, generator);
  EXPECT_NE(shuffled, items);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, items);
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  Random generator(10);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 60'000; ++i) {
    std::vector<int> items = {0, 1, 2};
    shuffle(items, generator);
    ++orders[items];
  }
  ASSERT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 10'000, 460);  // 5 sigma is 456
}

TEST(Shuffle, OfNothingAndOfOneItemDrawsNothing) {
  Random generator(11);
  Random untouched(11);
  std::vector<int> none;
  std::vector<int> one = {1};
  shuffle(none, generator);
  shuffle(one, generator);
  EXPECT_EQ(one, std::vector<int>{1});
  EXPECT_EQ(generator.next(), untouched.next());
}

}  // namespace
}  // namespace lanewise
