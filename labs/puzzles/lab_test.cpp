// The puzzles: what is right and what each mistake gives, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/lab/lab_file.h"
#include "labs/labs_of_the_tree_test.h"

namespace lanewise::puzzles_test {
namespace {

using Numbers = std::vector<int>;
using Settings = std::vector<std::pair<const char*, std::int64_t>>;

constexpr int kNone = static_cast<int>(0xA5A5A5A5);  // unwritten

const Lab& lab() {
  static const Lab kLab = lab_of_the_tree("puzzles");
  return kLab;
}

Numbers numbers(const Array& array) {
  const int* first = elements<int>(array);
  return {first, first + element_count(array)};
}

Problem made(const std::string& task, const Settings& settings) {
  Parameters parameters;
  for (const auto& [name, value] : settings) parameters.set(name, value);
  return std::get<Problem>(find_task(lab(), task)->make(parameters, 3));
}

// Each input begins with the given numbers; the rest is 0.
Problem problem_of(const std::string& task, const Settings& settings, const std::vector<Numbers>& inputs) {
  Problem problem = made(task, settings);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    int* const data = elements<int>(problem.inputs[i]);
    std::fill_n(data, element_count(problem.inputs[i]), 0);
    std::copy(inputs[i].begin(), inputs[i].end(), data);
  }
  return problem;
}

Numbers right(const std::string& task, const Problem& problem) {
  return numbers(find_task(lab(), task)->oracle(problem).at(0));
}

Numbers outcome(const std::string& task, const std::string& misconception, const Problem& problem) {
  for (const Misconception& mistake : find_task(lab(), task)->misconceptions)
    if (mistake.name == misconception) return numbers(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

Numbers some(const Numbers& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

TEST(Puzzles, AreTwentyWithoutPointsForSpeed) {
  const auto file = read_lab_file(LANEWISE_LABS_FOLDER "/puzzles");
  ASSERT_TRUE(file) << file.sentence();
  EXPECT_EQ(file->tasks.size(), 20U);
  for (const TaskFile& task : file->tasks) {
    EXPECT_EQ(task.points.fast, 0) << task.name;
    EXPECT_EQ(task.points.correct + task.points.clean + task.points.efficient + task.points.understood, 100)
        << task.name;
    EXPECT_GE(task.cases.size(), 3U) << task.name;
    EXPECT_LE(task.cases.size(), 5U) << task.name;
  }
}

TEST(Puzzles, OfOneElementForEachThread) {
  const Problem three = problem_of("map", {{"n", 3}}, {{5, 6, 7}});
  EXPECT_EQ(right("map", three), (Numbers{15, 16, 17}));
  EXPECT_EQ(outcome("map", "10 added to the index", three), (Numbers{10, 11, 12}));
  EXPECT_EQ(outcome("map", "block taken for the thread", three), (Numbers{15, kNone, kNone}));
  const Problem guarded = problem_of("guard", {{"n", 3}}, {{5, 6, 7}});
  EXPECT_EQ(right("guard", guarded), (Numbers{10, 12, 14}));
  EXPECT_EQ(outcome("guard", "last element left out", guarded), (Numbers{10, 12, kNone}));
  const Numbers first_block = outcome("guard", "block index left out", problem_of("guard", {{"n", 130}}, {{}}));
  EXPECT_EQ(some(first_block, 126, 4), (Numbers{0, 0, kNone, kNone}));
}

TEST(Puzzles, OfTwoCoordinates) {
  const Problem matrix = problem_of("map_2d", {{"width", 3}, {"height", 2}}, {{1, 1, 1, 2, 2, 2}});
  EXPECT_EQ(right("map_2d", matrix), (Numbers{1, 2, 3, 102, 103, 104}));
  EXPECT_EQ(outcome("map_2d", "row and column exchanged in the sum", matrix), (Numbers{1, 101, 201, 3, 103, 203}));
  const Problem row = problem_of("map_2d", {{"width", 17}, {"height", 1}}, {{}});
  EXPECT_EQ(some(outcome("map_2d", "x taken for the row", row), 15, 2), (Numbers{15, kNone}));
  EXPECT_EQ(some(outcome("map_2d", "block index left out", row), 15, 2), (Numbers{15, kNone}));

  const Problem table = problem_of("broadcast", {{"width", 3}, {"height", 2}}, {{1, 2, 3}, {10, 20}});
  EXPECT_EQ(right("broadcast", table), (Numbers{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(outcome("broadcast", "the two vectors exchanged", table), right("broadcast", table));  // not square
  const Problem square = problem_of("broadcast", {{"width", 2}, {"height", 2}}, {{1, 2}, {10, 20}});
  EXPECT_EQ(outcome("broadcast", "the two vectors exchanged", square), (Numbers{11, 21, 12, 22}));
  EXPECT_EQ(outcome("broadcast", "only the vector across", table), (Numbers{1, 2, 3, 1, 2, 3}));
  const Problem wide = problem_of("broadcast", {{"width", 9}, {"height", 1}}, {{}, {4}});
  EXPECT_EQ(some(outcome("broadcast", "x taken for the row", wide), 7, 2), (Numbers{4, kNone}));
}

TEST(Puzzles, OfLoopsAndNeighbours) {
  const Problem squares = problem_of("grid_stride", {{"n", 1026}}, {{-3, 4}});
  EXPECT_EQ(some(right("grid_stride", squares), 0, 3), (Numbers{9, 16, 0}));
  EXPECT_EQ(some(outcome("grid_stride", "one element a thread", squares), 1023, 2), (Numbers{0, kNone}));
  const Numbers blocks = outcome("grid_stride", "loop begins without the block", squares);
  EXPECT_EQ(some(blocks, 127, 2), (Numbers{0, kNone}));
  EXPECT_EQ(some(blocks, 1023, 3), (Numbers{kNone, 0, 0}));

  const Problem moved = problem_of("shift", {{"n", 4}, {"by", 1}}, {{1, 2, 3, 4}});
  EXPECT_EQ(right("shift", moved), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(outcome("shift", "moved the other way", moved), (Numbers{2, 3, 4, 0}));
  EXPECT_EQ(outcome("shift", "what falls out comes in again", moved), (Numbers{4, 1, 2, 3}));

  const Problem windows = problem_of("pooling", {{"n", 4}}, {{-1, -2, -3, -4}});
  EXPECT_EQ(right("pooling", windows), (Numbers{-1, -1, -2, -3}));
  EXPECT_EQ(outcome("pooling", "zeros beyond the ends", windows), (Numbers{0, -1, -2, 0}));
  EXPECT_EQ(outcome("pooling", "window looks back", windows), (Numbers{-1, -1, -1, -2}));
  EXPECT_EQ(outcome("pooling", "ends taken for neighbours", windows), (Numbers{-1, -1, -2, -1}));
}

TEST(Puzzles, OfBlocksThatShareMemory) {
  const Problem tile = problem_of("staging", {{"blocks", 1}}, {{5, -1, 5}});  // and 125 zeros
  EXPECT_EQ(some(right("staging", tile), 0, 4), (Numbers{126, 0, 126, 1}));
  EXPECT_EQ(some(outcome("staging", "equal elements counted", tile), 0, 4), (Numbers{128, 1, 128, 126}));
  EXPECT_EQ(some(outcome("staging", "greater elements counted", tile), 0, 4), (Numbers{0, 127, 0, 2}));

  const Problem tiles = problem_of("place_barrier", {{"blocks", 1}}, {{1, 2}});
  EXPECT_EQ(some(right("place_barrier", tiles), 126, 3), (Numbers{2, 1, 0}));
  EXPECT_EQ(some(outcome("place_barrier", "each thread reads its own element", tiles), 0, 3), (Numbers{1, 2, 0}));

  const Problem ring = problem_of("fix_race", {{"blocks", 1}}, {{1}});
  EXPECT_EQ(some(right("fix_race", ring), 0, 5), (Numbers{1, 3, 3, 1, 0}));
  Problem last = ring;
  elements<int>(last.inputs[0])[0] = 0;
  elements<int>(last.inputs[0])[255] = 1;
  EXPECT_EQ(some(right("fix_race", last), 0, 4), (Numbers{3, 3, 1, 0}));
  EXPECT_EQ(some(outcome("fix_race", "ring cut open", last), 0, 4), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(some(outcome("fix_race", "right neighbour added", last), 252, 4), (Numbers{1, 3, 3, 1}));
}

TEST(Puzzles, OfSums) {
  const Problem vectors = problem_of("dot", {{"n", 3}}, {{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(right("dot", vectors), (Numbers{32}));
  EXPECT_EQ(outcome("dot", "last product left out", vectors), (Numbers{14}));
  EXPECT_EQ(outcome("dot", "only the first product", vectors), (Numbers{4}));

  Numbers sparse(256);
  sparse[0] = 1;
  sparse[127] = 2;
  sparse[128] = 4;
  sparse[255] = 8;
  const Problem block = problem_of("block_sum", {{"blocks", 1}}, {sparse});
  EXPECT_EQ(right("block_sum", block), (Numbers{15}));
  EXPECT_EQ(outcome("block_sum", "last round left out", block), (Numbers{5}));
  EXPECT_EQ(outcome("block_sum", "first round left out", block), (Numbers{3}));

  const Problem scanned = problem_of("block_scan", {{"blocks", 1}}, {sparse});
  EXPECT_EQ(some(right("block_scan", scanned), 126, 3), (Numbers{1, 3, 7}));
  EXPECT_EQ(some(outcome("block_scan", "own element left out", scanned), 126, 3), (Numbers{1, 1, 3}));
  EXPECT_EQ(some(outcome("block_scan", "last round left out", scanned), 126, 3), (Numbers{1, 3, 6}));
  const Problem ones = problem_of("block_scan", {{"blocks", 1}}, {{1, 1, 1, 1, 1}});
  EXPECT_EQ(some(outcome("block_scan", "element 0 never added", ones), 0, 6), (Numbers{1, 1, 2, 3, 4, 4}));

  Numbers lanes(32);
  lanes[1] = 1;
  lanes[2] = 2;
  lanes[31] = 4;
  const Problem warp = problem_of("warp_sum", {{"warps", 1}}, {lanes});
  EXPECT_EQ(right("warp_sum", warp), (Numbers{7}));
  EXPECT_EQ(outcome("warp_sum", "last round left out", warp), (Numbers{2}));
  EXPECT_EQ(outcome("warp_sum", "written by the last lane", warp), (Numbers{128}));
  EXPECT_EQ(outcome("warp_sum", "first offset too large", warp), (Numbers{14}));
}

TEST(Puzzles, OfCounts) {
  const Problem votes = problem_of("ballot", {{"warps", 1}}, {{1, 2, -1}});
  EXPECT_EQ(right("ballot", votes), (Numbers{2}));
  EXPECT_EQ(outcome("ballot", "zeros counted", votes), (Numbers{31}));
  EXPECT_EQ(outcome("ballot", "whether instead of how many", votes), (Numbers{1}));
  const Problem two = problem_of("ballot", {{"warps", 2}}, {{1, 2, -1}});
  EXPECT_EQ(outcome("ballot", "vote inside the if", two), (Numbers{2, kNone}));

  const Problem found = problem_of("atomic_count", {{"n", 5}, {"value", 7}}, {{7, 7, 1, 2, 7}});
  EXPECT_EQ(right("atomic_count", found), (Numbers{3}));
  EXPECT_EQ(outcome("atomic_count", "the others counted", found), (Numbers{2}));
  EXPECT_EQ(outcome("atomic_count", "1 stored", found), (Numbers{1}));

  const Problem binned = problem_of("bins", {{"n", 258}}, {{7, 7, 1}});
  EXPECT_EQ(right("bins", binned), (Numbers{255, 1, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(outcome("bins", "bins stored, not added", binned), (Numbers{2, 0, 0, 0, 0, 0, 0, 0}));
  // The second block has two elements, both 0.
  EXPECT_EQ(outcome("bins", "threads without an element leave first", binned), right("bins", binned));
  const Problem three = problem_of("bins", {{"n", 3}}, {{2, 3, 7}});
  EXPECT_EQ(outcome("bins", "threads without an element leave first", three), (Numbers{0, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(outcome("bins", "last bin left out", binned), (Numbers{255, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(Puzzles, OfTilesAndSectors) {
  const Problem matrix = problem_of("turn_tiles", {{"rows", 32}, {"cols", 64}}, {Numbers(33, 1)});  // 33 of row 0
  EXPECT_EQ(right("turn_tiles", matrix)[32 * 32], 1);
  EXPECT_EQ(right("turn_tiles", matrix)[1], 0);
  const Numbers moved = outcome("turn_tiles", "tiles moved, but not turned", matrix);
  EXPECT_EQ(some(moved, 0, 33), Numbers({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(some(moved, 32 * 32, 2), (Numbers{1, 0}));
  EXPECT_EQ(some(outcome("turn_tiles", "copied", matrix), 32, 2), (Numbers{1, 0}));

  const Problem row = problem_of("coalesced", {{"n", 1030}}, {{}});
  EXPECT_EQ(right("coalesced", row), Numbers(1030, 1));
  EXPECT_EQ(some(outcome("coalesced", "one of eight elements", row), 127, 2), (Numbers{1, kNone}));
  EXPECT_EQ(some(outcome("coalesced", "one of eight elements", row), 1023, 2), (Numbers{kNone, 1}));
  EXPECT_EQ(some(outcome("coalesced", "block left out", row), 1023, 2), (Numbers{1, kNone}));

  Numbers rows(1024);
  rows[0] = 1;
  rows[31] = 2;
  rows[32] = 4;
  const Problem tile = problem_of("bank_conflict", {{"tiles", 1}}, {rows});
  EXPECT_EQ(some(right("bank_conflict", tile), 0, 3), (Numbers{3, 4, 0}));
  EXPECT_EQ(some(outcome("bank_conflict", "columns added up", tile), 0, 3), (Numbers{5, 0, 0}));
  EXPECT_EQ(some(outcome("bank_conflict", "last column left out", tile), 0, 3), (Numbers{1, 4, 0}));
}

}  // namespace
}  // namespace lanewise::puzzles_test
