// The key to the questions of the lab matmul, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace lanewise::matmul_test {
namespace {

double numeric_answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "matmul/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

TEST(MatmulQuestions, ElementByHand) {
  int sum = 0;
  for (int p = 0; p < 2; ++p) sum += (2 * 2 + p + 1) * (p * 3 + 0 + 1);
  EXPECT_EQ(numeric_answer("element_by_hand"), sum);
}

TEST(MatmulQuestions, Flops) { EXPECT_EQ(numeric_answer("flops"), 1000.0 * 500 * 300 * 2); }

TEST(MatmulQuestions, Blocks) {
  int blocks = 0;
  for (int row = 0; row < 33; row += 16)
    for (int col = 0; col < 100; col += 16) ++blocks;
  EXPECT_EQ(numeric_answer("blocks"), blocks);
}

TEST(MatmulQuestions, BytesWithTiles) {
  const double tiles_of_c = 256.0 * 256;
  const double tiles_along_k = 256;
  const double bytes_of_both_tiles = 2 * 16 * 16 * sizeof(float);
  EXPECT_EQ(numeric_answer("bytes_with_tiles"), tiles_of_c * tiles_along_k * bytes_of_both_tiles);
}

TEST(MatmulQuestions, IntensityOfTiles) {
  const double flops = 2.0 * 32 * 32 * 32;
  const double bytes = 2.0 * 32 * 32 * sizeof(float);
  EXPECT_EQ(numeric_answer("intensity_of_tiles"), flops / bytes);
}

TEST(MatmulQuestions, Ridge) { EXPECT_NEAR(numeric_answer("ridge"), 67e12 / 4.3e12, 0.005); }

TEST(MatmulQuestions, LoadsForProducts) { EXPECT_NEAR(numeric_answer("loads_for_products"), 8.0 * 4 / (8 + 4), 0.005); }

}  // namespace
}  // namespace lanewise::matmul_test
