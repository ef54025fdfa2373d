// What each typical mistake makes of a graph, by hand.
#include <gtest/gtest.h>

#include <climits>

#include "labs/bfs/test_graphs.h"

namespace lanewise::bfs_test {
namespace {

// 0 - 1 - 3 - 4, 0 - 2 - 3; 5 apart.
Problem diamond(std::int32_t source) { return problem_of(6, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}, source); }

TEST(BfsMistakes, OfNumbers) {
  EXPECT_EQ(outcome("distances counted from 1", diamond(0)), (Numbers{1, 2, 2, 3, 4, -1}));
  EXPECT_EQ(outcome("every reached vertex at distance 1", diamond(0)), (Numbers{0, 1, 1, 1, 1, -1}));
  EXPECT_EQ(outcome("unreached vertices are 0", diamond(0)), (Numbers{0, 1, 1, 2, 3, 0}));
  EXPECT_EQ(outcome("unreached vertices are INT_MAX", diamond(0)), (Numbers{0, 1, 1, 2, 3, INT_MAX}));
  EXPECT_EQ(outcome("unreached vertices are num_vertices", diamond(0)), (Numbers{0, 1, 1, 2, 3, 6}));
}

TEST(BfsMistakes, OfTheSource) {
  EXPECT_EQ(outcome("source not marked", diamond(0)), (Numbers{2, 1, 1, 2, 3, -1}));
  EXPECT_EQ(outcome("source not marked", problem_of(2, {{0, 0}, {0, 1}}, 0)), (Numbers{1, 1}));
  EXPECT_EQ(outcome("source not marked", problem_of(1, {}, 0)), (Numbers{-1}));
  EXPECT_EQ(outcome("search begins at vertex 0", diamond(4)), (Numbers{0, 1, 1, 2, 3, -1}));
}

TEST(BfsMistakes, OfEnding) {
  EXPECT_EQ(outcome("last level missing", diamond(0)), (Numbers{0, 1, 1, 2, -1, -1}));
  EXPECT_EQ(outcome("last level missing", diamond(5)), (Numbers{-1, -1, -1, -1, -1, 0}));
  EXPECT_EQ(outcome("only the source reached", diamond(1)), (Numbers{-1, 0, -1, -1, -1, -1}));
  EXPECT_EQ(outcome("fixed number of levels", diamond(0), 1), (Numbers{0, 1, 1, -1, -1, -1}));
  EXPECT_EQ(outcome("fixed number of levels", diamond(0), 2), (Numbers{0, 1, 1, 2, -1, -1}));
  // 0 - 1, 0 - 2 - 3 - 4: vertex 1 is a dead end, in the level in which 2 finds 3.
  EXPECT_EQ(outcome("search ends at a dead end", problem_of(5, {{0, 1}, {0, 2}, {2, 3}, {3, 4}}, 0)),
            (Numbers{0, 1, 1, 2, -1}));
}

TEST(BfsMistakes, OfEdges) {
  EXPECT_EQ(outcome("last neighbour left out", diamond(0)), (Numbers{0, 1, -1, -1, -1, -1}));
  // Looked at from the other side, vertex 1 lacks 3, 3 lacks 4, and 2 lacks 3: nobody can be found from the back.
  EXPECT_EQ(outcome("last neighbour left out", diamond(4), 1), (Numbers{-1, -1, -1, -1, 0, -1}));
  EXPECT_EQ(outcome("edges followed in one direction only", diamond(3)), (Numbers{-1, -1, -1, 0, 1, -1}));
  EXPECT_EQ(outcome("edges followed in one direction only", diamond(3), 1), (Numbers{2, 1, 1, 0, -1, -1}));
}

TEST(BfsMistakes, OfOrder) {
  // A triangle with a tail: 0 - 1, 0 - 2, 1 - 2, 1 - 3. Depth first, 0 leads to 1, and 1 to 2.
  const Problem triangle = problem_of(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}}, 0);
  EXPECT_EQ(outcome("depth first", triangle, 1), (Numbers{0, 1, 2, 2}));
  // With a stack 0 finds 1 and 2. In the diamond with a chord, 0 - 1, 0 - 2, 2 - 3, 3 - 4, 1 - 4: 2 is next, then 3, 4.
  const Problem loop = problem_of(5, {{0, 1}, {0, 2}, {2, 3}, {3, 4}, {1, 4}}, 0);
  EXPECT_EQ(outcome("depth first", loop), (Numbers{0, 1, 1, 2, 3}));
}

TEST(BfsMistakes, OfCoverage) {
  const Problem spider = made(graph("spider", {{"legs", 300}, {"length", 2}}));
  const Numbers lost = outcome("frontier entries lost", spider);  // 256 places
  for (std::size_t leg = 0; leg < 300; ++leg) {
    EXPECT_EQ(lost[1 + leg], 1);
    EXPECT_EQ(lost[301 + leg], leg < 256 ? 2 : -1) << leg;
  }
  // 0 - 1 - 2, from 2: level 0 has one vertex, so vertex 0 is expanded, and again in level 1.
  EXPECT_EQ(outcome("place taken for a vertex", problem_of(3, {{0, 1}, {1, 2}}, 2)), (Numbers{-1, 1, 0}));
  const Problem path = problem_of(
      300,
      [] {
        Edges edges;
        for (std::int32_t v = 0; v + 1 < 300; ++v) edges.emplace_back(v, v + 1);
        return edges;
      }(),
      0);
  const Numbers pushed = outcome("last vertices left out", path);
  const Numbers pulled = outcome("last vertices left out", path, 1);
  for (std::int32_t v = 0; v < 300; ++v) {
    EXPECT_EQ(pushed[static_cast<std::size_t>(v)], v <= 256 ? v : -1) << "256 is found, and expands nobody";
    EXPECT_EQ(pulled[static_cast<std::size_t>(v)], v < 256 ? v : -1);
  }
}

}  // namespace
}  // namespace lanewise::bfs_test
