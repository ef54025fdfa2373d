// Rows out of lists of places: what becomes of duplicates, order and loops, the same for every number of threads.
#include "datasets/coordinates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "datasets/environment_variable.h"
#include "datasets/random.h"

namespace lanewise {
namespace {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

// 3 rows, the middle one empty; (0, 2) is there three times.
Coordinates with_duplicates() {
  return {3, 4, {2, 0, 0, 2, 0, 0}, {3, 2, 1, 0, 2, 2}, {6.0f, 1.0f, 2.0f, 3.0f, 4.0f, 8.0f}};
}

Coordinates random_entries(std::int64_t rows, std::int64_t cols, std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  Coordinates entries{rows, cols, {}, {}, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    entries.row.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(rows))));
    entries.column.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(cols))));
    entries.value.push_back(random.uniform(-1.0f, 1.0f));
  }
  return entries;
}

void expect_same(const Csr& a, const Csr& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_TRUE(a.row_offsets == b.row_offsets);
  EXPECT_TRUE(a.columns == b.columns);
  EXPECT_TRUE(a.values == b.values);
}

TEST(ToCsr, KeepsDuplicatesInTheirOrder) {
  expect_same(to_csr(with_duplicates(), Duplicates::kKeep),
              {3, 4, {0, 4, 4, 6}, {1, 2, 2, 2, 0, 3}, {2.0f, 1.0f, 4.0f, 8.0f, 3.0f, 6.0f}});
}

TEST(ToCsr, SumsDuplicates) {
  expect_same(to_csr(with_duplicates(), Duplicates::kSum),
              {3, 4, {0, 2, 2, 4}, {1, 2, 0, 3}, {2.0f, 13.0f, 3.0f, 6.0f}});
}

TEST(ToCsr, DropsAllButTheFirstOfDuplicates) {
  expect_same(to_csr(with_duplicates(), Duplicates::kDrop),
              {3, 4, {0, 2, 2, 4}, {1, 2, 0, 3}, {2.0f, 1.0f, 3.0f, 6.0f}});
}

TEST(ToCsr, TakesPatternsAndNothing) {
  Coordinates pattern = with_duplicates();
  pattern.value.clear();
  expect_same(to_csr(pattern, Duplicates::kSum), {3, 4, {0, 2, 2, 4}, {1, 2, 0, 3}, {}});
  expect_same(to_csr(pattern, Duplicates::kKeep), {3, 4, {0, 4, 4, 6}, {1, 2, 2, 2, 0, 3}, {}});
  expect_same(to_csr({}, Duplicates::kSum), {0, 0, {0}, {}, {}});
  expect_same(to_csr({2, 5, {}, {}, {}}, Duplicates::kKeep), {2, 5, {0, 0, 0}, {}, {}});
}

TEST(ToCsr, SumsDuplicatesInTheOrderGiven) {
  // In double: 1e30 - 1e30 + 1 is 1, and 1 + 1e30 - 1e30 is 0.
  const Coordinates first{1, 2, {0, 0, 0, 0, 0, 0}, {0, 1, 0, 1, 0, 1}, {1e30f, 1.0f, -1e30f, 1e30f, 1.0f, -1e30f}};
  expect_same(to_csr(first, Duplicates::kSum), {1, 2, {0, 2}, {0, 1}, {1.0f, 0.0f}});
}

// A map as the plainest sort there is. 3000 rows share buckets, 100,000 entries make several chunks.
TEST(ToCsr, AgreesWithAMap) {
  const Coordinates entries = random_entries(3000, 20, 100'000, 1);
  std::map<std::pair<std::int32_t, std::int32_t>, float> first;
  for (std::size_t i = 0; i < entries.row.size(); ++i)
    first.emplace(std::pair(entries.row[i], entries.column[i]), entries.value[i]);
  const Csr matrix = to_csr(entries, Duplicates::kDrop);
  ASSERT_FALSE(check_csr(matrix));
  ASSERT_EQ(matrix.columns.size(), first.size());
  auto expected = first.begin();
  for (std::int32_t row = 0; row < 3000; ++row)
    for (auto i = static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(row)]);
         i < static_cast<std::size_t>(matrix.row_offsets[static_cast<std::size_t>(row) + 1]); ++i, ++expected) {
      ASSERT_EQ(std::pair(row, matrix.columns[i]), expected->first);
      ASSERT_EQ(matrix.values[i], expected->second);
    }
}

TEST(ToCsr, GivesTheSameForEveryNumberOfThreads) {
  const Coordinates entries = random_entries(5000, 40, 200'000, 2);
  for (const Duplicates duplicates : {Duplicates::kKeep, Duplicates::kSum, Duplicates::kDrop}) {
    const EnvironmentVariable one("LANEWISE_THREADS", "1");
    const Csr expected = to_csr(entries, duplicates);
    for (const char* threads : {"2", "5"}) {
      const EnvironmentVariable several("LANEWISE_THREADS", threads);
      expect_same(to_csr(entries, duplicates), expected);
    }
  }
}

TEST(BothDirections, GiveEveryEdgeTwiceAndLoopsOnce) {
  const Coordinates both = both_directions({2, 4, {0, 1, 1}, {3, 1, 0}, {5.0f, 6.0f, 7.0f}});
  EXPECT_EQ(both.rows, 4);
  EXPECT_EQ(both.cols, 4);
  EXPECT_EQ(both.row, (Ints{0, 1, 1, 3, 0}));
  EXPECT_EQ(both.column, (Ints{3, 1, 0, 0, 1}));
  EXPECT_EQ(both.value, (Floats{5.0f, 6.0f, 7.0f, 5.0f, 7.0f}));
}

TEST(UndirectedGraph, HasBothDirectionsOnceAndNoLoop) {
  expect_same(undirected_graph({2, 4, {0, 1, 1, 0, 1}, {3, 1, 0, 3, 0}, {1.0f, 1.0f, 1.0f, 1.0f, 1.0f}}),
              {4, 4, {0, 2, 3, 3, 4}, {1, 3, 0, 0}, {}});
}

TEST(UndirectedGraph, IsWhatBothDirectionsAndDropGive) {
  Coordinates edges = random_entries(3000, 3000, 50'000, 3);
  edges.value.clear();
  const Csr graph = undirected_graph(edges);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.row.size(); ++i) {
    if (edges.row[i] == edges.column[i]) continue;
    edges.row[kept] = edges.row[i];
    edges.column[kept++] = edges.column[i];
  }
  ASSERT_LT(kept, edges.row.size());  // some loops were there
  edges.row.resize(kept);
  edges.column.resize(kept);
  expect_same(graph, to_csr(both_directions(std::move(edges)), Duplicates::kDrop));
}

}  // namespace
}  // namespace lanewise
