// What each typical mistake makes of a few bodies, by hand, and against sums over other bodies.
#include <gtest/gtest.h>

#include <cstring>

#include "labs/nbody/test_bodies.h"

namespace lanewise::nbody_test {
namespace {

float poison() {
  const std::uint32_t bits = 0xA5A5A5A5;
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

void expect_near(const std::vector<float>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6 + 1e-6 * std::abs(want[i])) << i;
}

// What `problem`'s first `count` bodies alone, with no others, would give all of them.
std::vector<float> attracted_by(const Problem& problem, std::size_t from, std::size_t count) {
  Problem changed = problem;
  const std::size_t n = changed.inputs[0].shape[0];
  float* const all = elements<float>(changed.inputs[0]);
  for (std::size_t j = 0; j < n; ++j)
    if (j < from || j >= from + count) all[4 * j + 3] = 0;
  return right(changed);
}

// Body 0 of mass 125 at 0, body 1 of mass 250 at x = 3, softening 4: r2 is 25.
TEST(NbodyMistakes, OfTheLawByHand) {
  const Problem two = bodies("line", 2, 4);
  expect_near(outcome("mass left out", two), {3 / 125.0, 0, 0, -3 / 125.0, 0, 0});
  expect_near(outcome("own mass taken", two), {3, 0, 0, -6, 0, 0});
  expect_near(outcome("own mass taken as well", two), {750, 0, 0, -750, 0, 0});
  expect_near(outcome("bodies repel each other", two), {-6, 0, 0, 3, 0, 0});
  expect_near(outcome("divided by the square of the distance", two), {30, 0, 0, -15, 0, 0});
  expect_near(outcome("divided by the distance", two), {150, 0, 0, -75, 0, 0});
  expect_near(outcome("root not taken", two), {750 / 15625.0, 0, 0, -375 / 15625.0, 0, 0});
  const double not_squared = std::pow(9 + 4, -1.5);
  expect_near(outcome("softening not squared", two), {750 * not_squared, 0, 0, -375 * not_squared, 0, 0});
  for (const float x : outcome("softening left out", two)) EXPECT_TRUE(std::isnan(x));
  expect_near(outcome("softening left out", two, 1), {250 / 9.0, 0, 0, -125 / 9.0, 0, 0});
}

TEST(NbodyMistakes, OfTheBodiesThatAttract) {
  const Problem problem = bodies("uniform", 300, 0.25);
  const auto near = [](const std::vector<float>& got, const std::vector<float>& want) {
    expect_near(got, {want.begin(), want.end()});
  };
  near(outcome("last body left out", problem), attracted_by(problem, 0, 299));
  near(outcome("first body left out", problem), attracted_by(problem, 1, 299));
  near(outcome("last partial tile left out", problem), attracted_by(problem, 0, 256));
  near(outcome("only the first tile added up", problem, 1), attracted_by(problem, 0, 128));
  Problem doubled = problem;  // places 300 to 511 of tiles of 256 repeat bodies 44 to 255
  for (std::size_t j = 44; j < 256; ++j) elements<float>(doubled.inputs[0])[4 * j + 3] *= 2;
  near(outcome("rest of the last tile added again", problem), right(doubled));
  near(outcome("only the last bodies added up", problem), attracted_by(problem, 299, 1));
  near(outcome("only the last bodies added up", problem, 1), attracted_by(problem, 256, 44));
  const Problem longer = bodies("uniform", 257, 0.25);
  Problem repeated = longer;  // places 257 to 511 repeat body 256
  elements<float>(repeated.inputs[0])[4 * 256 + 3] *= 256;
  near(outcome("last body repeated", longer), right(repeated));
  const auto earlier = outcome("each pair added for one body only", problem);
  EXPECT_EQ(earlier[0], 0);
  EXPECT_NEAR(earlier[3 * 299], attracted_by(problem, 0, 299)[3 * 299], 1e-5);
  const auto later = outcome("each pair added for one body only", problem, 1);
  EXPECT_NEAR(later[0], attracted_by(problem, 1, 299)[0], 1e-5);
  EXPECT_EQ(later[3 * 299], 0);
}

TEST(NbodyMistakes, OfThePart) {
  const Problem some = part("uniform", 50, 20, 10);
  const auto whole = right(part("uniform", 50, 0, 50));
  EXPECT_EQ(outcome("first left out", some).size(), 30U);
  const auto by_the_part = attracted_by(part("uniform", 50, 0, 50), 20, 10);
  const auto by_as_many = attracted_by(part("uniform", 50, 0, 50), 0, 10);
  const auto by_a_tile = attracted_by(part("uniform", 50, 0, 50), 0, 32);
  for (std::size_t c = 0; c < 30; ++c) {
    EXPECT_NEAR(outcome("first left out", some)[c], whole[c], 1e-5);
    EXPECT_NEAR(outcome("only the attracted bodies attract", some)[c], by_the_part[60 + c], 1e-5);
    EXPECT_NEAR(outcome("only the attracted bodies attract", some, 1)[c], by_as_many[60 + c], 1e-5);
    EXPECT_NEAR(outcome("only the attracted bodies attract", some, 6)[c], by_a_tile[60 + c], 1e-5);
  }
}

TEST(NbodyMistakes, OfThePlaces) {
  const Problem problem = bodies("uniform", 300, 0.25);
  const auto all = right(problem);
  const auto by_axis = outcome("stored axis by axis", problem);
  const auto swapped = outcome("axes swapped", problem, 1);
  const auto partial = outcome("last partial block left out", problem);
  const auto first = outcome("only the first block has results", problem, 2);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float want = all[3 * i + axis];
      EXPECT_EQ(by_axis[axis * 300 + i], want);
      EXPECT_EQ(swapped[3 * i + (axis == 0 ? 0 : 3 - axis)], want);
      EXPECT_EQ(partial[3 * i + axis], i < 256 ? want : poison());
      EXPECT_EQ(first[3 * i + axis], i < 64 ? want : poison());
    }
}

TEST(NbodyMistakes, ResembleThemselvesButNotOneAnother) {
  const Problem problem = bodies("uniform", 300, 0.25);
  const auto nan = task().misconceptions.at(0).outcome(problem);
  EXPECT_TRUE(task().resembles(problem, nan, nan));
  EXPECT_FALSE(task().resembles(problem, nan, task().oracle(problem)));
  auto rounded = task().oracle(problem);
  elements<float>(rounded[0])[5] *= 1 + 1e-6F;
  EXPECT_TRUE(task().resembles(problem, rounded, task().oracle(problem)));
}

}  // namespace
}  // namespace lanewise::nbody_test
