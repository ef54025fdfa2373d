// What each typical mistake makes of rows and heads, by hand, and that the judge sees it.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "labs/attention/test_heads.h"

namespace lanewise::attention_test {
namespace {

Problem row_of(const std::vector<float>& x) {
  Problem problem = rows("uniform", 1, static_cast<std::int64_t>(x.size()), 0, 1);
  std::copy(x.begin(), x.end(), elements<float>(problem.inputs[0]));
  return problem;
}

TEST(SoftmaxMistakes, ByHand) {
  const float third = std::log(3.0f);
  const auto near = [](const std::vector<float>& got, const std::vector<float>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
  };
  near(outcome("softmax", "maximum not subtracted", row_of({0, third})), {0.25f, 0.75f});
  EXPECT_TRUE(std::isnan(outcome("softmax", "maximum not subtracted", row_of({100, 0}))[0]));
  EXPECT_TRUE(std::isnan(outcome("softmax", "maximum begun with 0", row_of({-200, -300}))[0]));
  near(outcome("softmax", "maximum begun with 0", row_of({0, third})), {0.25f, 0.75f});
  near(outcome("softmax", "not divided by the sum", row_of({0, third})), {1 / 3.0f, 1});
  near(outcome("softmax", "softmax of columns", row_of({0, third})), {1, 1});
  near(outcome("softmax", "sum not rescaled", row_of({0, third})), {1 / 6.0f, 0.5f});  // 1 + 1 instead of 1/3 + 1
  std::vector<float> x(40, 0.0f);
  near(outcome("softmax", "only one element a thread", row_of(x)), std::vector<float>(40, 1 / 32.0f));
  near(outcome("softmax", "maximum not subtracted from the results", row_of({0, third})), {0.75f, 2.25f});
  near(outcome("softmax", "maximum not subtracted in the sum", row_of({0, third})), {1 / 12.0f, 0.25f});
  near(outcome("softmax", "places behind the row counted", row_of(x)), std::vector<float>(40, 1 / 1024.0f));
}

TEST(SoftmaxMistakes, OfBlocksDependOnTheirSize) {
  const auto first = [](const char* mistake, std::size_t cols, int which) {
    return outcome("softmax", mistake, row_of(std::vector<float>(cols, 0.0f)), which)[0];
  };
  EXPECT_TRUE(std::isnan(first("threads without elements combined", 126, 1)));  // two of 128
  EXPECT_FLOAT_EQ(first("threads without elements combined", 127, 1), 1 / 127.0f);
  EXPECT_FLOAT_EQ(first("last warp left out", 256, 0), 1 / 224.0f);  // blocks of 256
  EXPECT_FLOAT_EQ(first("last warp left out", 33, 5), 1 / 32.0f);    // 33 / 32 warps, rounded down
}

// The weights 1 and 3 belong to the values 2 and 4 (in every place): right is 3.5.
Problem two_keys() {
  Problem problem = heads("uniform", 1, 2, 32, 1);
  for (Array& array : problem.inputs) std::fill_n(elements<float>(array), 64, 0.0f);
  std::fill_n(elements<float>(problem.inputs[0]), 64, 1 / std::sqrt(32.0f));  // score: the mean of the key
  std::fill_n(elements<float>(problem.inputs[1]) + 32, 32, std::log(3.0f));
  std::fill_n(elements<float>(problem.inputs[2]), 32, 2.0f);
  std::fill_n(elements<float>(problem.inputs[2]) + 32, 32, 4.0f);
  return problem;
}

float first_of(const std::string& mistake, const Problem& problem, int which = 0) {
  return outcome("attention", mistake, problem, which)[0];
}

TEST(AttentionMistakes, ByHand) {
  const Problem problem = two_keys();
  EXPECT_NEAR(right("attention", problem)[0], 3.5, 1e-5);
  EXPECT_NEAR(first_of("maximum not subtracted", problem), 3.5, 1e-5);
  EXPECT_NEAR(first_of("maximum begun with 0", problem), 3.5, 1e-5);
  EXPECT_NEAR(first_of("not divided by the sum", problem), 3.5 * 4 / 3, 1e-5);
  const double steep = std::pow(3, std::sqrt(32.0));
  EXPECT_NEAR(first_of("scores not scaled", problem), (2 + 4 * steep) / (1 + steep), 1e-4);
  const double flat = std::pow(3, 1 / std::sqrt(32.0));
  EXPECT_NEAR(first_of("scores divided by d", problem), (2 + 4 * flat) / (1 + flat), 1e-4);
  EXPECT_NEAR(first_of("keys averaged", problem), 0.75 * std::log(3), 1e-5);
  EXPECT_NEAR(first_of("average not rescaled", problem), (2 + 4) / (1 / 3.0 + 1), 1e-5);  // key 0 still weighs 1
  EXPECT_NEAR(first_of("average not rescaled", problem, 1), 3.5, 1e-5);                   // both in one tile of 32
  EXPECT_NEAR(first_of("nothing rescaled", problem), (2 + 4) / 2.0, 1e-5);
  EXPECT_NEAR(first_of("places behind the last key counted", problem), (2 + 4 * 3) / (1 + 3 + 30.0), 1e-5);
  EXPECT_TRUE(std::isnan(first_of("last partial tile of keys left out", problem)));
  EXPECT_NEAR(first_of("only the first tile of keys", problem), 3.5, 1e-5);
  EXPECT_NEAR(first_of("all weights equal", problem), 3, 1e-5);
  EXPECT_NEAR(first_of("maximum of two rows", problem), 3.5, 1e-5);
  EXPECT_NEAR(first_of("sums of weights not combined", problem), 3.5 / 0.25, 1e-4);  // thread 0 has key 0
  EXPECT_NEAR(outcome("attention", "sums of weights not combined", problem)[1], 3.5 / 0.75, 1e-4);
  EXPECT_NEAR(outcome("attention", "sums of weights not combined", problem, 1)[1], 3.5 / 0.25, 1e-4);
  EXPECT_NEAR(first_of("sums of weights combined twice", problem), 3.5 / 16, 1e-5);
  // Both queries are equal, so key 0 and key 1 each find them equally good.
  EXPECT_NEAR(first_of("queries and keys swapped", problem), 3, 1e-5);
}

TEST(AttentionMistakes, OfTilesShowInLongerHeads) {
  const Problem problem = heads("uniform", 1, 70, 32, 1);
  for (const char* mistake : {"last partial tile of keys left out", "only the first tile of keys"}) {
    const int which = 1;  // tiles of 64
    Problem shorter = heads("uniform", 1, 64, 32, 1);
    for (std::size_t i = 0; i < 3; ++i)
      std::copy_n(elements<float>(problem.inputs[i]), 64 * 32, elements<float>(shorter.inputs[i]));
    auto got = outcome("attention", mistake, problem, which);
    got.resize(64 * 32);
    EXPECT_EQ(got, right("attention", shorter)) << mistake;
  }
}

TEST(AttentionMistakes, AreSeenByTheJudgeInTheCasesMadeForThem) {
  struct Made {
    const char* mistake;
    Problem problem;
  };
  for (const Made& each : {Made{"scores not scaled", heads("uniform", 1, 65, 64, 1.5)},
                           Made{"scores divided by d", heads("uniform", 1, 65, 64, 1.5)},
                           Made{"maximum not subtracted", heads("ascending", 1, 70, 32, 30)},
                           Made{"maximum begun with 0", heads("negative", 1, 40, 32, 7)},
                           Made{"maximum of two rows", heads("opposed", 1, 70, 32, 30)},
                           Made{"average not rescaled", heads("ascending", 1, 150, 32, 3)},
                           Made{"nothing rescaled", heads("ascending", 1, 150, 32, 3)},
                           Made{"places behind the last key counted", heads("uniform", 1, 31, 32, 2)},
                           Made{"last partial tile of keys left out", heads("uniform", 1, 65, 64, 1.5)},
                           Made{"only the first tile of keys", heads("uniform", 1, 65, 64, 1.5)},
                           Made{"queries and keys swapped", heads("uniform", 1, 31, 32, 2)}})
    EXPECT_FALSE(judged("attention", each.problem, outcome("attention", each.mistake, each.problem)).right)
        << each.mistake;
}

TEST(AttentionMistakes, OfNothingAreNothing) {
  for (const Misconception& mistake : task_called("softmax").misconceptions)
    for (const auto& problem : {rows("uniform", 0, 5, 0, 1), rows("uniform", 5, 0, 0, 1)})
      EXPECT_TRUE(mistake.outcome(problem).at(0).bytes.empty()) << mistake.name;
  for (const Misconception& mistake : task_called("attention").misconceptions)
    EXPECT_TRUE(mistake.outcome(heads("uniform", 2, 0, 32, 1)).at(0).bytes.empty()) << mistake.name;
}

TEST(AttentionMistakes, ResembleEachOtherUpToRounding) {
  const Problem problem = heads("uniform", 1, 3, 32, 1);
  const Task& task = task_called("attention");
  const auto a = task.oracle(problem);
  auto b = a;
  elements<float>(b[0])[5] += 1e-6f;
  EXPECT_TRUE(task.resembles(problem, a, b));
  elements<float>(b[0])[5] += 0.1f;
  EXPECT_FALSE(task.resembles(problem, a, b));
  elements<float>(b[0])[5] = NAN;
  EXPECT_FALSE(task.resembles(problem, a, b));
  EXPECT_TRUE(task.resembles(problem, b, b));
}

}  // namespace
}  // namespace lanewise::attention_test
