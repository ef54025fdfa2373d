// One mistake is one group, wherever and however often it was found.
#include "harness/report/finding_groups.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

Finding found(const std::string& tool, int line, const std::string& kind, const std::string& array, int count = 1) {
  Finding finding;
  finding.tool = tool;
  finding.kind = kind;
  finding.place = {"scan.cu", line};
  finding.array = array;
  finding.index = 7;
  finding.count = count;
  return finding;
}

TEST(FindingGroups, ALineAndAKindAreOneMistakeInAllArrays) {
  const std::vector<Finding> findings = {
      found("memcheck", 8, "out-of-bounds read", "d_a", 3), found("memcheck", 9, "out-of-bounds read", "d_a"),
      found("memcheck", 8, "out-of-bounds read", "d_b", 4), found("memcheck", 8, "out-of-bounds write", "d_c")};
  const auto groups = group_findings(findings);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].shown, &findings[0]);
  EXPECT_EQ(groups[0].same, std::vector<const Finding*>{&findings[2]});
  EXPECT_EQ(groups[0].count, 7);
  EXPECT_EQ(arrays_text(groups[0]), "d_a[7], d_b[7]");
}

TEST(FindingGroups, ARaceIsOneFromBothOfItsLines) {
  const std::vector<Finding> findings = {found("racecheck", 31, "read after write in line 32", "s"),
                                         found("racecheck", 32, "write after read in line 31", "s"),
                                         found("racecheck", 32, "write after write in line 32", "s"),
                                         found("racecheck", 31, "read after write in line 40", "s")};
  const auto groups = group_findings(findings);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].same, std::vector<const Finding*>{&findings[1]});
  EXPECT_EQ(other_line(*groups[0].shown), 32);
  EXPECT_EQ(arrays_text(groups[0]), "s[7]") << "an array is named once";
}

TEST(FindingGroups, WithoutALineNothingIsTheSame) {
  EXPECT_EQ(group_findings({found("memcheck", 0, "leak", ""), found("memcheck", 0, "leak", "")}).size(), 2U);
  EXPECT_EQ(other_line(found("runtime", 3, "stopped in line 9", "")), 0) << "not a race";
}

TEST(FindingGroups, ManyArraysAreCounted) {
  std::vector<Finding> findings;
  for (const char* array : {"a", "b", "c", "d", "e"}) findings.push_back(found("initcheck", 3, "uninitialised", array));
  EXPECT_EQ(arrays_text(group_findings(findings).at(0)), "a[7], b[7], c[7] and 2 more");
}

}  // namespace
}  // namespace lanewise
