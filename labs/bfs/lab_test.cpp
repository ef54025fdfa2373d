// The graphs of the lab bfs, and searching them.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <string>
#include <vector>

#include "labs/bfs/bfs.cuh"
#include "labs/bfs/graphs.h"
#include "labs/bfs/test_graphs.h"

namespace lanewise::bfs_test {
namespace {

using labs::bfs_lab::Graph;
using labs::bfs_lab::graph_of;

std::vector<Parameters> every_kind() {
  return {graph("path", {{"vertices", 50}}, "end"),
          graph("cycle", {{"vertices", 40}}, "random"),
          graph("star", {{"vertices", 60}}, "last"),
          graph("complete", {{"vertices", 20}}),
          graph("spider", {{"legs", 7}, {"length", 4}}),
          graph("layers", {{"layers", 4}, {"width", 5}}),
          graph("regular", {{"vertices", 50}, {"degree", 6}}, "random"),
          graph("hubs", {{"vertices", 100}, {"hubs", 3}, {"degree", 40}}, "hub"),
          graph("components", {{"vertices", 200}, {"components", 9}}, "isolated"),
          graph("rmat", {{"scale", 7}, {"edge_factor", 6}}, "random"),
          graph("uniform", {{"vertices", 90}, {"edges", 300}}, "random"),
          graph("uniform", {{"vertices", 90}, {"edges", 100}, {"loops", 4}}, "random"),
          graph("lattice", {{"width", 9}, {"height", 7}}, "last")};
}

Numbers degrees(const Graph& graph) {
  Numbers result;
  for (std::int32_t v = 0; v < graph.vertices; ++v) result.push_back(graph.row_offsets[v + 1] - graph.row_offsets[v]);
  return result;
}

// The definition, with a queue.
Numbers searched(const Graph& graph) {
  Numbers distance(static_cast<std::size_t>(graph.vertices), kUnreached);
  distance[static_cast<std::size_t>(graph.source)] = 0;
  std::queue<std::int32_t> queue({graph.source});
  for (; !queue.empty(); queue.pop()) {
    const std::int32_t v = queue.front();
    for (std::int32_t e = graph.row_offsets[v]; e < graph.row_offsets[v + 1]; ++e) {
      std::int32_t& found = distance[static_cast<std::size_t>(graph.columns[e])];
      if (found != kUnreached) continue;
      found = distance[static_cast<std::size_t>(v)] + 1;
      queue.push(graph.columns[e]);
    }
  }
  return distance;
}

TEST(BfsMake, KeepsToTheContract) {
  for (const Parameters& parameters : every_kind()) {
    const Problem problem = made(parameters);
    const Graph g = graph_of(problem);
    const std::string& kind = parameters.text("kind");
    ASSERT_GE(g.vertices, 1) << kind;
    ASSERT_EQ(element_count(problem.inputs[0]), static_cast<std::size_t>(g.vertices) + 1) << kind;
    ASSERT_EQ(element_count(problem.inputs[1]), static_cast<std::size_t>(g.edges)) << kind;
    ASSERT_EQ(element_count(problem.outputs.at(0)), static_cast<std::size_t>(g.vertices)) << kind;
    EXPECT_EQ(g.row_offsets[0], 0);
    EXPECT_EQ(g.row_offsets[g.vertices], g.edges);
    EXPECT_GE(g.source, 0);
    EXPECT_LT(g.source, g.vertices);
    for (std::int32_t v = 0; v < g.vertices; ++v) {
      ASSERT_LE(g.row_offsets[v], g.row_offsets[v + 1]) << kind;
      for (std::int32_t e = g.row_offsets[v]; e < g.row_offsets[v + 1]; ++e) {
        const std::int32_t u = g.columns[e];
        ASSERT_TRUE(0 <= u && u < g.vertices) << kind;
        if (e > g.row_offsets[v]) {
          EXPECT_LT(g.columns[e - 1], u) << kind << ": ascending, none twice";
        }
        EXPECT_TRUE(std::binary_search(g.columns + g.row_offsets[u], g.columns + g.row_offsets[u + 1], v))
            << kind << ": stored in both directions";
      }
    }
  }
}

TEST(BfsMake, TheDegreesThatWereAskedFor) {
  for (const std::int64_t degree : {2, 4, 32}) {
    const Problem problem = made(graph("regular", {{"vertices", 100}, {"degree", degree}}, "random"));
    EXPECT_EQ(degrees(graph_of(problem)), Numbers(100, static_cast<std::int32_t>(degree)));
    const Numbers distances = expected(problem);
    EXPECT_EQ(std::count(distances.begin(), distances.end(), kUnreached), 0) << "connected";
  }
  const Problem hubs = made(graph("hubs", {{"vertices", 500}, {"hubs", 4}, {"degree", 300}}, "hub"));
  const Numbers of_hubs = degrees(graph_of(hubs));
  EXPECT_EQ(std::count(of_hubs.begin(), of_hubs.end(), 300), 4);
  EXPECT_EQ(graph_of(hubs).edges, 2 * 4 * 300);
  EXPECT_EQ(of_hubs[static_cast<std::size_t>(graph_of(hubs).source)], 300);
}

TEST(BfsMake, ClassesOfDegreesHaveEquallyManyEdges) {
  for (const auto& [vertices, degree] : {std::pair{16'384, 4}, {2048, 32}, {512, 128}})
    EXPECT_EQ(graph_of(made(graph("regular", {{"vertices", vertices}, {"degree", degree}}))).edges, 65'536);
  EXPECT_EQ(graph_of(made(graph("hubs", {{"vertices", 16'384}, {"hubs", 32}, {"degree", 1024}}))).edges, 65'536);
}

TEST(BfsMake, SourcesAreWhatTheirNamesSay) {
  const auto degree_of_source = [](const char* source) {
    const Problem problem = made(graph("components", {{"vertices", 300}, {"components", 20}}, source));
    return degrees(graph_of(problem))[static_cast<std::size_t>(graph_of(problem).source)];
  };
  EXPECT_EQ(degree_of_source("isolated"), 0);
  EXPECT_EQ(degree_of_source("end"), 1);
  EXPECT_GT(degree_of_source("random"), 0);
  EXPECT_GT(degree_of_source("hub"), 2);
  EXPECT_EQ(graph_of(made(graph("star", {{"vertices", 9}}, "last"))).source, 8);
  EXPECT_EQ(graph_of(made(graph("star", {{"vertices", 9}}, "first"))).source, 0);
}

TEST(BfsMake, SelfLoopsWhereAskedFor) {
  const Problem problem = made(graph("path", {{"vertices", 10}, {"loops", 3}}));
  const Graph g = graph_of(problem);
  for (std::int32_t v = 0; v < 10; ++v)
    EXPECT_EQ(std::count(g.columns + g.row_offsets[v], g.columns + g.row_offsets[v + 1], v), v % 3 == 0 ? 1 : 0);
}

TEST(BfsMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made(graph("tree", {{"vertices", 5}})), std::invalid_argument);
  EXPECT_THROW(made(graph("path", {{"vertices", 0}})), std::invalid_argument);
  EXPECT_THROW(made(graph("path", {{"vertices", 5}}, "middle")), std::invalid_argument);
  EXPECT_THROW(made(graph("path", {{"vertices", 5}}, "isolated")), std::invalid_argument);
  EXPECT_THROW(made(graph("regular", {{"vertices", 50}, {"degree", 5}})), std::invalid_argument);
  EXPECT_THROW(made(graph("path", {{"vertices", 5}, {"loops", 0}})), std::invalid_argument);
  EXPECT_THROW(made(Parameters()), std::invalid_argument);
}

TEST(BfsMake, AFileThatIsNotThereLeavesTheCaseOut) {
  Parameters parameters = graph("file", {}, "hub");
  parameters.set("file", "no such graph.txt");
  const auto missing = task().make(parameters, 1);
  ASSERT_TRUE(std::holds_alternative<MissingData>(missing));
  EXPECT_NE(std::get<MissingData>(missing).sentence.find("no such graph.txt"), std::string::npos);
}

TEST(BfsOracle, ByHand) {
  const Edges edges = {{0, 1}, {0, 3}, {1, 2}, {1, 4}, {2, 4}, {3, 4}, {4, 5}, {5, 6}, {7, 8}};
  EXPECT_EQ(expected(problem_of(9, edges, 0)), (Numbers{0, 1, 2, 1, 2, 3, 4, -1, -1}));
  EXPECT_EQ(expected(problem_of(9, edges, 8)), (Numbers{-1, -1, -1, -1, -1, -1, -1, 1, 0}));
  EXPECT_EQ(expected(problem_of(1, {}, 0)), (Numbers{0}));
  EXPECT_EQ(expected(problem_of(2, {{1, 1}}, 1)), (Numbers{-1, 0}));
}

TEST(BfsOracle, IsTheDefinition) {
  for (const Parameters& parameters : every_kind())
    for (const std::uint64_t seed : {1, 2}) {
      const Problem problem = made(parameters, seed);
      EXPECT_EQ(expected(problem), searched(graph_of(problem))) << parameters.text("kind");
    }
}

// Enough edges for the levels that all threads share.
TEST(BfsOracle, OfALargeFrontier) {
  const Problem problem = made(graph("hubs", {{"vertices", 1'200'000}, {"hubs", 5}, {"degree", 1'100'000}}, "end"));
  EXPECT_EQ(expected(problem), searched(graph_of(problem)));
}

TEST(BfsJudge, AllowsNoDifference) {
  const Problem problem = problem_of(3, {{0, 1}}, 0);
  const auto right = task().oracle(problem);
  auto got = right;
  EXPECT_TRUE(task().judge(problem, right, got).right);
  elements<std::int32_t>(got[0])[2] = 2;
  EXPECT_FALSE(task().judge(problem, right, got).right);
}

TEST(BfsWork, IsEightBytesAVertexAndFourAnEdge) {
  const Work work = task().work(problem_of(4, {{0, 1}, {1, 2}}, 0));
  EXPECT_EQ(work.bytes, 5 * 4 + 4 * 4 + 4 * 4);
  EXPECT_EQ(work.flops, 4);
}

}  // namespace
}  // namespace lanewise::bfs_test
