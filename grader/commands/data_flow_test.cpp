// `lanewise data` as a user meets it: the real command, its files and exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>

#include "datasets/image.h"
#include "datasets/scratch_folder.h"
#include "datasets/sha256.h"
#include "grader/data/download.h"
#include "grader/data/small_server.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise::data_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGenerous(120);

class DataFlow : public ::testing::Test {
 protected:
  Finished run(const std::vector<std::string>& arguments) const {
    ProcessOptions options;
    options.command = {LANEWISE_EXECUTABLE, "data"};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.environment = {"PATH=/usr/bin:/bin",
                           "LANG=C.UTF-8",
                           "HOME=" + folder_.path().string(),
                           "LANEWISE_DATASETS=" + datasets_,
                           "LANEWISE_DATA=" + (folder_.path() / "data").string(),
                           "no_proxy=127.0.0.1"};
    options.folder = folder_.path();
    auto finished = run_to_end(options, kGenerous, 1 << 20);
    EXPECT_TRUE(finished) << finished.sentence();
    return *finished;
  }
  void expect(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& parts) const {
    const Finished finished = run(arguments);
    EXPECT_TRUE(WIFEXITED(finished.status));
    EXPECT_EQ(WEXITSTATUS(finished.status), code) << finished.output;
    for (const std::string& part : parts)
      EXPECT_NE(finished.output.find(part), std::string::npos) << part << "\n--- is not in\n" << finished.output;
  }
  // A course whose catalogue has one file that a server has.
  void use_catalogue_of(const std::string& url, const std::string& content) {
    Sha256 hash;
    hash.add(content.data(), content.size());
    datasets_ = (folder_.path() / "course").string();
    fs::create_directories(datasets_);
    std::ofstream(fs::path(datasets_) / "catalogue.toml")
        << "[[url]]\nname = \"g.txt\"\nwhat = \"a triangle\"\nsource = \"a test\"\nlicence = \"CC0\"\nurl = \"" << url
        << "\"\nsha256 = \"" << hash.digest() << "\"\n";
  }

  const ScratchFolder folder_;
  std::string datasets_ = LANEWISE_DATASETS_FOLDER;
};

TEST_F(DataFlow, ListNamesSetsGeneratorsAndTheFolder) {
  expect({"list"}, 0,
         {"✓ chelsea.png", "– facebook_combined.txt", "854 kB  not here", "– rmat-12.mtx", "rmat_graph",
          "scale=10 edge_factor=16", "Fetched and generated files go to " + (folder_.path() / "data").string()});
}

TEST_F(DataFlow, ShowSaysWhatAFileIsAndDrawsIt) {
  expect({"show", "rajat01.mtx", "--svg", "spy.svg"}, 0,
         {"rajat01.mtx\n", "rows x columns", "6,833 x 6,833", "entries per row", "1 to 1,442", "415,658 bytes"});
  const auto picture = read_file(folder_.path() / "spy.svg", 1 << 20);
  ASSERT_TRUE(picture) << picture.sentence();
  EXPECT_EQ(picture->rfind("<svg ", 0), 0U);
  expect({"show", "chelsea.png"}, 0, {"451 x 300 pixels"});
  expect({"show", "star_graph", "vertices=77"}, 0, {"edges", "76"});
}

TEST_F(DataFlow, ShowSaysWhatIsWrong) {
  expect({"show", "nothing.mtx"}, 2, {"there is no file, data set or generator 'nothing.mtx'"});
  expect({"show", "facebook_combined.txt"}, 1, {"'lanewise data fetch facebook_combined.txt' fetches it"});
  expect({"show", "chelsea.png", "--svg", "again.svg"}, 1, {"it is already a picture"});
  expect({"show", "rajat01.mtx", "--svg", "spy.png"}, 2, {"must end in .svg"});
  std::ofstream(folder_.path() / "broken.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 1\n";
  expect({"show", "broken.mtx"}, 1, {"broken.mtx", "3"});
}

TEST_F(DataFlow, WhatIsMadeIsFoundAndVerified) {
  expect({"make", "rmat-12.mtx"}, 0, {"rmat-12.mtx  914 kB"});
  EXPECT_TRUE(fs::exists(folder_.path() / "data" / "rmat-12.mtx"));
  expect({"list"}, 0, {"✓ rmat-12.mtx"});
  expect({"verify"}, 0, {"rmat-12.mtx\n", " match the catalogue"});
  expect({"show", "rmat-12.mtx", "--as", "graph"}, 0, {"4,096"});
  std::ofstream(folder_.path() / "data" / "rmat-12.mtx", std::ios::app) << "% one line more\n";
  expect({"verify"}, 1, {"rmat-12.mtx does not match the catalogue"});
  expect({"verify", "zipf-100k.npy"}, 1, {"zipf-100k.npy is not here"});
}

TEST_F(DataFlow, MakeTakesParametersSeedsAndFormats) {
  expect({"make", "lattice_graph", "width=20", "height=10", "--out", "roads.txt"}, 0, {"roads.txt"});
  expect({"show", "roads.txt"}, 0, {"graph, treated as undirected"});
  expect({"make", "zipf_keys", "n=1000", "--seed", "7", "--out", "a.npy"}, 0, {});
  expect({"make", "zipf_keys", "n=1000", "seed=7", "--out", "b.npy"}, 0, {});
  expect({"make", "zipf_keys", "n=1000", "--seed", "8", "--out", "c.npy"}, 0, {});
  const auto digest = [this](const char* name) { return std::get<std::string>(sha256_of_file(folder_.path() / name)); };
  EXPECT_EQ(digest("a.npy"), digest("b.npy"));
  EXPECT_NE(digest("a.npy"), digest("c.npy"));
}

TEST_F(DataFlow, MakeSaysWhatMakesNoSense) {
  expect({"make", "rmat_graph"}, 2, {"--out FILE is missing"});
  expect({"make", "rmat-12.mtx", "--seed", "2"}, 2, {"name another file with --out"});
  expect({"make", "rmat_graph", "scale=99", "--out", "g.mtx"}, 2, {"scale of rmat_graph must be from 0 to 28, not 99"});
  expect({"make", "rmat_graph", "scale", "--out", "g.mtx"}, 2, {"'scale' is not PARAMETER=WHOLE-NUMBER"});
  expect({"make", "zipf_keys", "--out", "g.mtx"}, 2, {"keys are written to .npy"});
  expect({"make", "chelsea.png"}, 2, {"chelsea.png is not generated but shipped"});
  expect({"make", "nothing"}, 2, {"there is no data set or generator 'nothing'"});
  expect({"make", "star_graph", "--out", "/proc/none/g.mtx"}, 1, {"/proc/none/g.mtx"});
}

TEST_F(DataFlow, FetchGetsAFileOnceAndVerifyKnowsIt) {
  if (find_program("curl").empty()) GTEST_SKIP() << "the program curl is not installed";
  const std::string content = "0 1\n1 2\n2 0\n";
  SmallServer server({{"g.txt", {content}}});
  use_catalogue_of(server.url("g.txt"), content);
  expect({"fetch", "g.txt"}, 0, {"g.txt  12 bytes; CC0"});
  expect({"fetch", "--all"}, 0, {"is already here"});
  EXPECT_EQ(server.asked_from().size(), 1u);
  expect({"verify"}, 0, {"1 of 1 match the catalogue, 0 are not here"});
  expect({"show", "g.txt"}, 0, {"vertices", "3"});
  std::ofstream(folder_.path() / "data" / "g.txt") << "0 1\n";
  expect({"fetch", "g.txt"}, 1, {"does not match the catalogue; --again fetches it"});
  expect({"fetch", "g.txt", "--again"}, 0, {"g.txt  12 bytes"});
}

TEST_F(DataFlow, FetchSaysWhyNot) {
  if (find_program("curl").empty()) GTEST_SKIP() << "the program curl is not installed";
  std::string url;
  {
    SmallServer server({});
    url = server.url("g.txt");
    use_catalogue_of(url, "");
    expect({"fetch", "g.txt"}, 1, {"the server has no " + url});
  }
  expect({"fetch", "g.txt"}, 3, {"127.0.0.1", "cannot be reached: is there a network?"});
  expect({"fetch", "nothing"}, 2, {"the catalogue has no 'nothing'"});
  expect({"fetch"}, 2, {"name the data sets to fetch, or give --all"});
}

TEST_F(DataFlow, ACatalogueThatIsBrokenIsNamedWithItsLine) {
  use_catalogue_of("ftp://127.0.0.1/g.txt", "");
  expect({"list"}, 3, {"catalogue.toml:6: the address of 'g.txt' must begin with https:// or http://"});
}

TEST_F(DataFlow, HelpHasExamples) {
  expect({"--help"}, 0, {"Examples:", "lanewise data fetch facebook_combined.txt", "Exit codes: 0 done"});
  for (const char* command : {"show", "make", "fetch"}) expect({command, "--help"}, 0, {"Examples:"});
  expect({}, 2, {});
}

}  // namespace
}  // namespace lanewise::data_flow_test
