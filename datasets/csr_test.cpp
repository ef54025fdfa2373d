// What is refused as compressed rows, and the sentence that says so.
#include "datasets/csr.h"

#include <gtest/gtest.h>

#include <string>

namespace lanewise {
namespace {

// 0 1 . / . . . / 1 . 2
Csr small() { return {3, 3, {0, 2, 2, 4}, {0, 1, 0, 2}, {1.0f, 2.0f, 3.0f, 4.0f}}; }

void expect_refused(const Csr& matrix, const std::string& part) {
  const auto error = check_csr(matrix);
  ASSERT_TRUE(error.has_value()) << part;
  EXPECT_NE(error->sentence.find(part), std::string::npos) << error->sentence;
}

TEST(Csr, AMatrixAndAGraphAreRight) {
  EXPECT_FALSE(check_csr(small()));
  Csr graph = small();
  graph.values.clear();
  EXPECT_FALSE(check_csr(graph));
}

TEST(Csr, NoRowsAndNoEntriesAreRight) {
  EXPECT_FALSE(check_csr({0, 0, {0}, {}, {}}));
  EXPECT_FALSE(check_csr({2, 0, {0, 0, 0}, {}, {}}));
}

TEST(Csr, ADefaultOneLacksItsFirstOffset) { expect_refused(Csr{}, "0 rows need 1 row offsets, not 0"); }

TEST(Csr, OffsetsThatFallAreRefused) {
  Csr matrix = small();
  matrix.row_offsets = {0, 3, 2, 4};
  expect_refused(matrix, "row 1 ends before it begins");
}

TEST(Csr, OffsetsBeginAtZeroAndEndAtTheNumberOfEntries) {
  Csr matrix = small();
  matrix.row_offsets = {1, 2, 2, 4};
  expect_refused(matrix, "the first row offset is 1, not 0");
  matrix.row_offsets = {0, 2, 2, 3};
  expect_refused(matrix, "the last row offset is 3, but there are 4 columns");
}

TEST(Csr, ColumnsOutsideAreRefusedTheFirstOneByName) {
  Csr matrix = small();
  matrix.columns = {0, 3, -1, 2};
  expect_refused(matrix, "entry 1 is in column 3 of a matrix of 3 columns");
  matrix.columns = {0, 1, -1, 7};
  expect_refused(matrix, "entry 2 is in column -1");
}

TEST(Csr, ValuesAreAsManyAsColumns) {
  Csr matrix = small();
  matrix.values.pop_back();
  expect_refused(matrix, "4 columns have 3 values");
}

TEST(Csr, SizesThatNoIndexCountsAreRefused) {
  expect_refused({-1, 3, {}, {}, {}}, "32-bit indices");
  expect_refused({0, std::int64_t{1} << 31, {0}, {}, {}}, "32-bit indices");
}

}  // namespace
}  // namespace lanewise
