// Plots of everything there is, of very little, and of nothing.
#include "grader/data/plots.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanewise::data_test {
namespace {

DataContents made_data(const char* generator, const ParameterValues& values) {
  const Generator* found = find_generator(generator);
  return contents_of(make_data(*found, values), found->makes);
}

// Dots, and boxes of a path, that are data.
int shapes_of_data(const std::string& svg) {
  int count = 0;
  for (std::size_t at = 0; (at = svg.find("class=\"own\"", at)) != std::string::npos; ++at) {
    const std::size_t begin = svg.rfind('<', at);
    const std::string shape = svg.substr(begin, at - begin);
    count += shape.rfind("<path", 0) == 0 ? static_cast<int>(std::count(shape.begin(), shape.end(), 'z')) : 1;
  }
  return count;
}

TEST(DataPlots, OfEveryGeneratorShowData) {
  for (const Generator& generator : all_generators()) {
    const auto plot = plot_of(made_data(generator.name.c_str(), {}), generator.name);
    ASSERT_TRUE(plot) << generator.name << ": " << plot.sentence();
    EXPECT_GE(shapes_of_data(*plot), generator.name == "equal_keys" ? 1 : 2) << generator.name;
  }
}

TEST(DataPlots, OfVeryLittleAreDrawn) {
  EXPECT_TRUE(plot_of(made_data("path_graph", {{"vertices", 2}}), "two"));
  EXPECT_TRUE(plot_of(made_data("poisson5", {{"n", 1}}), "one"));
  EXPECT_TRUE(plot_of(made_data("equal_keys", {{"n", 1}}), "one"));
  EXPECT_TRUE(plot_of(made_data("uniform_rows_matrix", {{"rows", 1}, {"cols", 5000}}), "a strip"));
  EXPECT_TRUE(plot_of(made_data("uniform_rows_matrix", {{"rows", 5000}, {"cols", 1}}), "a strip"));
  EXPECT_TRUE(plot_of(made_data("gaps_matrix", {{"rows", 2}}), "no entries"));
}

TEST(DataPlots, OfNothingAreRefusedWithAReason) {
  const auto degrees = plot_of(Graph{Csr{3, 3, {0, 0, 0, 0}, {}, {}}, -1, 0, 0}, "");
  ASSERT_FALSE(degrees);
  EXPECT_NE(degrees.sentence().find("no vertex of the graph has an edge"), std::string::npos);
  EXPECT_FALSE(plot_of(made_data("poisson5", {{"n", 0}}), ""));
  EXPECT_FALSE(plot_of(NpyArray{NpyType::kFloat32, {0}, {}}, ""));
  EXPECT_FALSE(plot_of(Image{1, 1, 1, {0}}, ""));
}

TEST(DataPlots, TakeTitlesOfAnyLength) {
  EXPECT_TRUE(plot_of(made_data("star_graph", {{"vertices", 5}}), std::string(1000, 'W')));
  EXPECT_TRUE(plot_of(made_data("star_graph", {{"vertices", 5}}), ""));
}

}  // namespace
}  // namespace lanewise::data_test
