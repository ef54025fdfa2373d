// Edge lists as they are found, with and without their counts at the top, and that what is written is read back.
#include "datasets/edge_list.h"

#include <gtest/gtest.h>

#include <utility>

#include "datasets/data_path.h"
#include "datasets/random.h"
#include "datasets/scratch_folder.h"

namespace lanewise {
namespace {

using Ints = std::vector<std::int32_t>;

Coordinates decoded(const std::string& text) {
  auto result = decode_edge_list(text, "file");
  if (const auto* error = std::get_if<DataError>(&result)) {
    ADD_FAILURE() << error->sentence;
    return {};
  }
  return std::move(std::get<Coordinates>(result));
}

std::string sentence(const std::string& text) {
  const auto result = decode_edge_list(text, "file");
  const auto* error = std::get_if<DataError>(&result);
  return error == nullptr ? "" : error->sentence;
}

TEST(EdgeList, IdsBecomeDenseInAscendingOrder) {
  const Coordinates edges = decoded("# a comment\n70 5\n5 900000000000000000\n6 70\n");
  EXPECT_EQ(edges.rows, 4);
  EXPECT_EQ(edges.cols, 4);
  EXPECT_EQ(edges.row, (Ints{2, 0, 1}));
  EXPECT_EQ(edges.column, (Ints{0, 3, 2}));
  EXPECT_TRUE(edges.value.empty());
  EXPECT_EQ(decoded("5 0\n0 3\n").row, (Ints{2, 0}));
}

TEST(EdgeList, LoopsAndRepeatedEdgesAreKept) {
  const Coordinates edges = decoded("1 1\n0 1\n0 1\n1 0\n");
  EXPECT_EQ(edges.row, (Ints{1, 0, 0, 1}));
  EXPECT_EQ(edges.column, (Ints{1, 1, 1, 0}));
}

TEST(EdgeList, BlanksTabsCommasAndEndsOfLines) {
  for (const char* text : {"0 1\n2 0\n", "0\t1\n2\t0", "0,1\n2,0\n", "0, 1\r\n2 ,0\r\n",
                           "  0   1  \n\n% no edge\n\t2 \t 0\n\n", "\xEF\xBB\xBF#\n0 1\n#\n2 0\n#"}) {
    const Coordinates edges = decoded(text);
    EXPECT_EQ(edges.row, (Ints{0, 2})) << text;
    EXPECT_EQ(edges.column, (Ints{1, 0})) << text;
  }
}

TEST(EdgeList, TheFirstLineIsTheCountsIfTheyAreTrue) {
  for (const char* text : {"3 2\n10 11\n11 12\n", "3 2\r\n10\t11\r\n11\t12\r\n", "3 3 2\n10 11\n11 12\n",
                           "3\n2\n10 11\n11 12\n", "% graph\n3 2\n10 11\n11 12\n", "7 2\n10 11\n11 12\n"}) {
    const Coordinates edges = decoded(text);
    EXPECT_EQ(edges.row, (Ints{0, 1})) << text;
    EXPECT_EQ(edges.rows, 3) << text;
  }
}

TEST(EdgeList, TheFirstLineIsAnEdgeIfItIsNoCount) {
  EXPECT_EQ(decoded("3 2\n0 1\n").row.size(), 2u);
  EXPECT_EQ(decoded("0 1\n").row.size(), 1u);
  EXPECT_EQ(decoded("0 1\n0 2\n").row.size(), 2u);       // one edge follows, but names more than no vertex
  EXPECT_EQ(decoded("3 2\n0 1\n2 3\n").row.size(), 3u);  // two edges follow, but name four vertices
  EXPECT_EQ(decoded("9 8\n0 1\n2 3\n").row.size(), 3u);  // above all others, but not as counts would be
  EXPECT_EQ(decoded("10 20\n10 30\n30 20\n").row.size(), 3u);
  EXPECT_EQ(decoded("0 1\n0\t2\n0\t3\n").row.size(), 3u);  // parted otherwise, but no count of vertices
}

TEST(EdgeList, CountsThatAreNotTrueAreRefused) {
  EXPECT_NE(sentence("4 6\n0\t1\n0\t2\n").find("line 1: this looks like the counts of 4 vertices and 6 edges, but 2"),
            std::string::npos);
  EXPECT_NE(sentence("4 6\n0 1\n0 2\n").find("is the file cut short?"), std::string::npos);
  EXPECT_NE(sentence("4 4 6\n0 1\n0 2\n").find("announces 4 vertices and 6 edges, but 2 edges"), std::string::npos);
  EXPECT_NE(sentence("4\n6\n0 1\n0 2\n").find("announces 4 vertices and 6 edges, but 2 edges"), std::string::npos);
  EXPECT_NE(sentence("2 2 2\n0 1\n0 2\n").find("name 3 vertices"), std::string::npos);
}

TEST(EdgeList, ACommentWithTheCountsSettlesTheMatter) {
  EXPECT_EQ(decoded("# Nodes: 3 Edges: 3\n3 2\n10 11\n11 12\n").row.size(), 3u);
  EXPECT_EQ(decoded("# Nodes: 1 Edges: 1\n0 0\n").row, (Ints{0}));
  EXPECT_EQ(decoded("# Nodes: 0 Edges: 0\n").rows, 0);
  EXPECT_NE(
      sentence("#\n# Nodes: 3 Edges: 3\n10 11\n11 12\n").find("line 2: the comment announces 3 edges, but there are 2"),
      std::string::npos);
}

struct Found {
  const char* name;
  std::int64_t vertices;
  std::size_t edges;
};

TEST(EdgeList, RealGraphsAreRead) {
  for (const Found& graph : {Found{"facebook_combined.txt", 4039, 88234}, Found{"p2p-Gnutella31.txt", 62586, 147892},
                             Found{"ca-HepTh.txt", 9877, 51971}}) {
    const auto found = find_data(graph.name);
    if (std::holds_alternative<DataError>(found)) continue;  // none of them is shipped
    const auto read = read_edge_list(std::get<std::filesystem::path>(found));
    ASSERT_TRUE(std::holds_alternative<Coordinates>(read)) << std::get<DataError>(read).sentence;
    EXPECT_EQ(std::get<Coordinates>(read).rows, graph.vertices) << graph.name;
    EXPECT_EQ(std::get<Coordinates>(read).row.size(), graph.edges) << graph.name;
    EXPECT_FALSE(check_csr(to_csr(std::get<Coordinates>(read), Duplicates::kKeep)));
  }
}

TEST(EdgeList, WhatIsWrittenIsReadBack) {
  const ScratchFolder folder;
  const auto file = folder.path() / "graph.txt";
  Random random(4);
  for (const int vertices : {0, 1, 2, 1000}) {
    Coordinates edges;
    edges.rows = edges.cols = vertices;
    for (int i = 0; i < vertices; ++i) {
      edges.row.push_back(i);
      edges.column.push_back(static_cast<std::int32_t>(random.next() % static_cast<std::uint64_t>(vertices)));
    }
    ASSERT_FALSE(write_edge_list(file, edges));
    const auto back = read_edge_list(file);
    ASSERT_TRUE(std::holds_alternative<Coordinates>(back)) << std::get<DataError>(back).sentence;
    EXPECT_EQ(std::get<Coordinates>(back).rows, edges.rows);
    EXPECT_EQ(std::get<Coordinates>(back).row, edges.row);
    EXPECT_EQ(std::get<Coordinates>(back).column, edges.column);
  }
}

TEST(EdgeList, WhatCannotBeWrittenIsSaid) {
  const ScratchFolder folder;
  const auto file = folder.path() / "graph.txt";
  EXPECT_TRUE(write_edge_list(file, {2, 3, {0}, {1}, {}}));
  EXPECT_TRUE(write_edge_list(file, {2, 2, {0, 1}, {1}, {}}));
  EXPECT_TRUE(write_edge_list(file, {2, 2, {2}, {1}, {}}));
  EXPECT_TRUE(write_edge_list(file, {2, 2, {0}, {-1}, {}}));
  EXPECT_TRUE(write_edge_list(folder.path() / "no_such_folder" / "graph.txt", {2, 2, {0}, {1}, {}}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace lanewise
