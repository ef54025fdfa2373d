// What each typical mistake makes of small matrices, by hand, and of tiles.
#include <gtest/gtest.h>

#include <cstring>

#include "labs/transpose/test_matrices.h"

namespace lanewise::transpose_test {
namespace {

float of_byte(int byte) {
  float value = 0;
  std::memset(&value, byte, sizeof(value));
  return value;
}

const float kNone = of_byte(0xA5);  // the poison as a float
const float kJunk = of_byte(0xCB);  // memory of the virtual GPU that nothing was written to

// 0 1 2
// 3 4 5
TEST(TransposeMistakes, OfIndices) {
  const Problem problem = counting(2, 3);
  EXPECT_EQ(right(problem), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(outcome("indices swapped on both sides", problem), (Floats{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(outcome("rows and columns change roles", problem), (Floats{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(outcome("rows of the wrong length written", problem), (Floats{0, 3, kNone, 1, 4, kNone}));
}

TEST(TransposeMistakes, OfIndicesDoNotShowInSquares) {
  const Problem square = counting(40, 40);
  EXPECT_EQ(outcome("rows and columns change roles", square), right(square));
  EXPECT_EQ(outcome("rows of the wrong length written", square), right(square));
}

// 64 x 32: the tile of the first 32 rows, and the tile of the others. Element (r, c) is 32 r + c; the output has rows
// of 64.
TEST(TransposeMistakes, OfTiles) {
  const Problem tall = counting(64, 32);
  EXPECT_EQ(right(tall)[64 * 1 + 40], 32 * 40 + 1);
  const Floats turned = outcome("only the tiles turned", tall);
  EXPECT_EQ(turned[64 * 1 + 2], 32 * 2 + 1);
  EXPECT_EQ(turned[64 * 1 + 40], kNone);  // the second tile lies outside the output
  const Floats moved = outcome("only the tiles moved", tall);
  EXPECT_EQ(moved[64 * 1 + 2], 32 * 1 + 2);
  EXPECT_EQ(moved[64 * 1 + 40], 32 * (32 + 1) + 8);
}

TEST(TransposeMistakes, OfTilesThatAreNotFull) {
  const Problem wide = counting(2, 3);  // one tile of 32 x 32, of which 2 x 3 elements are loaded
  EXPECT_EQ(outcome("only the tiles moved", wide), (Floats{0, 1, 3, 4, kJunk, kJunk}));
}

TEST(TransposeMistakes, OfCoverage) {
  const Problem problem = counting(70, 40);
  const Floats all = right(problem);
  const Floats whole = outcome("tiles at the edges lost", problem);
  const Floats diagonal = outcome("only tiles on the diagonal", problem);
  const Floats swapped = outcome("grid's extents swapped", problem);
  const Floats mirrored = outcome("the input's test used for the output", problem);
  for (std::size_t c = 0; c < 40; ++c)
    for (std::size_t r = 0; r < 70; ++r) {
      const std::size_t i = c * 70 + r;
      EXPECT_EQ(whole[i], r < 64 && c < 32 ? all[i] : kNone) << r << ", " << c;
      EXPECT_EQ(diagonal[i], r / 32 == c / 32 ? all[i] : kNone) << r << ", " << c;
      EXPECT_EQ(swapped[i], r < 64 ? all[i] : kNone) << r << ", " << c;
      const bool is_tested_right = r / 32 * 32 + c % 32 < 70 && c / 32 * 32 + r % 32 < 40;
      EXPECT_EQ(mirrored[i], is_tested_right ? all[i] : kNone) << r << ", " << c;
    }
}

// One tile of 32 x 32 and blocks of eight rows, of whose threads those with x < 20 and y < 12 have an element to load.
TEST(TransposeMistakes, OfSeveralElementsPerThread) {
  const Problem problem = counting(12, 20);
  const Floats all = right(problem);
  const Floats left_early = outcome("left before the store", problem);
  const Floats repeated = outcome("first row loaded again", problem);
  for (std::size_t c = 0; c < 20; ++c)
    for (std::size_t r = 0; r < 12; ++r) {
      const std::size_t i = c * 12 + r;
      EXPECT_EQ(left_early[i], all[i]) << r << ", " << c << ": threads of all eight rows have a first element";
      EXPECT_EQ(repeated[i], r < 8 ? all[i] : all[i - 8]) << r << ", " << c;
    }
  const Floats flat = outcome("left before the store", counting(3, 20));
  for (std::size_t c = 0; c < 20; ++c)
    EXPECT_EQ(flat[c * 3], c % 8 < 3 ? static_cast<float>(c) : kNone) << "of row 0, column " << c;
}

TEST(TransposeMistakes, OfNothingAreNothing) {
  for (const Misconception& mistake : task().misconceptions)
    EXPECT_TRUE(mistake.outcome(made(shape(0, 7))).at(0).bytes.empty()) << mistake.name;
}

}  // namespace
}  // namespace lanewise::transpose_test
