// What a Matrix Market file may look like, what is read out of it, and that what is written is read back.
#include "datasets/matrix_market.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "datasets/data_path.h"
#include "datasets/random.h"
#include "datasets/scratch_folder.h"

namespace lanewise {
namespace {

Coordinates decoded_matrix(const std::string& text) {
  auto result = decode_matrix_market(text, "file");
  if (const auto* error = std::get_if<DataError>(&result)) {
    ADD_FAILURE() << error->sentence;
    return {};
  }
  return std::move(std::get<Coordinates>(result));
}

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

TEST(MatrixMarket, PlacesAreCountedFromZeroAndValuesKeepTheirOrder) {
  const Coordinates matrix =
      decoded_matrix("%%MatrixMarket matrix coordinate real general\n3 4 3\n3 4 1.5\n1 1 -2\n2 3 1e3\n");
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.cols, 4);
  EXPECT_EQ(matrix.row, (Ints{2, 0, 1}));
  EXPECT_EQ(matrix.column, (Ints{3, 0, 2}));
  EXPECT_EQ(matrix.value, (Floats{1.5f, -2.0f, 1000.0f}));
}

TEST(MatrixMarket, APatternHasNoValues) {
  const Coordinates matrix = decoded_matrix("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n");
  EXPECT_EQ(matrix.row, (Ints{0, 1}));
  EXPECT_EQ(matrix.column, (Ints{1, 1}));
  EXPECT_TRUE(matrix.value.empty());
}

TEST(MatrixMarket, SymmetricEntriesAreMirrored) {
  const Coordinates matrix =
      decoded_matrix("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 7\n3 1 -2\n3 3 4\n");
  EXPECT_EQ(matrix.row, (Ints{0, 2, 0, 2}));
  EXPECT_EQ(matrix.column, (Ints{0, 0, 2, 2}));
  EXPECT_EQ(matrix.value, (Floats{7, -2, -2, 4}));
}

TEST(MatrixMarket, SkewSymmetricEntriesAreMirroredWithTheOtherSign) {
  const Coordinates matrix = decoded_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 0.5\n");
  EXPECT_EQ(matrix.row, (Ints{1, 0}));
  EXPECT_EQ(matrix.column, (Ints{0, 1}));
  EXPECT_EQ(matrix.value, (Floats{0.5f, -0.5f}));
}

TEST(MatrixMarket, AnArrayIsReadColumnByColumn) {
  const Coordinates matrix = decoded_matrix("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n");
  EXPECT_EQ(matrix.row, (Ints{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(matrix.column, (Ints{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(matrix.value, (Floats{1, 2, 3, 0, 5, 6}));
}

TEST(MatrixMarket, ASymmetricArrayListsTheLowerTriangle) {
  const Coordinates symmetric = decoded_matrix("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");
  EXPECT_EQ(symmetric.row, (Ints{0, 1, 0, 1}));
  EXPECT_EQ(symmetric.column, (Ints{0, 0, 1, 1}));
  EXPECT_EQ(symmetric.value, (Floats{1, 2, 2, 3}));
  const Coordinates skew = decoded_matrix("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
  EXPECT_EQ(skew.row, (Ints{1, 0, 2, 0, 2, 1}));
  EXPECT_EQ(skew.column, (Ints{0, 1, 0, 2, 1, 2}));
  EXPECT_EQ(skew.value, (Floats{1, -1, 2, -2, 3, -3}));
}

TEST(MatrixMarket, CommentsBlankLinesAndWhiteSpaceMayBeAnywhereBelowTheBanner) {
  const Coordinates matrix = decoded_matrix(
      "%%MatrixMarket\tMATRIX  Coordinate Real GENERAL \r\n% a comment\r\n\r\n%\n \t2\t2 2 \r\n\n\n 1 1 1.0\r\n% "
      "between\n   "
      "\n\t2  2\t2.0 \t\r\n\n%end");
  EXPECT_EQ(matrix.row, (Ints{0, 1}));
  EXPECT_EQ(matrix.value, (Floats{1, 2}));
}

TEST(MatrixMarket, TheLastLineMayLackItsEnd) {
  EXPECT_EQ(decoded_matrix("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5").value, (Floats{5}));
  EXPECT_EQ(decoded_matrix("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1").row, (Ints{0}));
  EXPECT_EQ(decoded_matrix("%%MatrixMarket matrix array real general\n1 1\n5").value, (Floats{5}));
}

TEST(MatrixMarket, NumbersMayBeWrittenInAnyWay) {
  const Coordinates matrix = decoded_matrix(
      "%%MatrixMarket matrix coordinate real general\n1 9 6\n+1 00000000001 +1.5\n1 2 0x1.8p0\n1 3 .15D+01\n1 4 15e-1\n"
      "1 5 1e-400\n1 6 -0.15E1\n");
  EXPECT_EQ(matrix.column, (Ints{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(matrix.value, (Floats{1.5f, 1.5f, 1.5f, 1.5f, 0.0f, -1.5f}));
}

TEST(MatrixMarket, AByteOrderMarkOfUtf8IsPassedOver) {
  EXPECT_EQ(decoded_matrix("\xEF\xBB\xBF%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n").row,
            (Ints{0}));
}

TEST(MatrixMarket, UnsortedAndRepeatedPlacesStayAsTheyAre) {
  const Coordinates matrix =
      decoded_matrix("%%MatrixMarket matrix coordinate real general\n2 2 4\n2 1 1\n1 2 2\n2 1 3\n1 1 4\n");
  EXPECT_EQ(matrix.row, (Ints{1, 0, 1, 0}));
  const Csr rows = to_csr(matrix, Duplicates::kSum);
  EXPECT_EQ(rows.row_offsets, (Ints{0, 2, 3}));
  EXPECT_EQ(rows.columns, (Ints{0, 1, 0}));
  EXPECT_EQ(rows.values, (Floats{4, 2, 4}));
}

TEST(MatrixMarket, MatricesWithoutRowsOrEntriesAreMatrices) {
  const Coordinates none = decoded_matrix("%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  EXPECT_EQ(none.rows, 0);
  EXPECT_TRUE(none.row.empty());
  const Coordinates empty = decoded_matrix("%%MatrixMarket matrix coordinate real symmetric\n5 5 0");
  EXPECT_EQ(empty.cols, 5);
  EXPECT_TRUE(empty.row.empty());
  EXPECT_EQ(decoded_matrix("%%MatrixMarket matrix array real general\n0 7\n").cols, 7);
  EXPECT_TRUE(decoded_matrix("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").row.empty());
}

TEST(MatrixMarket, LinesOfTheUsualShapeAndOthersGiveTheSame) {
  Random random(5);
  for (const char* field : {"real", "integer", "pattern"}) {
    std::string usual = std::string("%%MatrixMarket matrix coordinate ") + field + " general\n1000000 1000 300\n";
    std::string unusual = usual;
    for (int i = 0; i < 300; ++i) {
      const std::string row = std::to_string(1 + random.next() % 1000000);
      const std::string column = std::to_string(1 + random.next() % 1000);
      const auto thousandths = static_cast<std::int64_t>(random.next() % 2000001) - 1000000;
      std::string value = field[0] == 'p' ? "" : " " + std::to_string(thousandths);
      if (field[0] == 'r') value += "." + std::to_string(random.next() % 1000);
      usual.append(row).append(" ").append(column).append(value).append("\n");
      unusual.append("+" + row).append(" ").append(column).append(value).append(" \r\n");
    }
    const Coordinates a = decoded_matrix(usual);
    const Coordinates b = decoded_matrix(unusual);
    EXPECT_EQ(a.row.size(), 300u);
    EXPECT_EQ(a.row, b.row);
    EXPECT_EQ(a.column, b.column);
    EXPECT_EQ(a.value, b.value);
  }
}

struct Shipped {
  const char* name;
  std::int64_t extent;
  std::size_t entries;  // both triangles
  bool has_values;
};

TEST(MatrixMarket, RealMatricesAreRead) {
  for (const Shipped& shipped :
       {Shipped{"olm1000.mtx", 1000, 3996, true}, Shipped{"rajat01.mtx", 6833, 43250, false},
        Shipped{"jagmesh7.mtx", 1138, 2 * 4294 - 1138, false}, Shipped{"bcsstk13.mtx", 2003, 2 * 42943 - 2003, true},
        Shipped{"bayer10.mtx", 13436, 94926, true}, Shipped{"cryg2500.mtx", 2500, 12349, true}}) {
    const auto found = find_data(shipped.name);
    if (std::holds_alternative<DataError>(found)) continue;  // the last three are not shipped
    const auto read = read_matrix_market(std::get<std::filesystem::path>(found));
    ASSERT_TRUE(std::holds_alternative<Coordinates>(read)) << std::get<DataError>(read).sentence;
    const auto& matrix = std::get<Coordinates>(read);
    EXPECT_EQ(matrix.rows, shipped.extent) << shipped.name;
    EXPECT_EQ(matrix.cols, shipped.extent) << shipped.name;
    EXPECT_EQ(matrix.row.size(), shipped.entries) << shipped.name;
    EXPECT_EQ(!matrix.value.empty(), shipped.has_values) << shipped.name;
    EXPECT_EQ(to_csr(matrix, Duplicates::kKeep).columns.size(), shipped.entries) << shipped.name;
    EXPECT_EQ(to_csr(matrix, Duplicates::kDrop).columns.size(), shipped.entries) << shipped.name << " has duplicates";
  }
}

TEST(MatrixMarket, WhatIsWrittenIsReadBack) {
  const ScratchFolder folder;
  const auto file = folder.path() / "matrix.mtx";
  Random random(9);
  for (const bool has_values : {true, false})
    for (const int count : {0, 1, 257}) {
      Coordinates matrix;
      matrix.rows = 1 << 28;
      matrix.cols = 31;
      for (int i = 0; i < count; ++i) {
        matrix.row.push_back(static_cast<std::int32_t>(random.next() % (1u << 28)));
        matrix.column.push_back(static_cast<std::int32_t>(random.next() % 31));
        if (!has_values) continue;
        const auto bits = static_cast<std::uint32_t>(random.next());
        float value = 0.0f;
        std::memcpy(&value, &bits, sizeof value);
        matrix.value.push_back(std::isfinite(value) ? value : std::numeric_limits<float>::lowest());
      }
      ASSERT_FALSE(write_matrix_market(file, matrix, "made by a test\nwith two lines"));
      const auto back = read_matrix_market(file);
      ASSERT_TRUE(std::holds_alternative<Coordinates>(back)) << std::get<DataError>(back).sentence;
      EXPECT_EQ(std::get<Coordinates>(back).rows, matrix.rows);
      EXPECT_EQ(std::get<Coordinates>(back).cols, matrix.cols);
      EXPECT_EQ(std::get<Coordinates>(back).row, matrix.row);
      EXPECT_EQ(std::get<Coordinates>(back).column, matrix.column);
      EXPECT_EQ(std::get<Coordinates>(back).value, matrix.value);
    }
}

TEST(MatrixMarket, WhatCannotBeWrittenIsSaidAndTheOldFileStays) {
  const ScratchFolder folder;
  const auto file = folder.path() / "matrix.mtx";
  Coordinates good{2, 2, {0, 1}, {1, 0}, {1.0f, 2.0f}};
  ASSERT_FALSE(write_matrix_market(file, good));
  const auto size = std::filesystem::file_size(file);

  Coordinates outside = good;
  outside.row[1] = 2;
  Coordinates negative = good;
  negative.column[0] = -1;
  Coordinates torn = good;
  torn.value.pop_back();
  Coordinates not_finite = good;
  not_finite.value[0] = std::numeric_limits<float>::infinity();
  Coordinates huge = good;
  huge.rows = kMaxMatrixExtent + 1;
  for (const Coordinates& bad : {outside, negative, torn, not_finite, huge})
    EXPECT_TRUE(write_matrix_market(file, bad));
  EXPECT_TRUE(write_matrix_market(folder.path() / "no_such_folder" / "matrix.mtx", good));
  EXPECT_TRUE(write_matrix_market(folder.path(), good));
  EXPECT_TRUE(write_matrix_market("/dev/null", good));
  EXPECT_EQ(std::filesystem::file_size(file), size);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace lanewise
