// What is said about data whose answer is known.
#include "grader/data/description.h"

#include <gtest/gtest.h>

#include <fstream>

#include "datasets/matrix_generators.h"
#include "datasets/scratch_folder.h"

namespace lanewise::data_test {
namespace {

std::string fact(const DataContents& contents, const std::string& name) {
  for (const auto& [each, text] : facts_of(contents))
    if (each == name) return text;
  return "no fact '" + name + "'";
}

DataContents made(const char* generator, const ParameterValues& values) {
  const Generator* found = find_generator(generator);
  return contents_of(make_data(*found, values), found->makes);
}

DataContents read(const std::string& name, const std::string& text, TakenAs as = TakenAs::kWhatItIs) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / name) << text;
  auto contents = read_data(folder.path() / name, as);
  EXPECT_TRUE(contents) << contents.sentence();
  return *contents;
}

TEST(Facts, OfAStar) {
  const auto star = made("star_graph", {{"vertices", 1000}});
  EXPECT_EQ(fact(star, "vertices"), "1,000");
  EXPECT_EQ(fact(star, "edges"), "999");
  EXPECT_EQ(fact(star, "degrees"), "1 to 999; median 1, mean 1.998, 99 % have at most 1");
  EXPECT_EQ(fact(star, "components"), "1; the largest has 100 % of all vertices");
  EXPECT_EQ(fact(star, "isolated vertices"), "0");
}

TEST(Facts, OfComponents) {
  const auto graph = made("components_graph", {{"vertices", 2000}, {"components", 40}});
  EXPECT_EQ(fact(graph, "components").substr(0, 4), "40; ");
}

TEST(Facts, OfAnEdgeListSayWhatWasLeftOut) {
  const auto graph = read("g.txt", "1 2\n2 1\n2 3\n3 3\n1 2\n");
  EXPECT_EQ(fact(graph, "vertices"), "3");
  EXPECT_EQ(fact(graph, "edges"), "2");
  EXPECT_EQ(fact(graph, "left out"), "3 of 5 given: 1 self-loops, 2 duplicates");
}

TEST(Facts, OfTheLaplaceOperator) {
  const auto matrix = made("poisson5", {{"n", 10}});
  EXPECT_EQ(fact(matrix, "rows x columns"), "100 x 100");
  EXPECT_EQ(fact(matrix, "entries"), "460, 4.6 % of all positions");
  EXPECT_EQ(fact(matrix, "entries per row"), "3 to 5; median 5, mean 4.6, 99 % have at most 5");
  EXPECT_EQ(fact(matrix, "symmetric"), "yes");
  EXPECT_EQ(fact(matrix, "values"), "-1 to 4");
  EXPECT_EQ(fact(matrix, "farthest from the diagonal"), "10");
  EXPECT_EQ(fact(matrix, "on the diagonal"), "100");
}

TEST(Facts, TellPatternsThatAreSymmetricFromMatricesThatAre) {
  EXPECT_EQ(fact(made("banded_matrix", {{"rows", 50}}), "symmetric"), "its pattern is, its values are not");
  EXPECT_EQ(fact(made("rmat_matrix", {{"scale", 8}}), "symmetric"), "no");
  EXPECT_EQ(fact(made("uniform_rows_matrix", {{"rows", 5}, {"cols", 9}}), "symmetric"), "no: it is not square");
}

TEST(Facts, OfAFileCountRepetitions) {
  const std::string text = "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n1 2\n3 1\n2 1\n";
  const auto matrix = read("m.mtx", text);
  EXPECT_EQ(fact(matrix, "kind"), "sparse matrix, a pattern without values");
  EXPECT_EQ(fact(matrix, "repeated"), "1 at a position that already has one");
  const auto graph = read("m.mtx", text, TakenAs::kGraph);
  EXPECT_EQ(fact(graph, "edges"), "2");
}

TEST(Facts, OfKeys) {
  const auto keys = made("sorted_keys", {{"n", 1000}});
  EXPECT_EQ(fact(keys, "kind"), "array of uint32");
  EXPECT_EQ(fact(keys, "in order"), "ascending");
  EXPECT_EQ(fact(keys, "distinct values"), "1,000");
  EXPECT_EQ(fact(made("equal_keys", {{"n", 1000}}), "most common"), "1,000 times, 100 %");
  EXPECT_EQ(fact(made("few_keys", {{"n", 10'000}, {"different", 7}}), "distinct values"), "7");
}

TEST(Facts, OfNothingAreNoReasonToFail) {
  facts_of(Graph{Csr{0, 0, {0}, {}, {}}, -1, 0, 0});
  facts_of(made("poisson5", {{"n", 0}}));
  facts_of(NpyArray{NpyType::kFloat64, {0}, {}});
  SUCCEED();
}

TEST(ReadData, NamesTheEndingsItKnows) {
  const auto contents = read_data("data.csv", TakenAs::kWhatItIs);
  ASSERT_FALSE(contents);
  EXPECT_NE(contents.sentence().find("'data.csv' does not end in .mtx"), std::string::npos) << contents.sentence();
}

}  // namespace
}  // namespace lanewise::data_test
