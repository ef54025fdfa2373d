// What every generated matrix promises, what each kind is meant to be, and that none has changed.
#include "datasets/matrix_generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "datasets/environment_variable.h"
#include "datasets/fingerprint.h"

namespace lanewise {
namespace {

struct MadeMatrix {
  const char* name;
  std::function<Csr()> make;
  std::uint64_t print;  // of what it was when this test was written
};

// Most are large enough to be made in several chunks.
const std::vector<MadeMatrix>& all_made_matrices() {
  static const std::vector<MadeMatrix> kAll = {
      {"poisson5", [] { return poisson5(150); }, 0x78e869d75c37694f},
      {"poisson7", [] { return poisson7(27); }, 0xfb2a62ecfe3651bc},
      {"poisson27", [] { return poisson27(26); }, 0x24c894ba20ad7f5f},
      {"banded", [] { return banded_matrix(20'011, 3, 1); }, 0xddeb5679fe540e52},
      {"uniform rows", [] { return uniform_rows_matrix(20'011, 5'003, 7, 2); }, 0x78643084380596d},
      {"nearly full rows", [] { return uniform_rows_matrix(500, 100, 80, 3); }, 0x3c2ba2c9e941e73a},
      {"dense row", [] { return dense_row_matrix(20'011, 5'003, 3, 4); }, 0xcd8c4280341d9eaa},
      {"gaps", [] { return gaps_matrix(50'021, 5'003, 8, 5); }, 0xf7670307aaae9e5c},
      {"rmat", [] { return rmat_matrix(14, 8, 6); }, 0xddeaff6015bf7576},
  };
  return kAll;
}

std::int64_t length(const Csr& matrix, std::int64_t row) {
  const auto at = static_cast<std::size_t>(row);
  return matrix.row_offsets[at + 1] - matrix.row_offsets[at];
}

std::int64_t empty_rows(const Csr& matrix) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) count += length(matrix, row) == 0 ? 1 : 0;
  return count;
}

TEST(MatrixGenerators, GiveWhatTheyAlwaysGave) {
  for (const MadeMatrix& each : all_made_matrices())
    EXPECT_EQ(fingerprint(each.make()), each.print) << each.name << ", 0x" << std::hex << fingerprint(each.make());
}

TEST(MatrixGenerators, GiveTheSameForEveryNumberOfThreads) {
  for (const char* threads : {"1", "2", "5"}) {
    const EnvironmentVariable several("LANEWISE_THREADS", threads);
    for (const MadeMatrix& each : all_made_matrices())
      EXPECT_EQ(fingerprint(each.make()), each.print) << each.name << ' ' << threads;
  }
}

TEST(MatrixGenerators, GiveAscendingColumnsAndValuesInRange) {
  for (const MadeMatrix& each : all_made_matrices()) {
    SCOPED_TRACE(each.name);
    const Csr matrix = each.make();
    ASSERT_FALSE(check_csr(matrix));
    ASSERT_EQ(matrix.values.size(), matrix.columns.size());
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const auto begin = matrix.columns.begin() + matrix.row_offsets[static_cast<std::size_t>(row)];
      const auto end = begin + length(matrix, row);
      ASSERT_EQ(std::adjacent_find(begin, end, std::greater_equal<>()), end) << row;
    }
    if (std::string(each.name).rfind("poisson", 0) == 0) continue;
    const auto [least, most] = std::minmax_element(matrix.values.begin(), matrix.values.end());
    EXPECT_GE(*least, -1.0f);
    EXPECT_LT(*least, -0.99f);
    EXPECT_GT(*most, 0.99f);
    EXPECT_LT(*most, 1.0f);
    const double sum = std::accumulate(matrix.values.begin(), matrix.values.end(), 0.0);
    EXPECT_NEAR(sum / static_cast<double>(matrix.values.size()), 0.0, 0.02);
  }
}

TEST(MatrixGenerators, MakeMatricesOfNothing) {
  for (const Csr& matrix : {poisson5(0), poisson7(0), poisson27(0), banded_matrix(0, 3, 1),
                            uniform_rows_matrix(0, 0, 0, 1), gaps_matrix(0, 5, 3, 1), dense_row_matrix(0, 5, 3, 1)}) {
    EXPECT_FALSE(check_csr(matrix));
    EXPECT_EQ(matrix.rows, 0);
  }
  EXPECT_TRUE(gaps_matrix(10, 0, 3, 1).columns.empty());
  EXPECT_TRUE(uniform_rows_matrix(10, 10, 0, 1).columns.empty());
}

// Inside the grid a row sums to 0, at a face to 1 for every neighbour that is missing.
TEST(Poisson, RowsSumToTheNeighboursThatAreMissing) {
  for (const auto& [matrix, diagonal] :
       {std::pair(poisson5(9), 4), std::pair(poisson7(5), 6), std::pair(poisson27(5), 26)}) {
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const auto begin = matrix.values.begin() + matrix.row_offsets[static_cast<std::size_t>(row)];
      const double sum = std::accumulate(begin, begin + length(matrix, row), 0.0);
      ASSERT_EQ(sum, static_cast<double>(diagonal + 1 - length(matrix, row))) << row;
    }
  }
}

TEST(Poisson, HasTheKnownNumberOfEntries) {
  EXPECT_EQ(poisson5(10).columns.size(), 5u * 100 - 4 * 10);
  EXPECT_EQ(poisson7(10).columns.size(), 7u * 1000 - 6 * 100);
  EXPECT_EQ(poisson27(10).columns.size(), 28u * 28 * 28);
  EXPECT_EQ(poisson27(10).rows, 1000);
}

TEST(Poisson, OfOnePointIsItsDiagonal) {
  for (const auto& [matrix, diagonal] : {std::pair(poisson5(1), 4.0f), std::pair(poisson27(1), 26.0f)}) {
    EXPECT_EQ(matrix.columns, std::vector<std::int32_t>{0});
    EXPECT_EQ(matrix.values, std::vector<float>{diagonal});
  }
}

TEST(BandedMatrix, HasTheWholeBand) {
  const Csr matrix = banded_matrix(100, 2, 1);
  EXPECT_EQ(length(matrix, 0), 3);
  EXPECT_EQ(length(matrix, 1), 4);
  EXPECT_EQ(length(matrix, 50), 5);
  EXPECT_EQ(matrix.columns[static_cast<std::size_t>(matrix.row_offsets[50])], 48);
  EXPECT_EQ(length(banded_matrix(3, 10, 1), 1), 3);
}

TEST(UniformRows, AllHaveTheSameLength) {
  const Csr matrix = uniform_rows_matrix(1000, 100, 60, 1);
  for (std::int64_t row = 0; row < 1000; ++row) ASSERT_EQ(length(matrix, row), 60);
}

TEST(UniformRows, UseAllColumnsAlike) {
  for (const std::int64_t per_row : {3, 30}) {  // drawn one by one, and as what is left out
    std::vector<int> uses(50);
    const Csr matrix = uniform_rows_matrix(20'000, 50, per_row, 1);
    for (const std::int32_t column : matrix.columns) ++uses[static_cast<std::size_t>(column)];
    for (const int count : uses) EXPECT_NEAR(count, 400 * per_row, 20 * per_row + 120);
  }
}

TEST(DenseRow, IsTheMiddleOne) {
  const Csr matrix = dense_row_matrix(101, 77, 2, 1);
  for (std::int64_t row = 0; row < 101; ++row) ASSERT_EQ(length(matrix, row), row == 50 ? 77 : 2);
}

TEST(Gaps, AreMostRowsTheFirstAndTheLastToo) {
  const Csr matrix = gaps_matrix(100'003, 1000, 8, 1);
  EXPECT_NEAR(static_cast<double>(empty_rows(matrix)), 0.875 * 100'003, 3000);
  EXPECT_EQ(length(matrix, 0), 0);
  EXPECT_EQ(length(matrix, 100'002), 0);
  std::int64_t most = 0;
  std::int64_t run = 0;
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    most = std::max(most, length(matrix, row));
    run = length(matrix, row) == 0 ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  EXPECT_EQ(most, 16);
  EXPECT_GT(longest, 500);
  for (const std::int64_t rows : {3, 4, 5, 33}) {
    const Csr small = gaps_matrix(rows, 4, 8, 1);
    EXPECT_GT(length(small, rows / 2), 0);
    EXPECT_EQ(length(small, 0), 0);
    EXPECT_EQ(length(small, rows - 1), 0);
  }
}

TEST(RmatMatrix, IsSkewedAndNotSymmetric) {
  const Csr matrix = rmat_matrix(12, 8, 1);
  std::int64_t most = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) most = std::max(most, length(matrix, row));
  EXPECT_GT(most, 200);
  EXPECT_GT(empty_rows(matrix), matrix.rows / 5);
  std::int64_t one_way = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t i = 0; i < length(matrix, row); ++i) {
      const std::int32_t column =
          matrix.columns[static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(row)] + i)];
      const auto begin = matrix.columns.begin() + matrix.row_offsets[static_cast<std::size_t>(column)];
      one_way += std::binary_search(begin, begin + length(matrix, column), static_cast<std::int32_t>(row)) ? 0 : 1;
    }
  EXPECT_GT(one_way, static_cast<std::int64_t>(matrix.columns.size()) / 4);
}

TEST(Values, DependOnTheirPlaceAlone) {
  // The full row of one and the three entries of the other agree where both are.
  const Csr full = dense_row_matrix(11, 40, 3, 9);
  const Csr band = banded_matrix(40, 39, 9);
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_EQ(full.values[static_cast<std::size_t>(full.row_offsets[5]) + i],
              band.values[static_cast<std::size_t>(band.row_offsets[5]) + i]);
}

}  // namespace
}  // namespace lanewise
