// The rows and heads of the lab attention, what is right for them, and the judge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "labs/attention/test_heads.h"

namespace lanewise::attention_test {
namespace {

TEST(AttentionMake, GivesArraysOfTheirShapes) {
  const Problem matrix = rows("uniform", 4, 7, -1, 1);
  ASSERT_EQ(matrix.inputs.size(), 1u);
  EXPECT_EQ(matrix.inputs[0].shape, (std::vector<std::int64_t>{4, 7}));
  EXPECT_EQ(matrix.outputs.at(0).shape, (std::vector<std::int64_t>{4, 7}));
  const Problem problem = heads("uniform", 2, 5, 32, 1);
  ASSERT_EQ(problem.inputs.size(), 3u);
  for (const Array& array : problem.inputs) EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 5, 32}));
  EXPECT_EQ(problem.outputs.at(0).shape, (std::vector<std::int64_t>{2, 5, 32}));
}

TEST(AttentionMake, KindsAreWhatTheySay) {
  const auto ascending = values(rows("ascending", 2, 50, -3, 3).inputs[0]);
  EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.begin() + 50));
  EXPECT_EQ(ascending[49], 3);
  const auto equal = values(rows("equal", 2, 50, -3, 3).inputs[0]);
  EXPECT_EQ(std::count(equal.begin(), equal.begin() + 50, equal[0]), 50);
  EXPECT_NE(equal[0], equal[50]);

  const auto same_keys = values(heads("equal", 2, 3, 32, 1).inputs[1]);
  for (int head : {0, 1})
    for (int c = 0; c < 32; ++c) EXPECT_EQ(same_keys[head * 96 + c], same_keys[head * 96 + 64 + c]);
  EXPECT_NE(same_keys[0], same_keys[96]);
  const Problem below = heads("negative", 1, 9, 32, 7);
  for (const float q : values(below.inputs[0])) EXPECT_GE(q, 3.5f);
  for (const float k : values(below.inputs[1])) EXPECT_LE(k, -3.5f);
  const auto keys = values(heads("ascending", 1, 9, 32, 7).inputs[1]);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  const Problem opposed = heads("opposed", 1, 4, 32, 30);
  EXPECT_EQ(values(opposed.inputs[1]), values(heads("ascending", 1, 4, 32, 30).inputs[1]));
  const auto queries = values(opposed.inputs[0]);
  for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(queries[i] > 0, i / 32 % 3 == 0) << i;
}

TEST(AttentionMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(rows("uniform", -1, 5, 0, 1), std::invalid_argument);
  EXPECT_THROW(rows("uniform", 1, 5, 1, 1), std::invalid_argument);
  EXPECT_THROW(rows("odd", 1, 5, 0, 1), std::invalid_argument);
  EXPECT_THROW(heads("uniform", 1, 65'536, 32, 1), std::invalid_argument);
  EXPECT_THROW(heads("uniform", 1, 5, 48, 1), std::invalid_argument);
  EXPECT_THROW(heads("uniform", 1, 5, 32, 0), std::invalid_argument);
  EXPECT_THROW(heads("odd", 1, 5, 32, 1), std::invalid_argument);
}

TEST(AttentionOracle, SoftmaxByHand) {
  Problem problem = rows("uniform", 1, 2, 0, 1);
  elements<float>(problem.inputs[0])[0] = 500;
  elements<float>(problem.inputs[0])[1] = 500 + std::log(3.0f);
  const auto y = right("softmax", problem);
  EXPECT_NEAR(y[0], 0.25, 1e-4);
  EXPECT_NEAR(y[1], 0.75, 1e-4);
}

TEST(AttentionOracle, AttentionByHand) {
  Problem problem = heads("equal", 1, 2, 32, 1);  // equal scores: the mean of both values
  const auto v = values(problem.inputs[2]);
  auto out = right("attention", problem);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], (v[i % 32] + v[32 + i % 32]) / 2, 1e-6);
  std::fill_n(elements<float>(problem.inputs[0]), 64, 0.0f);  // query 0 is worth ln 3 with key 1, nothing with key 0
  std::fill_n(elements<float>(problem.inputs[1]), 64, 0.0f);
  elements<float>(problem.inputs[0])[5] = std::sqrt(32.0f);
  elements<float>(problem.inputs[1])[32 + 5] = std::log(3.0f);
  out = right("attention", problem);
  for (std::size_t c = 0; c < 32; ++c) EXPECT_NEAR(out[c], 0.25 * v[c] + 0.75 * v[32 + c], 1e-6);
}

TEST(AttentionOracle, OfNothingIsNothing) {
  EXPECT_TRUE(right("softmax", rows("uniform", 5, 0, 0, 1)).empty());
  EXPECT_TRUE(right("softmax", rows("uniform", 0, 5, 0, 1)).empty());
  EXPECT_TRUE(right("attention", heads("uniform", 2, 0, 32, 1)).empty());
  EXPECT_TRUE(right("attention", heads("uniform", 0, 5, 64, 1)).empty());
}

TEST(AttentionOracle, ManyThreadsGiveWhatOneGives) {
  const Problem problem = heads("uniform", 2, 300, 64, 1);  // enough for several threads
  Problem first = heads("uniform", 1, 300, 64, 1);          // few enough for at most two
  for (std::size_t i = 0; i < 3; ++i)
    std::copy_n(elements<float>(problem.inputs[i]), 300 * 64, elements<float>(first.inputs[i]));
  auto both = right("attention", problem);
  both.resize(300 * 64);
  EXPECT_EQ(both, right("attention", first));
}

TEST(AttentionJudge, SoftmaxTakesASequentialSumInFloat) {
  for (const auto& problem : {rows("uniform", 3, 20'000, -4, 4), rows("ascending", 2, 9000, -40, 40),
                              rows("uniform", 3, 500, -150, 30), rows("equal", 3, 777, -5, 5)}) {
    const std::int64_t cols = problem.inputs[0].shape[1];
    std::vector<float> y;
    for (std::int64_t row = 0; row < problem.inputs[0].shape[0]; ++row) {
      const float* const x = elements<float>(problem.inputs[0]) + row * cols;
      float maximum = -std::numeric_limits<float>::infinity();
      float sum = 0;
      for (std::int64_t c = 0; c < cols; ++c) {  // online, one after the other
        const float greater = std::max(maximum, x[c]);
        sum = sum * std::exp(maximum - greater) + std::exp(x[c] - greater);
        maximum = greater;
      }
      for (std::int64_t c = 0; c < cols; ++c) y.push_back(std::exp(x[c] - maximum) / sum);
    }
    EXPECT_TRUE(judged("softmax", problem, y).right);
    *std::max_element(y.begin(), y.end()) *= 1.01f;
    EXPECT_EQ(judged("softmax", problem, y).wrong, 1);
  }
}

// x with `bits` fraction bits, cut rather than rounded.
float cut(float x, int bits) {
  std::uint32_t word = 0;
  std::memcpy(&word, &x, sizeof(word));
  word &= ~((1u << (23 - bits)) - 1);
  std::memcpy(&x, &word, sizeof(x));
  return x;
}
float rounded(float x, int bits) { return cut(x + (x - cut(x, bits)), bits); }

// Attention in float with operands of `bits` fraction bits, all keys one after the other.
std::vector<float> in_float(const Problem& problem, int bits) {
  const std::int64_t n = integer_scalar(problem, "n");
  const std::int64_t d = integer_scalar(problem, "d");
  const auto operand = [&](int of, std::int64_t at) { return rounded(elements<float>(problem.inputs[of])[at], bits); };
  std::vector<float> out;
  for (std::int64_t row = 0; row < problem.inputs[0].shape[0] * n; ++row) {
    const std::int64_t head = row / n * n;
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0;
    std::vector<float> average(d);
    for (std::int64_t j = head; j < head + n; ++j) {
      float score = 0;
      for (std::int64_t c = 0; c < d; ++c) score += operand(0, row * d + c) * operand(1, j * d + c);
      score /= std::sqrt(static_cast<float>(d));
      const float greater = std::max(maximum, score);
      const float factor = std::exp(maximum - greater);
      const float weight = std::exp(score - greater);
      maximum = greater;
      sum = sum * factor + weight;
      for (std::int64_t c = 0; c < d; ++c)
        average[c] = average[c] * factor + rounded(weight, bits) * operand(2, j * d + c);
    }
    for (const float each : average) out.push_back(each / sum);
  }
  return out;
}

TEST(AttentionJudge, TakesFloatAndTf32) {
  for (const auto& problem :
       {heads("uniform", 2, 70, 32, 1), heads("uniform", 1, 100, 64, 4), heads("ascending", 1, 90, 32, 3),
        heads("negative", 1, 40, 32, 7), heads("equal", 1, 50, 32, 2), heads("ascending", 1, 40, 32, 30)})
    for (const int bits : {23, 10}) EXPECT_TRUE(judged("attention", problem, in_float(problem, bits)).right) << bits;
}

TEST(AttentionJudge, KnowsTheErrorOfASingleElement) {
  const Problem problem = heads("uniform", 2, 70, 32, 1);
  const auto out = right("attention", problem);
  double greatest = 0;
  for (const float each : out) greatest = std::max(greatest, std::abs(static_cast<double>(each)));
  auto wrong = out;
  wrong[1234] += static_cast<float>(greatest) / 5;
  const Judgement judgement = judged("attention", problem, wrong);
  EXPECT_EQ(judgement.wrong, 1);
  EXPECT_EQ(judgement.first.at(0).flat_index, 1234);
}

TEST(AttentionJudge, NeverTakesNaNOrInfinity) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto out = right("attention", heads("uniform", 1, 5, 32, 30));
    out[7] = bad;
    EXPECT_EQ(judged("attention", heads("uniform", 1, 5, 32, 30), out).wrong, 1);
    auto y = right("softmax", rows("uniform", 2, 5, -1, 1));
    y[7] = bad;
    EXPECT_EQ(judged("softmax", rows("uniform", 2, 5, -1, 1), y).wrong, 1);
  }
}

TEST(AttentionWork, CountsEveryByteOnce) {
  const Work softmax = task_called("softmax").work(rows("uniform", 10, 20, 0, 1));
  EXPECT_EQ(softmax.bytes, 2 * 4 * 10 * 20);
  EXPECT_EQ(softmax.flops, 4 * 10 * 20);
  const Work attention = task_called("attention").work(heads("uniform", 2, 10, 32, 1));
  EXPECT_EQ(attention.bytes, 4 * 4 * 2 * 10 * 32);
  EXPECT_EQ(attention.flops, 2 * 2 * 2 * 10 * 10 * 32);
}

}  // namespace
}  // namespace lanewise::attention_test
