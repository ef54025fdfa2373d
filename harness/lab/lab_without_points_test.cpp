// Points, comments and layout make no difference; anything else does, and so does whether there are points at all.
#include "harness/lab/lab_without_points.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::string without_points(const std::string& text) {
  const fs::path file = fs::temp_directory_path() / ("lanewise_points_test_" + std::to_string(getpid()) + ".toml");
  std::ofstream(file) << text;
  const auto stripped = lab_without_points(file);
  fs::remove(file);
  return stripped ? *stripped : stripped.sentence();
}

std::string lab(const std::string& part, const std::string& a_case, const std::string& n) {
  return "[lab]\ntitle = \"x\"\n[[task]]\npoints = { correct = " + part +
         ", fast = 0 }\n[[task.case]]\nname = \"a\"\nmake = { n = " + n + " }\npoints = " + a_case + "\n";
}

TEST(LabWithoutPoints, PointsAndCommentsMakeNoDifference) {
  const std::string one = without_points(lab("55", "4", "7"));
  EXPECT_EQ(one, without_points(lab("60.5", "0.25", "7")));
  EXPECT_EQ(one, without_points("# a comment\n" + lab("55", "4", "7") + "\n\n"));
}

TEST(LabWithoutPoints, AnythingElseMakesADifferenceAndSoDoesHavingNone) {
  const std::string one = without_points(lab("55", "4", "7"));
  EXPECT_NE(one, without_points(lab("55", "4", "8")));
  EXPECT_NE(one, without_points(lab("55", "0", "7")));
  EXPECT_NE(one, without_points(lab("0", "4", "7")));
  EXPECT_NE(one, without_points(lab("55", "4", "7") + "why = \"so\"\n"));
}

TEST(LabWithoutPoints, WhatIsNoTomlIsAFailure) { EXPECT_NE(without_points("[lab").find(".toml:1"), std::string::npos); }

}  // namespace
}  // namespace lanewise
