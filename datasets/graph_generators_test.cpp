// What every generated graph promises, what each kind is meant to be, and that none has changed.
#include "datasets/graph_generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "datasets/environment_variable.h"
#include "datasets/fingerprint.h"

namespace lanewise {
namespace {

using Row = std::pair<const std::int32_t*, const std::int32_t*>;

Row neighbours(const Csr& graph, std::int64_t vertex) {
  const auto at = static_cast<std::size_t>(vertex);
  return {graph.columns.data() + graph.row_offsets[at], graph.columns.data() + graph.row_offsets[at + 1]};
}

std::int64_t degree(const Csr& graph, std::int64_t vertex) {
  const auto [begin, end] = neighbours(graph, vertex);
  return end - begin;
}

bool has_edge(const Csr& graph, std::int64_t from, std::int64_t to) {
  const auto [begin, end] = neighbours(graph, from);
  return std::binary_search(begin, end, static_cast<std::int32_t>(to));
}

// Whole, both directions, ascending without repetition, no loop.
void expect_undirected(const Csr& graph) {
  ASSERT_FALSE(check_csr(graph));
  EXPECT_EQ(graph.rows, graph.cols);
  EXPECT_TRUE(graph.values.empty());
  for (std::int64_t vertex = 0; vertex < graph.rows; ++vertex) {
    const auto [begin, end] = neighbours(graph, vertex);
    ASSERT_EQ(std::adjacent_find(begin, end, std::greater_equal<>()), end) << vertex;
    for (const std::int32_t* at = begin; at < end; ++at) {
      ASSERT_NE(*at, vertex);
      ASSERT_TRUE(has_edge(graph, *at, vertex)) << vertex << ' ' << *at;
    }
  }
}

std::vector<std::int64_t> component_sizes(const Csr& graph) {
  std::vector<bool> seen(static_cast<std::size_t>(graph.rows));
  std::vector<std::int64_t> sizes;
  for (std::int64_t start = 0; start < graph.rows; ++start) {
    if (seen[static_cast<std::size_t>(start)]) continue;
    std::vector<std::int64_t> reached = {start};
    seen[static_cast<std::size_t>(start)] = true;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto [begin, end] = neighbours(graph, reached[i]);
      for (const std::int32_t* at = begin; at < end; ++at)
        if (!seen[static_cast<std::size_t>(*at)]) {
          seen[static_cast<std::size_t>(*at)] = true;
          reached.push_back(*at);
        }
    }
    sizes.push_back(static_cast<std::int64_t>(reached.size()));
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

struct Made {
  const char* name;
  std::function<Csr()> make;
  std::uint64_t print;  // of what it was when this test was written
};

// Large enough to be made in several chunks where that is cheap.
const std::vector<Made>& all_made() {
  static const std::vector<Made> kAll = {
      {"rmat 12 x 16", [] { return rmat_graph(12, 16, 1); }, 0xb7194fefbc6278bf},
      {"rmat 14 x 8", [] { return rmat_graph(14, 8, 2); }, 0xe66dd7eee9ce85e3},
      {"uniform", [] { return uniform_graph(20'000, 150'000, 3); }, 0xcf224352c5d18c55},
      {"lattice", [] { return lattice_graph(257, 131, 4); }, 0x992a54f61f07e219},
      {"path in order", [] { return path_graph(20'011, 0); }, 0x1d98f94f114b4989},
      {"path", [] { return path_graph(20'011, 5); }, 0x6aef332e5573e491},
      {"star", [] { return star_graph(20'011); }, 0x15368968173b147b},
      {"components", [] { return components_graph(20'011, 100, 6); }, 0x82e48ed87a382e25},
      {"loops", [] { return with_self_loops(uniform_graph(20'000, 50'000, 7), 3); }, 0x3f8bc64141369c03},
  };
  return kAll;
}

TEST(GraphGenerators, GiveWhatTheyAlwaysGave) {
  for (const Made& each : all_made())
    EXPECT_EQ(fingerprint(each.make()), each.print) << each.name << ", 0x" << std::hex << fingerprint(each.make());
}

TEST(GraphGenerators, GiveTheSameForEveryNumberOfThreads) {
  for (const char* threads : {"1", "2", "5"}) {
    const EnvironmentVariable several("LANEWISE_THREADS", threads);
    for (const Made& each : all_made()) EXPECT_EQ(fingerprint(each.make()), each.print) << each.name << ' ' << threads;
  }
}

TEST(GraphGenerators, GiveUndirectedGraphs) {
  for (const Made& each : all_made())
    if (std::string(each.name) != "loops") {
      SCOPED_TRACE(each.name);
      expect_undirected(each.make());
    }
}

TEST(GraphGenerators, MakeGraphsOfNothingAndOfOneVertex) {
  for (const Csr& graph : {uniform_graph(0, 10, 1), lattice_graph(0, 0, 1), lattice_graph(5, 0, 1), path_graph(0, 1),
                           path_graph(0, 0), star_graph(0), components_graph(0, 0, 1)}) {
    EXPECT_EQ(graph.rows, 0);
    EXPECT_FALSE(check_csr(graph));
  }
  for (const Csr& graph : {rmat_graph(0, 16, 1), uniform_graph(1, 10, 1), lattice_graph(1, 1, 1), path_graph(1, 1),
                           star_graph(1), components_graph(1, 1, 1)}) {
    EXPECT_EQ(graph.rows, 1);
    EXPECT_TRUE(graph.columns.empty());
    EXPECT_FALSE(check_csr(graph));
  }
}

TEST(RmatGraph, IsSkewed) {
  const Csr graph = rmat_graph(14, 16, 1);
  std::vector<std::int64_t> degrees;
  for (std::int64_t vertex = 0; vertex < graph.rows; ++vertex) degrees.push_back(degree(graph, vertex));
  std::sort(degrees.begin(), degrees.end());
  // Of 2 * 16 * 2^14 drawn, some are repetitions. The hundredth part of highest degree has more than an eighth of all
  // edges, a random graph's about a fiftieth; a fifth and more of the vertices have no edge, a random graph's none.
  const auto edges = static_cast<std::int64_t>(graph.columns.size());
  EXPECT_GT(edges, 2 * 16 * graph.rows * 3 / 4);
  EXPECT_LT(edges, 2 * 16 * graph.rows);
  EXPECT_GT(std::accumulate(degrees.end() - graph.rows / 100, degrees.end(), std::int64_t{0}), edges / 8);
  EXPECT_GT(std::count(degrees.begin(), degrees.end(), 0), graph.rows / 5);
  EXPECT_GT(degrees.back(), 1000);
}

TEST(RmatGraph, NumbersVerticesAtRandom) {
  const Csr graph = rmat_graph(14, 16, 1);
  std::int64_t lower = 0;
  for (std::int64_t vertex = 0; vertex < graph.rows / 2; ++vertex) lower += degree(graph, vertex);
  EXPECT_NEAR(static_cast<double>(lower) / static_cast<double>(graph.columns.size()), 0.5, 0.05);
}

TEST(UniformGraph, HasAlmostAllOfItsEdges) {
  const Csr graph = uniform_graph(10'000, 80'000, 1);  // about 32 pairs are there twice, and 8 loops
  EXPECT_LE(graph.columns.size(), 160'000u);
  EXPECT_GT(graph.columns.size(), 159'700u);
  std::int64_t most = 0;
  for (std::int64_t vertex = 0; vertex < graph.rows; ++vertex) most = std::max(most, degree(graph, vertex));
  EXPECT_LT(most, 50);  // the mean is 16
}

TEST(LatticeGraph, JoinsNeighboursAndSomeDiagonals) {
  const std::int64_t width = 100;
  const std::int64_t height = 80;
  const Csr graph = lattice_graph(width, height, 1);
  std::int64_t straight = 0;
  std::int64_t diagonal = 0;
  for (std::int64_t vertex = 0; vertex < graph.rows; ++vertex) {
    const auto [begin, end] = neighbours(graph, vertex);
    for (const std::int32_t* at = begin; at < end; ++at) {
      const std::int64_t dx = std::abs(*at % width - vertex % width);
      const std::int64_t dy = std::abs(*at / width - vertex / width);
      ASSERT_TRUE(dx <= 1 && dy <= 1 && dx + dy > 0) << vertex << ' ' << *at;
      ++(dx + dy == 1 ? straight : diagonal);
    }
  }
  // 2 * 15,820 straight directions, a quarter missing but for 358 edges along the border; 2 * 15,642 diagonal ones.
  EXPECT_NEAR(static_cast<double>(straight), 0.75 * 31'640 + 0.25 * 716, 400);
  EXPECT_NEAR(static_cast<double>(diagonal), 31'284 / 32.0, 200);
}

TEST(LatticeGraph, ItsBorderIsWhole) {
  const Csr graph = lattice_graph(50, 30, 2);
  for (std::int64_t x = 0; x + 1 < 50; ++x) {
    EXPECT_TRUE(has_edge(graph, x, x + 1));
    EXPECT_TRUE(has_edge(graph, 29 * 50 + x, 29 * 50 + x + 1));
  }
  for (std::int64_t y = 0; y + 1 < 30; ++y) {
    EXPECT_TRUE(has_edge(graph, y * 50, (y + 1) * 50));
    EXPECT_TRUE(has_edge(graph, y * 50 + 49, (y + 1) * 50 + 49));
  }
  EXPECT_GT(component_sizes(graph).back(), 1400);
}

TEST(PathGraph, IsOneLine) {
  for (const std::uint64_t seed : {0, 9}) {
    const Csr graph = path_graph(1000, seed);
    std::int64_t ends = 0;
    for (std::int64_t vertex = 0; vertex < 1000; ++vertex) ends += degree(graph, vertex) == 1 ? 1 : 0;
    EXPECT_EQ(ends, 2);
    EXPECT_EQ(graph.columns.size(), 2u * 999);
    EXPECT_EQ(component_sizes(graph), std::vector<std::int64_t>{1000});
  }
}

TEST(PathGraph, IsNumberedAtRandomUnlessTheSeedIsZero) {
  const Csr in_order = path_graph(1000, 0);
  for (std::int64_t vertex = 0; vertex + 1 < 1000; ++vertex) ASSERT_TRUE(has_edge(in_order, vertex, vertex + 1));
  const Csr permuted = path_graph(1000, 1);
  std::int64_t next = 0;
  for (std::int64_t vertex = 0; vertex + 1 < 1000; ++vertex) next += has_edge(permuted, vertex, vertex + 1) ? 1 : 0;
  EXPECT_LT(next, 12);  // 2 are to be expected
}

TEST(StarGraph, JoinsVertexZeroToAllOthers) {
  const Csr graph = star_graph(1000);
  EXPECT_EQ(degree(graph, 0), 999);
  for (std::int64_t leaf = 1; leaf < 1000; ++leaf) {
    ASSERT_EQ(degree(graph, leaf), 1);
    ASSERT_TRUE(has_edge(graph, leaf, 0));
  }
}

TEST(ComponentsGraph, HasExactlySoManyComponents) {
  for (const std::int64_t components : {1, 2, 3, 4, 100, 999, 1000}) {
    const auto sizes = component_sizes(components_graph(1000, components, 8));
    EXPECT_EQ(static_cast<std::int64_t>(sizes.size()), components);
    EXPECT_GE(std::count(sizes.begin(), sizes.end(), 1), components / 4);
  }
}

TEST(ComponentsGraph, ItsComponentsDifferInSize) {
  const auto sizes = component_sizes(components_graph(10'000, 40, 8));
  EXPECT_GT(sizes.back(), 3 * sizes[sizes.size() / 2]);
}

TEST(SelfLoops, AreWhereTheyWereAskedFor) {
  const Csr plain = uniform_graph(100, 300, 1);
  const Csr looped = with_self_loops(plain, 7);
  ASSERT_FALSE(check_csr(looped));
  for (std::int64_t vertex = 0; vertex < 100; ++vertex) {
    EXPECT_EQ(has_edge(looped, vertex, vertex), vertex % 7 == 0);
    EXPECT_EQ(degree(looped, vertex), degree(plain, vertex) + (vertex % 7 == 0 ? 1 : 0));
    const auto [begin, end] = neighbours(looped, vertex);
    EXPECT_TRUE(std::is_sorted(begin, end));
  }
  EXPECT_EQ(fingerprint(with_self_loops(looped, 7)), fingerprint(looped));
}

}  // namespace
}  // namespace lanewise
