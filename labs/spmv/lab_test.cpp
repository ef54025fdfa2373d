// The matrices of the lab spmv, their products, and when a product is right.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "labs/spmv/matrices.h"
#include "labs/spmv/test_matrices.h"

namespace lanewise::spmv_test {
namespace {

using labs::spmv_lab::Inputs;
using labs::spmv_lab::inputs_of;

std::vector<Parameters> small_cases() {
  std::vector<Parameters> all = {rows_of("", 5),        rows_of("0 0 0", 2), rows_of("1", 1),
                                 rows_of("3 0 5 1", 5), lengths(7, 100, 30), all_lengths(64, 900, 130)};
  for (const char* name : {"uniform", "dense row", "gaps"}) {
    Parameters parameters = kind(name);
    parameters.set("rows", std::int64_t{101});
    parameters.set("cols", std::int64_t{53});
    parameters.set("per_row", std::int64_t{4});
    all.push_back(parameters);
  }
  for (const char* name : {"poisson5", "poisson7", "poisson27"}) {
    Parameters parameters = kind(name);
    parameters.set("n", std::int64_t{5});
    all.push_back(parameters);
  }
  Parameters banded = kind("banded");
  banded.set("rows", std::int64_t{40});
  banded.set("half_width", std::int64_t{3});
  all.push_back(banded);
  Parameters rmat = kind("rmat");
  rmat.set("scale", std::int64_t{6});
  rmat.set("edge_factor", std::int64_t{4});
  all.push_back(rmat);
  return all;
}

TEST(SpmvMake, KeepsToTheContract) {
  for (const Parameters& parameters : small_cases()) {
    const Problem problem = made(parameters);
    const Inputs in = inputs_of(problem);
    ASSERT_EQ(problem.inputs.size(), 4u);
    EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{in.rows + 1});
    EXPECT_EQ(problem.inputs[1].shape, std::vector<std::int64_t>{in.nnz});
    EXPECT_EQ(problem.inputs[2].shape, std::vector<std::int64_t>{in.nnz});
    EXPECT_EQ(problem.inputs[3].shape, std::vector<std::int64_t>{in.cols});
    EXPECT_EQ(problem.outputs.at(0).shape, std::vector<std::int64_t>{in.rows});
    EXPECT_EQ(in.row_offsets[0], 0);
    EXPECT_EQ(in.row_offsets[in.rows], in.nnz);
    for (std::int64_t row = 0; row < in.rows; ++row) {
      ASSERT_LE(in.row_offsets[row], in.row_offsets[row + 1]);
      for (std::int64_t j = in.row_offsets[row]; j < in.row_offsets[row + 1]; ++j) {
        ASSERT_GE(in.columns[j], 0);
        ASSERT_LT(in.columns[j], in.cols);
        if (j > in.row_offsets[row]) {
          ASSERT_LT(in.columns[j - 1], in.columns[j]) << parameters.text("kind");
        }
      }
    }
  }
}

TEST(SpmvMake, RowsHaveTheLengthsAskedFor) {
  EXPECT_EQ(ints_of(made(rows_of("3 0 5 1", 5)).inputs[0]), (Ints{0, 3, 3, 8, 9}));
  EXPECT_EQ(ints_of(made(lengths(4, 10, 9)).inputs[0]), (Ints{0, 4, 8, 10}));
}

TEST(SpmvMake, AllLengthsHaveTheSameShare) {
  const Problem problem = made(all_lengths(64, 7 * 1024, 200));
  const Inputs in = inputs_of(problem);
  EXPECT_EQ(in.nnz, 7 * 1024);
  std::map<int, int> entries;
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const int length = in.row_offsets[row + 1] - in.row_offsets[row];
    entries[length] += length;
  }
  for (const int length : {1, 2, 4, 8, 16, 32, 64}) EXPECT_EQ(entries[length], 1024) << length;
}

TEST(SpmvMake, ALengthOfWholeRowsFillsThem) {
  const Problem problem = made(rows_of("6 6", 6));
  EXPECT_EQ(ints_of(problem.inputs[1]), (Ints{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
}

TEST(SpmvMake, IntegersAreWholeAndNotAllAlike) {
  Parameters parameters = lengths(7, 1000, 50);
  parameters.set("integers", std::int64_t{9});
  const Problem problem = made(parameters);
  for (const int which : {2, 3}) {
    const Floats values = floats_of(problem.inputs[static_cast<std::size_t>(which)]);
    for (const float value : values) {
      ASSERT_EQ(value, std::round(value));
      ASSERT_LE(std::abs(value), 9);
    }
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 0);
    EXPECT_LT(*std::min_element(values.begin(), values.end()), 0);
  }
}

TEST(SpmvMake, ZerosClearWholeRowsAndKeepTheirEntries) {
  Parameters parameters = rows_of("2 3 1 4", 9);
  parameters.set("zeros", std::int64_t{2});
  const Problem problem = made(parameters);
  EXPECT_EQ(integer_scalar(problem, "nnz"), 10);
  const Floats values = floats_of(problem.inputs[2]);
  for (const std::size_t j : {0u, 1u, 5u}) EXPECT_EQ(values[j], 0);
  for (const std::size_t j : {2u, 3u, 4u, 6u, 7u, 8u, 9u}) EXPECT_NE(values[j], 0);
}

TEST(SpmvMake, ScaledRowsDifferInMagnitude) {
  Parameters parameters = lengths(3, 600, 50);
  parameters.set("scaled", true);
  const Problem problem = made(parameters);
  float least = 1, greatest = 0;
  for (const float value : floats_of(problem.inputs[2])) {
    greatest = std::max(greatest, std::abs(value));
    least = std::min(least, std::abs(value));
  }
  EXPECT_GT(greatest, 100);
  EXPECT_LT(least, 1e-5);
}

TEST(SpmvMake, XIsFreshForEverySeed) {
  Parameters poisson = kind("poisson7");
  poisson.set("n", std::int64_t{5});
  EXPECT_NE(floats_of(made(poisson, 1).inputs[3]), floats_of(made(poisson, 2).inputs[3]));
  EXPECT_EQ(floats_of(made(poisson, 1).inputs[2]), floats_of(made(poisson, 2).inputs[2])) << "the matrix is what it is";
}

TEST(SpmvMake, AFileThatIsNotThereIsMissingData) {
  Parameters parameters = kind("file");
  parameters.set("name", std::string("no such matrix.mtx"));
  EXPECT_TRUE(std::holds_alternative<MissingData>(task().make(parameters, 1)));
}

TEST(SpmvMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made(kind("dense")), std::invalid_argument);
  EXPECT_THROW(made(rows_of("3 x", 9)), std::invalid_argument);
  EXPECT_THROW(made(rows_of("3 -1", 9)), std::invalid_argument);
  EXPECT_THROW(made(rows_of("10", 9)), std::invalid_argument);
  EXPECT_THROW(made(lengths(0, 9, 9)), std::invalid_argument);
  EXPECT_THROW(made(Parameters()), std::invalid_argument);
}

TEST(SpmvOracle, ByHand) {
  const Problem problem = problem_of({0, 2, 2, 5, 6}, {0, 3, 0, 1, 2, 1}, {2, 1, 1, 4, 3, 5}, {1, 2, 3, 4});
  EXPECT_EQ(floats_of(task().oracle(problem).at(0)), (Floats{6, 0, 18, 10}));
}

// More rows and entries than one thread is given at a time; empty rows lie at the borders between pieces.
TEST(SpmvOracle, AcrossPieces) {
  constexpr std::int64_t kRows = 700'000;
  Ints row_offsets = {0};
  Ints columns;
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t k = 0; k < row % 4; ++k) columns.push_back(static_cast<std::int32_t>(k));
    row_offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const Problem problem = problem_of(row_offsets, columns, Floats(columns.size(), 1), {1, 10, 100});
  const Floats y = floats_of(task().oracle(problem).at(0));
  const Floats expected = {0, 1, 11, 111};
  for (std::size_t row = 0; row < y.size(); ++row) ASSERT_EQ(y[row], expected[row % 4]) << row;
}

TEST(SpmvJudge, HoldsEveryRowToItsOwnBound) {
  // Both rows have two products. The second is 2^20 times as large, and may be that much further off.
  const Problem problem = problem_of({0, 2, 4}, {0, 1, 0, 1}, {1, -1, 1048576, -1048576}, {1, 1});
  const auto expected = task().oracle(problem);
  const double bound = 16 * std::sqrt(2.0) * std::ldexp(1.0, -24) * 2;  // of the first row
  const auto is_right = [&](double first, double second) {
    auto got = expected;
    elements<float>(got[0])[0] = static_cast<float>(first);
    elements<float>(got[0])[1] = static_cast<float>(second);
    return task().judge(problem, expected, got).right;
  };
  EXPECT_TRUE(is_right(0, 0));
  EXPECT_TRUE(is_right(0.99 * bound, 0.99 * bound * 1048576));
  EXPECT_FALSE(is_right(1.01 * bound, 0));
  EXPECT_FALSE(is_right(0, 1.01 * bound * 1048576));
}

TEST(SpmvJudge, AnEmptyRowAndARowOfZerosMustBeZero) {
  const Problem problem = problem_of({0, 0, 2}, {0, 1}, {0, 0}, {1, 1});
  const auto expected = task().oracle(problem);
  EXPECT_TRUE(task().judge(problem, expected, {array_of<float>("y", {0, -0.0f})}).right);
  EXPECT_FALSE(task().judge(problem, expected, {array_of<float>("y", {untouched(), 0})}).right);
  EXPECT_FALSE(task().judge(problem, expected, {array_of<float>("y", {0, untouched()})}).right);
}

TEST(SpmvJudge, WrongOutcomesResembleEachOtherByTheBoundOfTheRowThatMayBeOffMost) {
  // The first row must be exactly 0 to be right; a wrong outcome may have summed up the second one there.
  const Problem problem = problem_of({0, 0, 2}, {0, 1}, {1, -1}, {1, 1});
  const double bound = 16 * std::sqrt(2.0) * std::ldexp(1.0, -24) * 2;
  const auto resembles = [&](double off) {
    return task().resembles(problem, {array_of<float>("y", {0.5F, 0})},
                            {array_of<float>("y", {0.5F + static_cast<float>(off), 0})});
  };
  EXPECT_TRUE(resembles(0.9 * bound));
  EXPECT_FALSE(resembles(1.1 * bound));
}

TEST(SpmvJudge, NeverTakesNanOrInfinity) {
  const Problem problem = problem_of({0, 1}, {0}, {1}, {1});
  const auto expected = task().oracle(problem);
  for (const float value : {std::nanf(""), HUGE_VALF, -HUGE_VALF})
    EXPECT_FALSE(task().judge(problem, expected, {array_of<float>("y", {value})}).right);
}

TEST(SpmvWork, IsEightBytesAnEntryAndFourAnOffsetAnXAndAY) {
  const Problem problem = made(lengths(5, 1000, 70));  // 200 rows
  EXPECT_EQ(task().work(problem).bytes, 8 * 1000 + 4 * (201 + 70 + 200));
  EXPECT_EQ(task().work(problem).flops, 2000);
}

TEST(SpmvWork, CountsNoMoreOfXThanEntriesCanNeed) {
  EXPECT_EQ(task().work(made(rows_of("2 1", 1000))).bytes, 8 * 3 + 4 * (3 + 3 + 2));
}

}  // namespace
}  // namespace lanewise::spmv_test
