// What each typical mistake makes of a matrix, by hand.
#include <gtest/gtest.h>

#include <vector>

#include "labs/spmv/test_matrices.h"

namespace lanewise::spmv_test {
namespace {

const float kNone = untouched();

// Rows: 2 at column 0 and 1 at column 3; none; 1, 4 and 3 at columns 0, 1 and 2; 5 at column 1.
Problem small() { return problem_of({0, 2, 2, 5, 6}, {0, 3, 0, 1, 2, 1}, {2, 1, 1, 4, 3, 5}, {1, 2, 3, 4}); }

// One row of `count` entries, whose products are 1, 2, 3, ...
Problem one_row(int count) {
  Ints columns;
  Floats values;
  for (int j = 0; j < count; ++j) {
    columns.push_back(j);
    values.push_back(static_cast<float>(j + 1));
  }
  return problem_of({0, count}, columns, values, Floats(static_cast<std::size_t>(count), 1));
}

// Two rows of `first` and `second` entries, whose products are all 1.
Problem two_rows(int first, int second) {
  Ints columns;
  for (int j = 0; j < first; ++j) columns.push_back(j);
  for (int j = 0; j < second; ++j) columns.push_back(j);
  return problem_of({0, first, first + second}, columns, Floats(columns.size(), 1), Floats(columns.size(), 1));
}

// 1 + 2 + ... + n
float sum_to(int n) { return 0.5f * static_cast<float>(n * (n + 1)); }

TEST(SpmvMistakes, OfRows) {
  EXPECT_EQ(outcome("empty rows never written", small()), (Floats{6, kNone, 18, 10}));
  EXPECT_EQ(outcome("added to the old y", small()), (Floats{6, kNone, 18, 10})) << "6 + -3e-16 is 6";
  EXPECT_EQ(outcome("last row left out", small()), (Floats{6, 0, 18, kNone}));
  EXPECT_EQ(outcome("last partial block of rows skipped", small()), (Floats{kNone, kNone, kNone, kNone}));
  EXPECT_EQ(outcome("only the first block of rows written", small()), (Floats{6, 0, 18, 10}));
}

TEST(SpmvMistakes, OfPartialBlocks) {
  const Problem problem = problem_of(Ints(11, 0), {}, {}, {});  // ten empty rows; the second entry: blocks of 8
  EXPECT_EQ(outcome("last partial block of rows skipped", problem, 1), (Floats{0, 0, 0, 0, 0, 0, 0, 0, kNone, kNone}));
  EXPECT_EQ(outcome("only the first block of rows written", problem, 1),
            (Floats{0, 0, 0, 0, 0, 0, 0, 0, kNone, kNone}));
}

TEST(SpmvMistakes, AddingToTheOldYShowsInRowsOfZerosToo) {
  const Problem zeros = problem_of({0, 1}, {0}, {0}, {5});
  EXPECT_EQ(outcome("added to the old y", zeros), (Floats{kNone}));
  EXPECT_EQ(outcome("empty rows never written", zeros), (Floats{0}));
}

TEST(SpmvMistakes, OfTransposing) {
  // y[0] = 2 x[0] + 1 x[2], y[1] = 4 x[2] + 5 x[3], y[2] = 3 x[2], y[3] = 1 x[0]
  EXPECT_EQ(outcome("transposed", small()), (Floats{5, 32, 9, 1}));
  const Problem tall = problem_of({0, 1, 2}, {0, 0}, {1, 1}, {1});  // x has no element for row 1
  for (const Misconception& mistake : task().misconceptions) {
    const bool reads_behind_x = mistake.name == "transposed" || mistake.name == "x taken at the row";
    EXPECT_EQ(mistake.outcome(tall).empty(), reads_behind_x) << mistake.name;
  }
}

TEST(SpmvMistakes, OfProducts) {
  EXPECT_EQ(outcome("last entry of each row left out", small()), (Floats{2, 0, 9, 0}));
  EXPECT_EQ(outcome("first entry of each row left out", small()), (Floats{4, 0, 17, 0}));
  EXPECT_EQ(outcome("only the last product kept", small()), (Floats{4, 0, 9, 10}));
  EXPECT_EQ(outcome("column index ignored", small()), (Floats{4, 0, 18, 5}));
  EXPECT_EQ(outcome("x taken at the row", small()), (Floats{3, 0, 24, 20}));
}

TEST(SpmvMistakes, OfLanes) {
  // 35 products: 1 ... 35. A warp's first step has 1 ... 32.
  EXPECT_EQ(outcome("long rows cut off", one_row(35)), (Floats{sum_to(32)}));
  EXPECT_EQ(outcome("rest of long rows left out", one_row(35)), (Floats{sum_to(32)}));
  EXPECT_EQ(outcome("rest of long rows left out", one_row(31)), (Floats{0}));
  EXPECT_EQ(outcome("lanes not added together", one_row(35)), (Floats{1 + 33}));
  EXPECT_EQ(outcome("last step of the sum over lanes missing", one_row(5)), (Floats{1 + 3 + 5}));
  EXPECT_EQ(outcome("a lane other than the first stores", one_row(35)), (Floats{32 * 32}));
}

TEST(SpmvMistakes, OfLanesByMeanLength) {  // the second entry of each name
  EXPECT_EQ(outcome("lanes not added together", one_row(3), 1), (Floats{1})) << "four lanes";
  EXPECT_EQ(outcome("a lane other than the first stores", one_row(4), 1), (Floats{4 * 4})) << "four lanes";
  EXPECT_EQ(outcome("shuffled sums not added", one_row(4), 1), (Floats{4})) << "four lanes";
  EXPECT_EQ(outcome("long rows cut off", one_row(40), 1), (Floats{sum_to(32)})) << "a warp at most";
  EXPECT_EQ(outcome("long rows cut off", small(), 1), (Floats{6, 0, 9, 10})) << "two lanes at least";
}

TEST(SpmvMistakes, OfLanesThatTakeTheSameEntries) {
  // One row of 3 for four lanes, the second number of lanes of three mistakes each: lanes go on one by one, begin at
  // the first entry, or both.
  const char* const name = "entries taken by several lanes";
  EXPECT_EQ(outcome(name, one_row(3), 3), (Floats{1 * 1 + 2 * 2 + 3 * 3}));
  EXPECT_EQ(outcome(name, one_row(3), 4), (Floats{4 * 1}));
  EXPECT_EQ(outcome(name, one_row(3), 5), (Floats{4 * sum_to(3)}));
}

TEST(SpmvMistakes, OfGroupsTakenForWarps) {
  // The third entry is for 16 lanes, which of 40 products take 1 ... 16 and 33 ... 40.
  EXPECT_EQ(outcome("steps longer than the group", one_row(40), 2), (Floats{sum_to(16) + sum_to(40) - sum_to(32)}));
  EXPECT_EQ(outcome("distances longer than the group", one_row(40), 2), (Floats{2 * sum_to(40)}));
  EXPECT_EQ(outcome("only the first row of each warp written", small()), (Floats{6, kNone, kNone, kNone}));
}

TEST(SpmvMistakes, OfShufflesThatReachOtherRows) {
  // Two rows of 16 lanes. Lane 0 gets the sums of all lanes; lane 16, twice those of lanes 16 to 31.
  const Problem problem = problem_of({0, 2, 3}, {0, 1, 0}, {1, 2, 4}, {1, 1});
  EXPECT_EQ(outcome("sums of several rows added", problem, 2), (Floats{7, 8}));
}

TEST(SpmvMistakes, OfAGridWithTooFewThreads) {
  const Problem problem = problem_of(Ints(11, 0), {}, {}, {});  // ten empty rows; a block of 256 threads has 8 warps
  EXPECT_EQ(outcome("a thread for every row, but several lanes", problem),
            (Floats{0, 0, 0, 0, 0, 0, 0, 0, kNone, kNone}));
}

TEST(SpmvMistakes, OfCarries) {
  // 20 products in threads of 7 steps (the second entry): 1 ... 7, 8 ... 14, and 15 ... 20 with the row's end.
  EXPECT_EQ(outcome("carries lost", one_row(20), 1), (Floats{15 + 16 + 17 + 18 + 19 + 20}));
  EXPECT_EQ(outcome("only one carry of a row added", one_row(20), 1), (Floats{sum_to(20) - sum_to(7)}));
  EXPECT_EQ(outcome("rows end with their piece", one_row(20), 1), (Floats{sum_to(7)}));
  // 14 products: the row's end is the first step of the third thread, which has no entry.
  EXPECT_EQ(outcome("carries lost", one_row(14), 1), (Floats{0}));
  EXPECT_EQ(outcome("rows end with their piece", one_row(7), 1), (Floats{sum_to(7)}));
}

TEST(SpmvMistakes, OfCarriesLeaveRowsWithinAPieceAlone) {
  for (const char* name : {"carries lost", "only one carry of a row added", "rows end with their piece"})
    EXPECT_EQ(outcome(name, small()), (Floats{6, 0, 18, 10})) << name;
}

TEST(SpmvMistakes, OfASumThatIsNeverReset) {
  // Shares of 7 steps: 5 products, a row's end and a product; 7 products; a product and a row's end.
  EXPECT_EQ(outcome("sum not reset after a row", two_rows(5, 9)), (Floats{5, 6 + 7 + 1}));
  // 6 products and a row's end; 4 products and a row's end. No product is left over for the second row.
  EXPECT_EQ(outcome("sum not reset after a row", two_rows(6, 4)), (Floats{6, 4})) << "adds only what it has taken";
  EXPECT_EQ(outcome("sum not reset after a row", two_rows(6, 4), 1), (Floats{6, 6 + 4})) << "adds in any case";
  // 2 products, a row's end, 3 products and a row's end
  EXPECT_EQ(outcome("sum not reset after a row", two_rows(2, 3)), (Floats{2, 5}));
}

TEST(SpmvMistakes, OfAWalkThatStopsBeforeTheFlaggedCarry) {
  // Entries: both walks are wrong; the block's begins with the last thread's carry; only that of the threads is wrong.
  const char* const name = "walk stopped before the flagged carry";
  for (const int which : {0, 1, 2}) {
    // The first share of 7 steps has a row's end and 4 of 6 products of the next row.
    EXPECT_EQ(outcome(name, two_rows(2, 6), which), (Floats{2, 6 - 4})) << which;
    EXPECT_EQ(outcome(name, two_rows(6, 9), which), (Floats{6, 9})) << "none of its products: " << which;
  }
  // Of the 256 shares before the block's border at step 1792, the last one has 2 of 7 products,
  EXPECT_EQ(outcome(name, two_rows(1789, 7), 0), (Floats{1789, 7 - 2}));
  EXPECT_EQ(outcome(name, two_rows(1789, 7), 1), (Floats{1789, 7}));
  EXPECT_EQ(outcome(name, two_rows(1789, 7), 2), (Floats{1789, 7}));
  // and the one before it 4 of 20.
  EXPECT_EQ(outcome(name, two_rows(1780, 20), 0), (Floats{1780, 20 - 4}));
  EXPECT_EQ(outcome(name, two_rows(1780, 20), 1), (Floats{1780, 20 - 4}));
  EXPECT_EQ(outcome(name, two_rows(1780, 20), 2), (Floats{1780, 20}));
}

TEST(SpmvMistakes, OfPrecision) {
  const float third = 1.0f / 3;
  const Problem problem = problem_of({0, 1, 2}, {0, 0}, {third, third / 65536}, {1});
  const float tf32 = 1365.0f / 4096;  // a third is 1365.33 / 4096, and 2048 has 11 digits
  EXPECT_EQ(outcome("factors rounded to TF32", problem), (Floats{tf32, tf32 / 65536}));
  // The second one is below 2^-14, where half has multiples of 2^-24: 85.33 of them.
  EXPECT_EQ(outcome("factors rounded to half", problem), (Floats{tf32, 85.0f / 16777216}));
  EXPECT_EQ(outcome("factors rounded to bfloat16", problem), (Floats{171.0f / 512, 171.0f / 512 / 65536}));
}

}  // namespace
}  // namespace lanewise::spmv_test
