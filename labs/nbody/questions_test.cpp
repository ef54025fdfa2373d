// The key to the questions of the lab nbody, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

namespace lanewise::nbody_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "nbody/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }

// The sectors that 32 lanes touch, `stride` bytes apart.
std::size_t sectors(int stride) {
  std::set<int> touched;
  for (int lane = 0; lane < 32; ++lane) touched.insert(lane * stride / 32);
  return touched.size();
}

TEST(NbodyQuestions, ByHand) {
  const double r2 = 6.0 * 6.0 + 8.0 * 8.0;
  EXPECT_NEAR(number("acceleration_by_hand"), 500 * 6 / std::pow(r2, 1.5), 1e-9);
  EXPECT_EQ(number("interactions"), 10'000.0 * 10'000.0);
}

TEST(NbodyQuestions, IntensityOfTiles) {
  const double flops = 256.0 * 256.0 * 20.0;
  const double bytes = 256.0 * 16.0;
  EXPECT_EQ(number("intensity_of_tiles"), flops / bytes);
}

TEST(NbodyQuestions, Sectors) {
  EXPECT_EQ(number("sectors_of_structures"), sectors(32));
  EXPECT_EQ(number("sectors_of_axes"), sectors(4));
}

// All 32 lanes add the same body at a time.
TEST(NbodyQuestions, LoadsForInteractions) {
  const int interactions_of_a_warp = 512 * 4;
  EXPECT_EQ(number("loads_for_interactions"), interactions_of_a_warp / 4);
}

TEST(NbodyQuestions, Peak) { EXPECT_NEAR(number("peak"), 67e12 / 2 / 16 / 1e12, 0.005); }

TEST(NbodyQuestions, Choices) {
  EXPECT_EQ(std::get<std::string>(answer("second_barrier")), "a");
  EXPECT_EQ(std::get<std::string>(answer("itself")), "b");
}

}  // namespace
}  // namespace lanewise::nbody_test
