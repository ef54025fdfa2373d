// What each typical mistake makes of the counts, by hand.
#include "labs/histogram/test_counts.h"

#include <gtest/gtest.h>

namespace lanewise::histogram_test {
namespace {

constexpr const char* kBytes = "histogram_bytes";
constexpr const char* kWide = "histogram_wide";

TEST(HistogramMistakes, OfClearing) {
  const Problem problem = bytes_problem({9, 9, 70});
  EXPECT_EQ(outcome(kBytes, "bins not cleared", problem),
            counts(256, {{9, kPoisoned + 2}, {70, kPoisoned + 1}}, kPoisoned));
  EXPECT_EQ(outcome(kBytes, "bins cleared after counting", problem), Counts(256, 0));
  EXPECT_EQ(outcome(kWide, "nothing counted", wide_problem({3, 3}, 10)), Counts(10, 0));

  Counts quarter(256, kPoisoned);
  std::fill(quarter.begin(), quarter.begin() + 64, 0u);
  quarter[9] = 2;
  ++quarter[70];
  EXPECT_EQ(outcome(kBytes, "bins cleared in elements instead of bytes", problem), quarter);
  // Ten bytes are two bins and a half.
  EXPECT_EQ(outcome(kWide, "bins cleared in elements instead of bytes", wide_problem({0}, 10)),
            (Counts{1, 0, 0xA5A50000, kPoisoned, kPoisoned, kPoisoned, kPoisoned, kPoisoned, kPoisoned, kPoisoned}));
}

TEST(HistogramMistakes, WithoutElementsOnlyAForgottenClearingShows) {
  const char* const name = "bins left as they were without elements";
  EXPECT_EQ(outcome(kBytes, name, bytes_problem({})), Counts(256, kPoisoned));
  EXPECT_EQ(outcome(kBytes, name, bytes_problem({5})), counts(256, {{5, 1}}));
  EXPECT_EQ(outcome(kBytes, "bins not cleared", bytes_problem({})), Counts(256, kPoisoned));
  for (const char* task_name : {kBytes, kWide}) {
    const Problem problem = made(task_name, data("uniform", 0));
    for (const Misconception& mistake : task(task_name).misconceptions)
      EXPECT_EQ(mistake.outcome(problem).at(0).bytes.size(), byte_count(problem.outputs[0])) << mistake.name;
  }
}

TEST(HistogramMistakes, OfCoverage) {
  std::vector<std::uint8_t> values(600, 1);
  std::fill(values.begin() + 512, values.end(), std::uint8_t{2});  // 88 twos, of which 80 come before the last vector
  const Problem problem = bytes_problem(values);
  EXPECT_EQ(outcome(kBytes, "last partial block skipped", problem), counts(256, {{1, 512}}));
  EXPECT_EQ(outcome(kBytes, "elements left over after the vectors skipped", problem), counts(256, {{1, 512}, {2, 80}}));
  EXPECT_EQ(outcome(kBytes, "last chunk skipped", problem), Counts(256, 0));
  EXPECT_EQ(outcome(kBytes, "only the first block's elements counted", problem), counts(256, {{1, 256}}));
  EXPECT_EQ(outcome(kBytes, "one block overwrites another's counts", problem), counts(256, {{2, 88}}));
}

TEST(HistogramMistakes, IdleThreadsLoseTheirBinsInTheLastBlockOnly) {
  std::vector<std::uint8_t> values(258, 200);
  values[256] = 1;  // the last block's two threads have elements and add bins 0 and 1
  EXPECT_EQ(outcome(kBytes, "bins of idle threads not added", bytes_problem(values)),
            counts(256, {{1, 1}, {200, 256}}));
}

TEST(HistogramMistakes, OneUpdateOfAWarpAndBinGetsThrough) {
  std::vector<std::uint8_t> values(40, 3);  // a whole warp and eight lanes of another
  values[0] = 4;
  values[39] = 4;
  EXPECT_EQ(outcome(kBytes, "lost updates", bytes_problem(values)), counts(256, {{3, 2}, {4, 2}}));
}

TEST(HistogramMistakes, OfIndices) {
  const Problem problem = bytes_problem({0, 5, 5, 255});
  EXPECT_EQ(outcome(kBytes, "bin index off by one", problem), counts(256, {{1, 1}, {6, 2}}));
  EXPECT_EQ(outcome(kBytes, "bin index off by one", problem, 1), counts(256, {{4, 2}, {254, 1}}));
  EXPECT_EQ(outcome(kBytes, "presence stored instead of a count", problem), counts(256, {{0, 1}, {5, 1}, {255, 1}}));
  EXPECT_EQ(outcome(kBytes, "upper half of the bins empty", problem), counts(256, {{0, 1}, {5, 2}}));
  EXPECT_EQ(outcome(kBytes, "index counted in place of the value", problem),
            counts(256, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
}

TEST(HistogramMistakes, LastRunsAreLostInWholeVectorsOnly) {
  std::vector<std::uint8_t> values(20, 1);
  std::fill(values.begin() + 13, values.end(), std::uint8_t{2});  // three twos end the vector, four are left over
  EXPECT_EQ(outcome(kBytes, "last run of every thread lost", bytes_problem(values)), counts(256, {{1, 13}, {2, 4}}));
}

TEST(HistogramMistakes, OfWideValues) {
  const Problem problem = wide_problem({3, 259, 65'539, 65'539, 69'999}, 70'000);
  EXPECT_EQ(outcome(kWide, "value cut to 16 bits", problem), counts(70'000, {{3, 3}, {259, 1}, {4463, 1}}));
  EXPECT_EQ(outcome(kWide, "value cut to one byte", problem), counts(70'000, {{3, 4}, {69'999 % 256, 1}}));
}

TEST(HistogramMistakes, OfRanges) {
  const Problem problem = wide_problem({12'287, 12'288, 24'575, 24'576}, 30'000);  // the first entry: 48 KiB
  EXPECT_EQ(outcome(kWide, "only the first range of bins counted", problem), counts(30'000, {{12'287, 1}}));
  EXPECT_EQ(outcome(kWide, "last partial range of bins skipped", problem),
            counts(30'000, {{12'287, 1}, {12'288, 1}, {24'575, 1}}));
  EXPECT_EQ(outcome(kWide, "later ranges added to the first", problem), counts(30'000, {{0, 2}, {12'287, 2}}));

  const Problem short_range = wide_problem({7}, 12'287);
  EXPECT_EQ(outcome(kWide, "last partial range of bins skipped", short_range), Counts(12'287, 0));
  EXPECT_EQ(outcome(kWide, "last partial range of bins skipped", short_range, 1), counts(12'287, {{7, 1}}))
      << "a range no longer than the histogram";
}

}  // namespace
}  // namespace lanewise::histogram_test
