// What each typical mistake makes of an array, by hand.
#include <gtest/gtest.h>

#include <numeric>

#include "labs/reduction/test_arrays.h"

namespace lanewise::reduction_test {
namespace {

float wrong_sum(const std::string& name, const Floats& x, int which = 0) {
  return outcome<float>("sum", name, problem_of(x), which);
}
std::int64_t wrong_index(const std::string& name, const Integers& x, int which = 0) {
  return outcome<std::int64_t>("arg_max", name, problem_of(x), which);
}

// 300 elements: 1, 2, ... 300. The second entries are those of blocks of 256.
TEST(SumMistakes, OfCoverage) {
  Floats x(300);
  std::iota(x.begin(), x.end(), 1.0f);
  EXPECT_EQ(wrong_sum("only the first block", x, 1), 256 * 257 / 2);
  EXPECT_EQ(wrong_sum("last partial block skipped", x, 1), 256 * 257 / 2);
  EXPECT_EQ(wrong_sum("last partial block skipped", x), 0) << "not even one block of 1024";
  EXPECT_EQ(wrong_sum("each block overwrote the one before", x, 1), 300 * 301 / 2 - 256 * 257 / 2);
  EXPECT_EQ(wrong_sum("only the first element of each block", x, 1), 1 + 257);
  EXPECT_EQ(wrong_sum("only the first warp of each block", x, 1), 32 * 33 / 2 + 32 * (257 + 288) / 2);
}

TEST(SumMistakes, OfTheTree) {
  EXPECT_EQ(wrong_sum("last step of the tree missing", {1, 20, 300, 4000}), 301) << "sequential: even places";
  Floats x(256, 1.0f);
  x[128] = 1000;
  EXPECT_EQ(wrong_sum("last step of the tree missing", x, 2), 128) << "interleaved: the first half of 256";
}

TEST(SumMistakes, OfAddingTooOften) {
  const Floats x(300, 1.0f);
  EXPECT_EQ(wrong_sum("added by every thread", x), 256 * 300);
  EXPECT_EQ(wrong_sum("added by every thread", x, 1), 512 * 300);
  EXPECT_EQ(wrong_sum("shuffled without all lanes", x), 4 * 300);
}

TEST(SumMistakes, OfTypes) { EXPECT_EQ(wrong_sum("added up as integers", {0.5f, 1.75f, -2.25f, 4}), 3); }

TEST(SumMistakes, OfNothing) {
  EXPECT_NE(wrong_sum("nothing written without elements", {}), 0);
  EXPECT_EQ(wrong_sum("nothing written without elements", {2, 3}), 5);
}

TEST(ArgMaxMistakes, OfComparisons) {
  EXPECT_EQ(wrong_index("last of equal maxima", {4, 9, 2, 9, 1}), 3);
  EXPECT_EQ(wrong_index("least element found", {4, 9, 2, 9, 1}), 4);
  EXPECT_EQ(wrong_index("compared without sign", {4, 9, -1, 9}), 2);
  EXPECT_EQ(wrong_index("compared as floats", {1'073'741'824, 1'073'741'825}), 0);
  EXPECT_EQ(right_index({1'073'741'824, 1'073'741'825}), 1);
}

TEST(ArgMaxMistakes, OfTheBeginning) {
  EXPECT_EQ(wrong_index("maximum begun with 0", {-4, -1, -3}), -1);
  EXPECT_EQ(wrong_index("maximum begun with 0", {-4, -1, -3}, 1), 0);
  EXPECT_EQ(wrong_index("maximum begun with 0", {-4, 0, -3}), -1);
  EXPECT_EQ(wrong_index("maximum begun with 0", {-4, -1, -3}, 2), 4'294'967'295);
  EXPECT_EQ(wrong_index("maximum begun with 0", {-4, 2, -3}), 1);
}

TEST(ArgMaxMistakes, OfIndices) {
  Integers x(300);
  std::iota(x.begin(), x.end(), 1);
  EXPECT_EQ(wrong_index("value stored instead of the index", x), 300);
  EXPECT_EQ(wrong_index("index within the block", x, 1), 299 - 256);
  EXPECT_EQ(wrong_index("only the first block", x, 1), 255);
  EXPECT_EQ(wrong_index("last partial block skipped", x, 7), 299) << "300 is a multiple of 4";
  EXPECT_EQ(wrong_index("last partial block skipped", x, 6), 287);
}

TEST(ArgMaxMistakes, OfPacking) {
  const Integers x = {-4, 9, 2};
  EXPECT_EQ(wrong_index("complement stored instead of the index", x), 4'294'967'294);
  EXPECT_EQ(wrong_index("complement stored instead of the index", x, 1), -2);
  EXPECT_EQ(static_cast<std::uint64_t>(wrong_index("packed number stored instead of the index", x)),
            0x8000'0009'ffff'fffe);
  EXPECT_EQ(wrong_index("values without effect", x), 0);
  EXPECT_EQ(wrong_index("last partial block skipped", x, 7), 4'294'967'295) << "not even one vector";
}

TEST(ArgMaxMistakes, OfNothing) {
  EXPECT_NE(wrong_index("nothing written without elements", {}), -1);
  EXPECT_EQ(wrong_index("nothing written without elements", {2, 3}), 1);
}

}  // namespace
}  // namespace lanewise::reduction_test
