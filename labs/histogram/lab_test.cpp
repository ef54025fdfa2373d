// The data of the lab histogram, the right counts, and the judge.
#include "labs/histogram/test_counts.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <numeric>
#include <set>

#include "datasets/chunks.h"

namespace lanewise::histogram_test {
namespace {

constexpr std::int64_t kTwoWorkers = 2 * kChunk + 7;  // enough work for two threads, where there are two processors

TEST(HistogramMake, GivesDataBinsAndSizes) {
  for (const std::int64_t n : {0, 1, 33, 1000}) {
    const Problem bytes = made("histogram_bytes", data("uniform", n));
    EXPECT_EQ(bytes.inputs.at(0).name, "data");
    EXPECT_EQ(bytes.inputs[0].dtype, DType::kUint8);
    EXPECT_EQ(bytes.inputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(bytes.outputs.at(0).name, "bins");
    EXPECT_EQ(bytes.outputs[0].dtype, DType::kUint32);
    EXPECT_EQ(bytes.outputs[0].shape, std::vector<std::int64_t>{256});
    EXPECT_EQ(integer_scalar(bytes, "n"), n);

    const Problem wide = made("histogram_wide", data("uniform", n, 70'000));
    EXPECT_EQ(wide.inputs.at(0).dtype, DType::kUint32);
    EXPECT_EQ(wide.inputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(wide.outputs.at(0).shape, std::vector<std::int64_t>{70'000});
    EXPECT_EQ(integer_scalar(wide, "num_bins"), 70'000);
  }
}

TEST(HistogramMake, EveryValueIsLessThanTheNumberOfBins) {
  for (const char* kind : {"uniform", "mostly", "zipf", "sorted", "extremes", "alternating", "one_bank"})
    for (const std::int64_t bins : {1, 2, 31, 32, 33, 1000, 2'097'152}) {
      Parameters parameters = data(kind, 5000, bins);
      parameters.set("percent", std::int64_t{50});
      for (const std::uint32_t value : values_of<std::uint32_t>(made("histogram_wide", parameters).inputs[0]))
        ASSERT_LT(value, bins) << kind;
    }
}

Counts made_counts(const Parameters& parameters) {
  return oracle("histogram_wide", made("histogram_wide", parameters));
}

TEST(HistogramMake, UniformDataFillsEveryBin) {
  const Counts bins = made_counts(data("uniform", 100'000, 100));
  EXPECT_GT(*std::min_element(bins.begin(), bins.end()), 800u);
  EXPECT_LT(*std::max_element(bins.begin(), bins.end()), 1200u);
}

TEST(HistogramMake, MostlyOneValueIsThatShare) {
  Parameters parameters = data("mostly", 100'000, 1000);
  parameters.set("percent", std::int64_t{90});
  Counts bins = made_counts(parameters);
  std::sort(bins.begin(), bins.end());
  EXPECT_NEAR(bins[999], 90'000, 1000);
  EXPECT_LT(bins[998], 50u);
  EXPECT_GT(bins[500], 0u);
}

TEST(HistogramMake, ZipfRanksFallOffAsTheirInverse) {
  Counts bins = made_counts(data("zipf", 1'000'000, 1023));  // ten octaves, each a tenth of the elements
  std::sort(bins.rbegin(), bins.rend());
  EXPECT_NEAR(bins[0], 100'000, 2000);
  EXPECT_NEAR(bins[1], 50'000, 2000);
  EXPECT_NEAR(bins[2], 50'000, 2000);
  EXPECT_NEAR(bins[7], 12'500, 1000);
  EXPECT_GT(bins[1022], 0u);
}

TEST(HistogramMake, KindsAreWhatTheySay) {
  const auto sorted = values_of<std::uint32_t>(made("histogram_wide", data("sorted", 3000, 100)).inputs[0]);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_EQ(made_counts(data("sorted", 3000, 100)), Counts(100, 30));

  const Counts extremes = made_counts(data("extremes", 1000, 100));
  EXPECT_EQ(extremes.front() + extremes.back(), 1000u);
  EXPECT_GT(extremes.front(), 400u);
  EXPECT_GT(extremes.back(), 400u);

  const auto turns = values_of<std::uint8_t>(made("histogram_bytes", data("alternating", 1000)).inputs[0]);
  for (std::size_t i = 1; i < turns.size(); ++i) ASSERT_NE(turns[i], turns[i - 1]);
  EXPECT_EQ(std::set<std::uint8_t>(turns.begin(), turns.end()).size(), 2u);

  const auto bank = values_of<std::uint8_t>(made("histogram_bytes", data("one_bank", 1000)).inputs[0]);
  EXPECT_EQ(std::set<std::uint8_t>(bank.begin(), bank.end()),
            (std::set<std::uint8_t>{0, 32, 64, 96, 128, 160, 192, 224}));

  EXPECT_EQ(oracle("histogram_bytes", made("histogram_bytes", constant(50, 200))), counts(256, {{200, 50}}));
}

TEST(HistogramMake, TextIsSkewedAsEnglishIs) {
  const Counts bins = oracle("histogram_bytes", made("histogram_bytes", data("text", 1'000'000)));
  EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), 0u), 1'000'000u);
  for (std::size_t v = 0; v < 256; ++v)
    if (bins[v] > 0) {
      EXPECT_TRUE(v == '\n' || (v >= ' ' && v < 127)) << v;
    }
  EXPECT_GT(bins[' '], 120'000u);
  EXPECT_EQ(std::max_element(bins.begin() + 'a', bins.begin() + 'z' + 1) - bins.begin(), 'e');
  EXPECT_GT(bins['t'], 5 * bins['p']);
  for (char letter = 'a'; letter <= 'z'; ++letter) EXPECT_GT(bins[static_cast<std::size_t>(letter)], 0u) << letter;
  EXPECT_GT(bins['T'], 0u);
  EXPECT_GT(bins['.'], 1000u);
}

TEST(HistogramMake, ChunksAreIndependent) {
  // The first chunk of a longer array is the array of one chunk: no thread's random numbers depend on another's.
  const auto one = values_of<std::uint8_t>(made("histogram_bytes", data("uniform", kChunk)).inputs[0]);
  const auto two = values_of<std::uint8_t>(made("histogram_bytes", data("uniform", kTwoWorkers)).inputs[0]);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin()));
  EXPECT_FALSE(std::equal(one.begin(), one.end(), two.begin() + kChunk));
}

TEST(HistogramMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made("histogram_bytes", data("uniform", -1)), std::invalid_argument);
  EXPECT_THROW(made("histogram_bytes", data("uniform", std::int64_t{1} << 32)), std::invalid_argument);
  EXPECT_THROW(made("histogram_bytes", data("normal", 5)), std::invalid_argument);
  EXPECT_THROW(made("histogram_bytes", constant(5, 256)), std::invalid_argument);
  EXPECT_THROW(made("histogram_wide", data("uniform", 5, 0)), std::invalid_argument);
  EXPECT_THROW(made("histogram_wide", data("uniform", 5, (1 << 21) + 1)), std::invalid_argument);
  EXPECT_THROW(made("histogram_wide", data("text", 5)), std::invalid_argument);
  EXPECT_THROW(made("histogram_wide", constant(5, -1)), std::invalid_argument);
  Parameters percent = data("mostly", 5);
  percent.set("percent", std::int64_t{101});
  EXPECT_THROW(made("histogram_wide", percent), std::invalid_argument);
}

TEST(HistogramOracle, ByHand) {
  EXPECT_EQ(oracle("histogram_bytes", bytes_problem({7, 0, 255, 7, 7})), counts(256, {{0, 1}, {7, 3}, {255, 1}}));
  EXPECT_EQ(oracle("histogram_bytes", bytes_problem({})), Counts(256, 0));
  EXPECT_EQ(oracle("histogram_wide", wide_problem({2, 0, 2}, 3)), (Counts{1, 0, 2}));
  EXPECT_EQ(oracle("histogram_wide", wide_problem({70'000}, 70'001)), counts(70'001, {{70'000, 1}}));
}

TEST(HistogramOracle, CountsOfManyChunksAddUpToAPlainLoop) {
  const Problem problem = made("histogram_wide", data("zipf", kTwoWorkers, 1000));
  Counts plain(1000);
  for (const std::uint32_t value : values_of<std::uint32_t>(problem.inputs[0])) ++plain[value];
  EXPECT_EQ(oracle("histogram_wide", problem), plain);
}

TEST(HistogramJudge, AllowsNoDifference) {
  const Problem problem = bytes_problem({1, 2, 3});
  const auto expected = task("histogram_bytes").oracle(problem);
  auto got = expected;
  EXPECT_TRUE(task("histogram_bytes").judge(problem, expected, got).right);
  ++elements<std::uint32_t>(got[0])[100];
  const Judgement judgement = task("histogram_bytes").judge(problem, expected, got);
  EXPECT_FALSE(judgement.right);
  EXPECT_EQ(judgement.wrong, 1);
  EXPECT_EQ(judgement.first.at(0).flat_index, 100);
}

TEST(HistogramWork, IsTheDataReadOnceAndTheBinsWrittenOnce) {
  EXPECT_EQ(task("histogram_bytes").work(made("histogram_bytes", data("uniform", 5000))).bytes, 5000 + 1024);
  const Work wide = task("histogram_wide").work(made("histogram_wide", data("uniform", 5000, 100)));
  EXPECT_EQ(wide.bytes, 20'000 + 400);
  EXPECT_EQ(wide.flops, 5000);
}

}  // namespace
}  // namespace lanewise::histogram_test
