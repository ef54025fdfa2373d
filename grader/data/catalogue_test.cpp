// The catalogue that is there is whole, and what a broken one is told.
#include "grader/data/catalogue.h"

#include <gtest/gtest.h>

#include <fstream>

#include "datasets/scratch_folder.h"
#include "datasets/sha256.h"
#include "grader/data/generators.h"

namespace lanewise::data_test {
namespace {

constexpr const char* kDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string shipped(const std::string& more = "") {
  return "[[file]]\nname = \"a.mtx\"\npath = \"matrices/a.mtx\"\nwhat = \"w\"\nsource = \"s\"\nlicence = \"l\"\nbytes "
         "= 3\n"
         "sha256 = \"" +
         std::string(kDigest) + "\"\n" + more;
}

std::string url(const std::string& name, const std::string& more = "") {
  return "[[url]]\nname = \"" + name +
         "\"\nwhat = \"w\"\nsource = \"s\"\nlicence = \"l\"\nurl = \"https://h/f\"\nsha256 = \"" +
         std::string(kDigest) + "\"\n" + more;
}

std::string generated(const std::string& name, const std::string& make, const std::string& more = "") {
  return "[[generator]]\nname = \"" + name + "\"\nwhat = \"w\"\nmake = \"" + make + "\"\n" + more;
}

Expected<std::vector<DataSet>> read(const std::string& text) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "catalogue.toml") << text;
  return read_catalogue(folder.path());
}

void expect_refused(const std::string& text, const std::string& part) {
  const auto sets = read(text);
  ASSERT_FALSE(sets) << part;
  EXPECT_NE(sets.sentence().find(part), std::string::npos) << sets.sentence();
}

TEST(DataCatalogue, TheOneThatIsShippedIsRight) {
  const auto sets = read_catalogue(LANEWISE_DATASETS_FOLDER);
  ASSERT_TRUE(sets) << sets.sentence();
  for (const char* name : {"chelsea.png", "rajat01.mtx", "facebook_combined.txt", "rmat-12.mtx"})
    EXPECT_NE(find_set(*sets, name), nullptr) << name;
}

// On every machine the same bytes.
TEST(DataCatalogue, EveryGeneratedSetHasItsDigest) {
  const auto sets = read_catalogue(LANEWISE_DATASETS_FOLDER);
  ASSERT_TRUE(sets);
  const ScratchFolder folder;
  for (const DataSet& set : *sets) {
    if (set.kind != DataSet::Kind::kGenerated || set.sha256.empty()) continue;
    const auto file = folder.path() / set.name;
    const Generator* generator = find_generator(set.generator);
    ASSERT_FALSE(write_data(file, make_data(*generator, set.parameters), comment_of(*generator, set.parameters)));
    EXPECT_EQ(std::get<std::string>(sha256_of_file(file)), set.sha256) << set.name;
    EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(file)), set.bytes) << set.name;
  }
}

TEST(DataCatalogue, ReadsEveryKind) {
  const auto sets = read(shipped() + url("b.txt", "packing = \"tar.gz\"\nmember = \"m/b.txt\"\n") +
                         generated("c.mtx", "rmat_graph", "parameters = {scale = 5}\n"));
  ASSERT_TRUE(sets) << sets.sentence();
  ASSERT_EQ(sets->size(), 3u);
  EXPECT_EQ((*sets)[0].kind, DataSet::Kind::kShipped);
  EXPECT_EQ((*sets)[0].path.filename(), "a.mtx");
  EXPECT_EQ((*sets)[0].bytes, 3);
  EXPECT_EQ((*sets)[1].packing, DataSet::Packing::kTarGz);
  EXPECT_EQ((*sets)[1].member, "m/b.txt");
  EXPECT_EQ((*sets)[1].bytes, -1);
  EXPECT_EQ((*sets)[2].parameters.at("scale"), 5);
  EXPECT_EQ(find_set(*sets, "b.txt"), &(*sets)[1]);
  EXPECT_EQ(find_set(*sets, "b"), nullptr);
}

TEST(DataCatalogue, RefusesWhatIsNotThereOrMeansNothing) {
  const auto none = read_catalogue("/no/such/folder");
  ASSERT_FALSE(none);
  EXPECT_NE(none.sentence().find("/no/such/folder/catalogue.toml"), std::string::npos) << none.sentence();
  expect_refused("[[file]\n", "catalogue.toml:1");
  expect_refused("[[files]]\n", "the key 'files' means nothing here");
  expect_refused(shipped("size = 3\n"), "catalogue.toml:9: the key 'size' means nothing here");
  expect_refused("[[url]]\nname = \"x\"\n", "what");
}

TEST(DataCatalogue, RefusesNamesThatAreTakenOrLeaveTheFolder) {
  expect_refused(url("b.txt") + url("b.txt"), "there are two data sets named 'b.txt'");
  expect_refused(url("../b.txt"), "'../b.txt' is not the bare name of a data file");
  expect_refused(url(".b"), "'.b' is not the bare name of a data file");
  std::string outside = shipped();
  outside.replace(outside.find("matrices/a.mtx"), 14, "../../../a.mtx");
  expect_refused(outside, "must lead to a file a.mtx inside the folder");
}

TEST(DataCatalogue, RefusesDigestsThatAreNone) {
  std::string upper = url("b.txt");
  upper.replace(upper.find("e3b0"), 4, "E3B0");
  expect_refused(upper, "must be 64 hexadecimal digits in lower case");
  std::string shorter = url("b.txt");
  shorter.replace(shorter.find("e3b0"), 4, "");
  expect_refused(shorter, "must be 64 hexadecimal digits");
  expect_refused(url("b.txt", "bytes = -1\n"), "must be a whole number, 1 or more");
}

TEST(DataCatalogue, RefusesAddressesAndPackingsItCannotUse) {
  std::string local = url("b.txt");
  local.replace(local.find("https://"), 8, "file:///");
  expect_refused(local, "must begin with https:// or http://");
  expect_refused(url("b.txt", "packing = \"zip\"\n"), "the packing 'zip' is unknown");
  expect_refused(url("b.txt", "packing = \"tar.gz\"\n"), "member");
  expect_refused(url("b.txt", "packing = \"gzip\"\nmember = \"m\"\n"), "only a tar.gz has members");
}

TEST(DataCatalogue, RefusesGeneratorsAndParametersThereAreNoneOf) {
  expect_refused(generated("c.mtx", "rmat"), "there is no generator 'rmat'; the generators are rmat_graph");
  expect_refused(generated("c.mtx", "rmat_graph", "parameters = {size = 3}\n"), "rmat_graph has no parameter 'size'");
  expect_refused(generated("c.mtx", "rmat_graph", "parameters = {scale = 60}\n"), "must be from 0 to 28, not 60");
  expect_refused(generated("c.mtx", "rmat_graph", "parameters = {scale = 28, edge_factor = 16}\n"), "32 bits");
  expect_refused(generated("c.mtx", "rmat_graph", "parameters = {scale = 1.5}\n"), "must be a whole number");
  expect_refused(generated("c.npy", "rmat_graph"), "a file 'c.npy' cannot hold what rmat_graph makes");
}

}  // namespace
}  // namespace lanewise::data_test
