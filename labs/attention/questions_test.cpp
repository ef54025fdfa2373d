// The key to the questions of the lab attention, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace lanewise::attention_test {
namespace {

double number(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "attention/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

TEST(AttentionQuestions, Softmax) {
  EXPECT_NEAR(number("softmax_by_hand"), 3.0 / (1 + 3), 1e-9);
  int x = 0;
  while (std::isfinite(std::exp(static_cast<float>(x)))) ++x;
  EXPECT_EQ(number("least_overflow"), x);
  EXPECT_NEAR(number("sum_rescaled"), 3 * std::exp(2.0 - 5) + 1, 0.001);
  EXPECT_EQ(number("bytes_of_softmax"), 2 * 32768.0 * 4096 * sizeof(float));
}

TEST(AttentionQuestions, Attention) {
  EXPECT_EQ(number("bytes_of_scores"), 16.0 * 8192 * 8192 * sizeof(float));
  EXPECT_EQ(number("flops"), 2 * 2 * 16.0 * 8192 * 8192 * 64);
  const double bytes = 2 * 4096.0 * 64 * sizeof(float);
  EXPECT_EQ(number("bytes_of_a_block"), bytes);
  EXPECT_EQ(number("intensity"), 2 * 2 * 128.0 * 4096 * 64 / bytes);
  // Halfway between two neighbours, 1 and 1 + 2^-10.
  EXPECT_EQ(number("bits_of_tf32"), -std::log2(std::ldexp(1.0, -10) / 2));
}

}  // namespace
}  // namespace lanewise::attention_test
