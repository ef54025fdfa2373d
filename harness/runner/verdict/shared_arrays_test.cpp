#include "harness/runner/verdict/shared_arrays.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr const char* kSource =
    "#define ROWS 8\n"
    "constexpr int kTile = 16;\n"
    "constexpr unsigned kPadded{kTile + 1};\n"
    "__global__ void first() {\n"
    "  __shared__ float a_tile[kTile][kPadded], b_tile[kTile][kTile];\n"
    "  __shared__ unsigned char bytes[2][ROWS * 2 /* twice */][4];\n"
    "}\n"
    "template <int N>\n"
    "__global__ void second() {\n"
    "  __shared__ float a_tile[4][(kTile - 2) / 2];  // another one of this name\n"
    "  __shared__ float open[N][2];\n"
    "  extern __shared__ float dynamic[];\n"
    "}\n";

TEST(SharedArrayTest, ExtentsAreWorkedOutFromConstants) {
  EXPECT_EQ(find_shared_array(kSource, "a_tile", 7).extents, (Extents{16, 17}));
  EXPECT_EQ(find_shared_array(kSource, "b_tile", 7).extents, (Extents{16, 16})) << "second of its declaration";
  EXPECT_EQ(find_shared_array(kSource, "bytes", 7).extents, (Extents{2, 16, 4}));
  EXPECT_EQ(find_shared_array(kSource, "bytes", 7).type, "unsigned char");
}

TEST(SharedArrayTest, TheLastDeclarationBeforeTheLineCounts) {
  EXPECT_EQ(find_shared_array(kSource, "a_tile", 13).extents, (Extents{4, 7}));
}

TEST(SharedArrayTest, WhatIsNotKnownHasNoExtents) {
  EXPECT_TRUE(find_shared_array(kSource, "open", 13).extents.empty()) << "N is a template's";
  EXPECT_TRUE(find_shared_array(kSource, "dynamic", 13).extents.empty());
  EXPECT_TRUE(find_shared_array(kSource, "tile", 13).extents.empty()) << "part of a longer name";
  EXPECT_TRUE(find_shared_array("#define N N\n__shared__ float s[N][2];", "s", 2).extents.empty())
      << "defined by itself";
  EXPECT_TRUE(find_shared_array("__shared__ float s[1 / 0][2];", "s", 1).extents.empty());
  EXPECT_TRUE(find_shared_array("__shared__ float s[((((((((((1))))))))))][2];", "s", 1).extents.empty());
}

// Each constant is a product of many others: 200 to the power of 8 factors in all, unless somebody stops counting.
TEST(SharedArrayTest, SourcesMadeToBeReadSlowlyAreGivenUp) {
  std::string source;
  for (char name = 'a'; name <= 'i'; ++name) {
    source += std::string("#define ") + name + " 1";
    for (int i = 0; i < 100 && name < 'i'; ++i) source += std::string("*") + static_cast<char>(name + 1);
    source += "\n";
  }
  for (int i = 0; i < 300000; ++i) source += " z";
  EXPECT_TRUE(find_shared_array(source + "\n__shared__ float s[a][2];", "s", 20).extents.empty());
  EXPECT_TRUE(find_shared_array(source + "\n__shared__ float s[z][2];", "s", 20).extents.empty());
  EXPECT_TRUE(find_shared_array("__shared__ float s[1048576][1048576];", "s", 20).extents.empty()) << "too many";
}

Finding race_on(std::int64_t index, std::uint32_t bytes) {
  Finding finding;
  finding.array = "a_tile";
  finding.index = index;
  finding.place = {"matmul.cu", 6};
  finding.shared_element_bytes = bytes;
  finding.sentence = "reads a_tile[238], which another wrote; a_tile has 272 elements, my_a_tile[3] none";
  return finding;
}

TEST(SharedArrayTest, ElementsAreNamedByRowAndColumn) {
  std::vector<Finding> findings = {race_on(238, 4)};
  name_shared_elements(findings, kSource);
  EXPECT_EQ(findings[0].sentence,
            "reads a_tile[14][0], which another wrote; a_tile has 272 elements, my_a_tile[3] none");
  EXPECT_EQ(findings[0].element, "a_tile[14][0]");
}

TEST(SharedArrayTest, AccessesOfAnotherWidthKeepTheirCount) {
  std::vector<Finding> findings = {race_on(59, 16)};
  name_shared_elements(findings, kSource);
  EXPECT_EQ(findings[0].element, "");
  EXPECT_NE(findings[0].sentence.find("a_tile[238]"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
