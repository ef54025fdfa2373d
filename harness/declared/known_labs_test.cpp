// Which folders are labs.
#include "harness/declared/known_labs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class KnownLabsTest : public ::testing::Test {
 protected:
  KnownLabsTest() : root_(fs::temp_directory_path() / ("lanewise_known_labs_test_" + std::to_string(getpid()))) {
    installation_ = find_installation("/proc/self/exe");
    fs::create_directories(root_);
    installation_.labs = root_;
    installation_.cache = root_ / "cache";
  }
  ~KnownLabsTest() override { fs::remove_all(root_); }

  void add(const char* id, const std::string& key) const {
    fs::create_directories(root_ / id);
    std::ofstream(root_ / id / "a.cuh") << "void f(float* d_y);\n";
    std::ofstream(root_ / id / "a.cu") << "\n";
    std::ofstream(root_ / id / "a.cpp") << "void f(float*) {}\n";
    std::ofstream(root_ / id / "lab.toml")
        << "[lab]\ntitle = \"t\"\ncontract = \"a.cuh\"\nskeleton = \"a.cu\"\nprofile = \"h200\"\n"
        << key << " = \"a.cpp\"\n[[task]]\nname = \"f\"\npoints = { correct = 1 }\n"
        << (key == "oracle" ? "judge = \"exact\"\narrays.y = { shape = [4] }\n" : "")
        << "[[task.case]]\nname = \"c\"\ngroup = \"check\"\npoints = 1\nwhy = \"w\"\n";
  }

  fs::path root_;
  Installation installation_;
};

TEST_F(KnownLabsTest, DeclaredLabsStandBesideThoseThatAreCompiledIn) {
  const Installation here = find_installation("/proc/self/exe");
  fs::copy(here.labs / "scan", root_ / "scan", fs::copy_options::recursive);
  add("zeta", "oracle");
  add("alpha", "oracle");
  fs::create_directories(root_ / "figures");
  fs::copy(here.labs / "scan", root_ / "scan_before_lunch", fs::copy_options::recursive);
  const auto labs = known_labs(installation_);
  ASSERT_TRUE(labs) << labs.sentence();
  std::vector<std::string> ids;
  for (const LabSelection& lab : *labs) {
    ids.push_back(lab.file.id);
    EXPECT_EQ(lab.lab->id, lab.file.id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"alpha", "scan", "zeta"}));
}

TEST_F(KnownLabsTest, LabThatMakesNoSenseIsNamed) {
  add("own", "oracle");
  std::ofstream(root_ / "own" / "a.cuh") << "void g(float* d_y);\n";
  const auto labs = known_labs(installation_);
  ASSERT_FALSE(labs);
  EXPECT_NE(labs.sentence().find("own/lab.toml:7: the contract declares no function 'void f(...)'"), std::string::npos)
      << labs.sentence();
  EXPECT_FALSE(known_labs(installation_, {"own"}));
  EXPECT_FALSE(known_labs(installation_, {"f"})) << "its task";
  add("sound", "oracle");
  EXPECT_TRUE(known_labs(installation_, {"sound"})) << "nobody asked for the other one";
}

}  // namespace
}  // namespace lanewise
