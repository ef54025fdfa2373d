// Each pattern a typical mistake leaves gets its words, and no words claim more than is so.
#include "harness/lab/region.h"

#include <gtest/gtest.h>

#include <functional>

namespace lanewise {
namespace {

std::string line_region(std::int64_t n, const std::function<bool(std::int64_t)>& is_wrong) {
  WrongRegion region({"x", DType::kFloat32, {n}});
  for (std::int64_t i = 0; i < n; ++i)
    if (is_wrong(i)) region.add(i);
  return region.describe();
}

std::string matrix_region(std::int64_t rows, std::int64_t columns,
                          const std::function<bool(std::int64_t, std::int64_t)>& is_wrong) {
  WrongRegion region({"x", DType::kUint8, {rows, columns}});
  for (std::int64_t i = 0; i < rows * columns; ++i)
    if (is_wrong(i / columns, i % columns)) region.add(i);
  return region.describe();
}

TEST(Region, NothingWrongHasNoRegion) {
  EXPECT_EQ(line_region(10, [](auto) { return false; }), "");
}

TEST(Region, AllWrongIsEverywhere) {
  EXPECT_EQ(line_region(10, [](auto) { return true; }), "everywhere");
  EXPECT_EQ(line_region(1, [](auto) { return true; }), "the only element");
  EXPECT_EQ(matrix_region(3, 4, [](auto, auto) { return true; }), "everywhere");
}

TEST(Region, SingleElements) {
  EXPECT_EQ(line_region(9, [](auto i) { return i == 0; }), "the first element");
  EXPECT_EQ(line_region(9, [](auto i) { return i == 8; }), "the last element");
  EXPECT_EQ(line_region(9, [](auto i) { return i == 4; }), "element 4 only");
  EXPECT_EQ(matrix_region(4, 5, [](auto r, auto c) { return r == 2 && c == 3; }), "row 2, column 3 only");
}

TEST(Region, RunsSayWhereTheyBeginAndEnd) {
  EXPECT_EQ(line_region(1500, [](auto i) { return i >= 1024; }), "from 1024 to the end");
  EXPECT_EQ(line_region(1500, [](auto i) { return i < 256; }), "the first 256 elements");
  EXPECT_EQ(line_region(1500, [](auto i) { return i >= 30 && i <= 40; }), "from 30 to 40");
}

TEST(Region, TwoElementsApartAreNamed) {
  EXPECT_EQ(line_region(1000, [](auto i) { return i == 0 || i == 999; }), "the first and the last element");
  EXPECT_EQ(line_region(1000, [](auto i) { return i == 7 || i == 40; }), "elements 7 and 40");
  EXPECT_EQ(line_region(1000, [](auto i) { return i == 7 || i == 8; }), "from 7 to 8");
}

TEST(Region, StridesAreCounted) {
  EXPECT_EQ(line_region(100, [](auto i) { return i % 2 == 1; }), "every second element, beginning with 1");
  EXPECT_EQ(line_region(100, [](auto i) { return i % 3 == 0; }), "every third element, beginning with 0");
  EXPECT_EQ(line_region(1000, [](auto i) { return i % 21 == 4; }), "every 21st element, beginning with 4");
  EXPECT_EQ(line_region(1000, [](auto i) { return i % 112 == 4; }), "every 112th element, beginning with 4");
  EXPECT_EQ(line_region(100, [](auto i) { return i % 2 == 0 && i >= 10 && i <= 20; }),
            "every second element, beginning with 10 to 20");
}

TEST(Region, PartOfEachBlockIsSeenAsARepetition) {
  // 1,000 is not a multiple of 256: the last block is partial and still belongs to the pattern.
  EXPECT_EQ(line_region(1000, [](auto i) { return i % 256 >= 128; }), "elements 128 to 255 of every 256");
  EXPECT_EQ(line_region(1000, [](auto i) { return i % 256 >= 128 && i != 200; }), "scattered from 128 to 999");
}

TEST(Region, NearlyCompleteRunsAreCalledAlmost) {
  EXPECT_EQ(line_region(1000, [](auto i) { return i >= 500 && i % 50 != 7; }), "almost all from 500 to the end");
  EXPECT_EQ(line_region(1000, [](auto i) { return i % 50 != 7; }), "almost everywhere");
}

TEST(Region, WholeRowsAndColumns) {
  EXPECT_EQ(matrix_region(7, 9, [](auto, auto c) { return c == 8; }), "the last column");
  EXPECT_EQ(matrix_region(7, 9, [](auto, auto c) { return c == 0; }), "the first column");
  EXPECT_EQ(matrix_region(7, 9, [](auto r, auto) { return r >= 3 && r <= 5; }), "rows 3 to 5");
  EXPECT_EQ(matrix_region(7, 9, [](auto r, auto) { return r >= 3; }), "rows 3 to the last");
  EXPECT_EQ(matrix_region(7, 9, [](auto, auto c) { return c % 2 == 1; }),
            "every second column, beginning with column 1");
  EXPECT_EQ(matrix_region(7, 9, [](auto r, auto) { return r == 0 || r == 6; }), "the first and the last row");
  EXPECT_EQ(matrix_region(7, 9, [](auto r, auto) { return r == 1 || r == 2 || r == 5; }),
            "3 rows between row 1 and row 5");
}

TEST(Region, BorderOfAnImage) {
  const auto border = [](std::int64_t width) {
    return [width](std::int64_t r, std::int64_t c) {
      return r < width || c < width || r >= 40 - width || c >= 50 - width;
    };
  };
  EXPECT_EQ(matrix_region(40, 50, border(1)), "the border, 1 element wide");
  EXPECT_EQ(matrix_region(40, 50, border(3)), "the border, 3 elements wide");
  const auto patchy = [&](std::int64_t r, std::int64_t c) { return border(3)(r, c) && (r * 50 + c) % 5 != 0; };
  EXPECT_EQ(matrix_region(40, 50, patchy), "only within 3 elements of the border");
}

TEST(Region, BoxesNameRowsAndColumns) {
  EXPECT_EQ(matrix_region(40, 50, [](auto r, auto c) { return r >= 32 && c >= 48; }),
            "rows 32 to the last, columns 48 to the last");
  EXPECT_EQ(matrix_region(40, 50, [](auto r, auto c) { return r >= 3 && r <= 5 && c >= 7 && c <= 9; }),
            "rows 3 to 5, columns 7 to 9");
}

TEST(Region, RunsThroughAMatrixNameRowAndColumn) {
  EXPECT_EQ(matrix_region(4, 10, [](auto r, auto c) { return r * 10 + c >= 25; }), "from row 2, column 5 to the end");
}

TEST(Region, OneRowImageIsALine) {
  EXPECT_EQ(matrix_region(1, 100, [](auto, auto c) { return c >= 64; }), "from 64 to the end");
}

TEST(Region, ScatteredElementsClaimNoPattern) {
  EXPECT_EQ(matrix_region(20, 20, [](auto r, auto c) { return (r * 7 + c * c) % 5 == 0; }),
            "scattered over the first 19 rows, all columns");
  EXPECT_EQ(matrix_region(20, 20, [](auto r, auto c) { return (r * 3 + c * 7) % 19 == 0; }),
            "scattered over the whole array");
}

}  // namespace
}  // namespace lanewise
