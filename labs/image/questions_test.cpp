// The key to the questions of the lab image, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace lanewise::image_test {
namespace {

double numeric_answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "image/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

constexpr int kSide = 16;  // of a block

int blocks_across(int extent) {
  int blocks = 0;
  while (blocks * kSide < extent) ++blocks;
  return blocks;
}

TEST(ImageQuestions, BlocksForAPicture) {
  EXPECT_EQ(numeric_answer("blocks_for_a_picture"), blocks_across(2000) * blocks_across(1500));
}

TEST(ImageQuestions, IdleThreads) {
  int idle = 0;
  for (int row = 0; row < blocks_across(62) * kSide; ++row)
    for (int col = 0; col < blocks_across(76) * kSide; ++col) idle += row >= 62 || col >= 76;
  EXPECT_EQ(numeric_answer("idle_threads"), idle);
}

TEST(ImageQuestions, ByteOfAThread) {
  const int row = 1 * kSide + 0;
  const int col = 0 * kSide + 0;
  EXPECT_EQ(numeric_answer("byte_of_a_thread"), 3 * (row * 76 + col));
}

TEST(ImageQuestions, PixelsInACorner) {
  int pixels = 0;
  for (int row = -3; row <= 3; ++row)
    for (int col = -3; col <= 3; ++col) pixels += row >= 0 && col >= 0;
  EXPECT_EQ(numeric_answer("pixels_in_a_corner"), pixels);
}

TEST(ImageQuestions, TileWithHaloAndReadsSaved) {
  const int radius = 8;
  const int side = 32 + 2 * radius;
  const int window = (2 * radius + 1) * (2 * radius + 1);
  EXPECT_EQ(numeric_answer("tile_with_halo"), side * side);
  EXPECT_NEAR(numeric_answer("reads_saved"), 32.0 * 32.0 * window / (side * side), 0.1);
}

// The fourth choice has 2048 threads; every other has at most the 1024 that a block may have.
TEST(ImageQuestions, ImpossibleBlock) {
  EXPECT_LE(512 * 1 * 1, 1024);
  EXPECT_LE(8 * 16 * 4, 1024);
  EXPECT_LE(32 * 16 * 2, 1024);
  EXPECT_GT(32 * 32 * 2, 1024);
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "image/answers.toml");
  ASSERT_TRUE(key);
  EXPECT_EQ(std::get<std::string>(key->at("impossible_block")), "d");
}

}  // namespace
}  // namespace lanewise::image_test
