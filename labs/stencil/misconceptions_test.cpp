// What typical mistakes make of small pictures and grids, by hand.
#include <gtest/gtest.h>

#include <cstring>

#include "labs/stencil/test_arrays.h"

namespace lanewise::stencil_test {
namespace {

// Pixels 1 2 3 4 / 5 6 7 8 / 9 10 11 12 under taps 1 2 3 / 4 5 6 / 7 8 9. Of the corner that holds 1:
float corner(const std::string& mistake, int which = 0) {
  return outcome("convolve", mistake, made("convolve", picture("counting", 4, 3, 1)), which).at(0);
}

TEST(StencilMistakes, OfTheMask) {
  EXPECT_EQ(corner("mask turned by 180 degrees"), 5 * 1 + 4 * 2 + 2 * 5 + 1 * 6);
  EXPECT_EQ(corner("mask transposed"), 5 * 1 + 8 * 2 + 6 * 5 + 9 * 6);
  EXPECT_EQ(corner("neighbourhood off centre"),
            1 * 1 + 2 * 2 + 3 * 3 + 4 * 5 + 5 * 6 + 6 * 7 + 7 * 9 + 8 * 10 + 9 * 11);
  EXPECT_EQ(corner("radius one too small"), 5 * 1);
  EXPECT_EQ(corner("last row and column of the mask left out"), 5 * 1);
}

TEST(StencilMistakes, OfTheBorder) {
  EXPECT_EQ(corner("border repeated outwards"), 1 * 1 + 2 * 1 + 3 * 2 + 4 * 1 + 5 * 1 + 6 * 2 + 7 * 5 + 8 * 5 + 9 * 6);
  EXPECT_EQ(corner("border mirrored"), 1 * 6 + 2 * 5 + 3 * 6 + 4 * 2 + 5 * 1 + 6 * 2 + 7 * 6 + 8 * 5 + 9 * 6);
  EXPECT_EQ(corner("border mirrored", 1), corner("border repeated outwards"));
  EXPECT_EQ(corner("picture wrapped around"), 1 * 12 + 2 * 9 + 3 * 10 + 4 * 4 + 5 * 1 + 6 * 2 + 7 * 8 + 8 * 5 + 9 * 6);
  EXPECT_EQ(corner("columns not tested"), 111 + 7 * 4);  // left of 5 lies 4, the end of the row before
}

TEST(StencilMistakes, OfTheHalo) {
  const Problem problem = made("convolve", picture("counting", 12, 12, 1));  // tiles of 8 x 8: the third entries
  const Numbers all = right("convolve", problem);
  const Numbers in = numbers_of(problem.inputs[0]);
  const std::size_t last = 7 * 12 + 7;  // the corner of the first tile
  EXPECT_EQ(outcome("convolve", "corners of the halo missing", problem, 2)[last], all[last] - 9 * in[8 * 12 + 8]);
  EXPECT_EQ(outcome("convolve", "halo missing", problem, 2)[last],
            1 * in[6 * 12 + 6] + 2 * in[6 * 12 + 7] + 4 * in[7 * 12 + 6] + 5 * in[7 * 12 + 7]);
}

// Pixels 1 to 9 in one tile: of the corner's neighbourhood, four pixels are in the tile.
TEST(StencilMistakes, OfATileThatIsNotLoaded) {
  const Problem problem = made("convolve", picture("counting", 3, 3, 1));
  const Numbers all = right("convolve", problem);
  const Numbers none = outcome("convolve", "halo not loaded", problem, 2);
  const Numbers corners = outcome("convolve", "corners of the halo not loaded", problem, 2);
  EXPECT_LT(none[0], -4e8f);  // 17 times what nothing was written to, -26.7 million
  EXPECT_LT(corners[0], -2.6e7f);
  EXPECT_GT(corners[0], -2.7e7f);
  EXPECT_EQ(corners[1], all[1]);
  EXPECT_EQ(none[4], all[4]);
  EXPECT_EQ(outcome("convolve", "all taps 0", problem), Numbers(9));
}

TEST(StencilMistakes, OfExtents) {
  const Problem problem = made("convolve", picture("counting", 4, 3, 1));
  EXPECT_EQ(outcome("convolve", "width and height swapped", problem)[0], 5 * 1 + 6 * 2 + 8 * 4 + 9 * 5);
  const Numbers out = outcome("convolve", "last column not computed", problem);
  const float none = untouched();
  EXPECT_EQ(std::memcmp(&out[3], &none, sizeof none), 0);
  EXPECT_EQ(out[2], 217);
}

// The inner point of a column of planes of 3 x 3 that hold 0, 8, 16, ...: its plane's number k gives 32 + 72 k.
float inner(const std::string& mistake, std::size_t plane, int which = 0) {
  return outcome("seven_point", mistake, made("seven_point", grid("counting", 3, 3, 20)), which).at(9 * plane + 4);
}

TEST(StencilMistakes, OfTheMarch) {
  const auto value = [](int plane) { return 32.0f + 72.0f * static_cast<float>(plane); };
  EXPECT_EQ(inner("below is the point itself", 3), value(3) + 72.0f / 8);
  EXPECT_EQ(inner("below is the point itself", 16, 1), value(16));  // where a march through 16 planes begins
  EXPECT_EQ(inner("below never moved on", 18, 1), value(18) + (value(15) - value(17)) / 8);
  EXPECT_EQ(inner("below already updated", 1), value(1));  // plane 0 is only copied
  EXPECT_EQ(inner("plane below a chunk missing", 16, 1), value(16) - value(15) / 8);
  EXPECT_EQ(inner("plane below a chunk missing", 17, 1), value(17));
  EXPECT_EQ(inner("plane above a chunk missing", 15, 1), value(15) - value(16) / 8);
  EXPECT_EQ(inner("plane above a chunk missing", 16, 1), value(16));
  EXPECT_EQ(inner("neighbours in z left out", 3), value(3) - 2 * value(3) / 8);
  EXPECT_EQ(inner("weight of the centre applied to all", 3), 7 * value(3) / 4);
}

TEST(StencilMistakes, OfTheIndexInAPlane) {
  const Problem dot = made("seven_point", grid("one_dot", 9, 5, 3));  // 8 in the middle, at (4, 2, 1)
  const Numbers out = outcome("seven_point", "rows ny apart", dot);
  EXPECT_EQ(out[(5 + 1) * 9 + 4], 0);  // the dot is 9 elements after this point, not 5
  EXPECT_EQ(out[(5 + 2) * 9 + 4 - 1], 1);
  EXPECT_EQ(out[(5 + 1) * 9 + 4 + 4], 0);  // 5 before the dot, but on the border
}

TEST(StencilMistakes, OfVectors) {
  const Problem dot = made("seven_point", grid("one_dot", 8, 5, 3));  // 8 in the middle, the second vector's first
  const Numbers out = outcome("seven_point", "vectors at the edges copied", dot);
  EXPECT_EQ(out[(5 + 2) * 8 + 4], 8);
  const Problem odd = made("seven_point", grid("one_dot", 9, 5, 3));
  EXPECT_EQ(outcome("seven_point", "vectors at the edges copied", odd), right("seven_point", odd));
}

TEST(StencilMistakes, OfTheGridsBorder) {
  const Problem dot = made("seven_point", grid("counting", 3, 3, 3));
  EXPECT_EQ(outcome("seven_point", "border computed with zeros", dot)[0], (8 + 24 + 72) / 8.0f);
  EXPECT_EQ(outcome("seven_point", "border computed with the point itself", dot)[0], (8 + 24 + 72) / 8.0f);
  EXPECT_EQ(outcome("seven_point", "border set to 0", dot)[26], 0);
  EXPECT_EQ(outcome("seven_point", "border set to 0", dot)[13], 104);
  EXPECT_EQ(outcome("seven_point", "grid wrapped around", dot)[0], (8 + 16 + 24 + 48 + 72 + 144) / 8.0f);
  const Numbers out = outcome("seven_point", "border not copied", dot);
  const float none = untouched();
  EXPECT_EQ(std::memcmp(&out[0], &none, sizeof none), 0);
  EXPECT_EQ(out[13], 104);
}

}  // namespace
}  // namespace lanewise::stencil_test
