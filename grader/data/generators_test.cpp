// Generators by name: what they check, and that their files hold what they made.
#include "grader/data/generators.h"

#include <gtest/gtest.h>

#include "datasets/coordinates.h"
#include "datasets/edge_list.h"
#include "datasets/matrix_market.h"
#include "datasets/npy.h"
#include "datasets/scratch_folder.h"

namespace lanewise::data_test {
namespace {

TEST(Generators, AllMakeWhatTheySayWithTheirUsualParameters) {
  for (const Generator& generator : all_generators()) {
    SCOPED_TRACE(generator.name);
    EXPECT_FALSE(check_parameters(generator, {}));
    const MadeData made = make_data(generator, {});
    ASSERT_EQ(std::holds_alternative<Keys>(made), generator.makes == DataKind::kKeys);
    if (const auto* csr = std::get_if<Csr>(&made)) {
      EXPECT_FALSE(check_csr(*csr));
      EXPECT_EQ(csr->values.empty(), generator.makes == DataKind::kGraph);
    }
  }
}

// The bound must hold, or 32 bits would overflow where it is near the limit.
TEST(Generators, NeverMakeMoreEntriesThanTheyAnnounce) {
  for (const Generator& generator : all_generators()) {
    if (generator.makes == DataKind::kKeys) continue;
    ParameterValues values = {{"seed", 1}};
    for (const GeneratorParameter& parameter : generator.parameters) values[parameter.name] = parameter.otherwise;
    EXPECT_LE(static_cast<double>(std::get<Csr>(make_data(generator, {})).columns.size()), generator.entries(values))
        << generator.name;
  }
}

TEST(Generators, AreFoundByName) {
  EXPECT_EQ(find_generator("rmat_graph"), &all_generators().front());
  EXPECT_EQ(find_generator("rmat"), nullptr);
}

TEST(Generators, RefuseWhatTheyCannotMake) {
  const Generator& rmat = *find_generator("rmat_graph");
  EXPECT_NE(check_parameters(rmat, {{"scale", 29}})->sentence.find("from 0 to 28, not 29"), std::string::npos);
  EXPECT_NE(check_parameters(rmat, {{"n", 5}})->sentence.find("it has scale, edge_factor, seed"), std::string::npos);
  EXPECT_TRUE(check_parameters(rmat, {{"scale", 27}, {"edge_factor", 16}}));
  EXPECT_FALSE(check_parameters(rmat, {{"scale", 25}, {"edge_factor", 16}}));
  EXPECT_TRUE(check_parameters(rmat, {{"seed", -1}}));
}

TEST(Generators, FilesHoldWhatWasMade) {
  const ScratchFolder folder;
  const MadeData graph = make_data(*find_generator("path_graph"), {{"vertices", 50}});
  ASSERT_FALSE(write_data(folder.path() / "g.txt", graph, ""));
  const auto edges = read_edge_list(folder.path() / "g.txt");
  EXPECT_EQ(std::get<Coordinates>(edges).row.size(), 49u);
  EXPECT_EQ(undirected_graph(std::get<Coordinates>(edges)).columns, std::get<Csr>(graph).columns);

  const MadeData matrix = make_data(*find_generator("rmat_matrix"), {{"scale", 6}});
  ASSERT_FALSE(write_data(folder.path() / "m.mtx", matrix, "a comment"));
  const Csr again = to_csr(std::get<Coordinates>(read_matrix_market(folder.path() / "m.mtx")), Duplicates::kKeep);
  EXPECT_EQ(again.row_offsets, std::get<Csr>(matrix).row_offsets);
  EXPECT_EQ(again.columns, std::get<Csr>(matrix).columns);
  EXPECT_EQ(again.values, std::get<Csr>(matrix).values);

  const MadeData keys = make_data(*find_generator("zipf_keys"), {{"n", 100}});
  ASSERT_FALSE(write_data(folder.path() / "k.npy", keys, ""));
  const auto array = read_npy(folder.path() / "k.npy");
  EXPECT_EQ(std::get<NpyArray>(array).shape, std::vector<std::int64_t>{100});
  EXPECT_EQ(std::get<NpyArray>(array).type, NpyType::kUint32);
}

TEST(Generators, EndingsSayWhatAFileHolds) {
  EXPECT_TRUE(can_hold(".mtx", DataKind::kGraph));
  EXPECT_TRUE(can_hold(".txt", DataKind::kGraph));
  EXPECT_TRUE(can_hold(".mtx", DataKind::kMatrix));
  EXPECT_FALSE(can_hold(".txt", DataKind::kMatrix));
  EXPECT_TRUE(can_hold(".npy", DataKind::kKeys));
  EXPECT_FALSE(can_hold(".mtx", DataKind::kKeys));
}

}  // namespace
}  // namespace lanewise::data_test
