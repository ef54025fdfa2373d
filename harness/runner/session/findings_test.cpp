// Findings are read from text nobody vouches for.
#include "harness/runner/session/findings.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

constexpr const char* kOne = R"json([{"tool": "memcheck", "kind": "out-of-bounds write", "kernel": "add(float*)",
  "file": "/home/me/vecadd.cu", "line": 31, "block": [3, 0, 0], "thread": [232, 0, 0], "array": "d_c", "index": 1000,
  "sentence": "This writes past the end.", "advice": "Compare with n.", "count": 24}])json";

TEST(Findings, EveryFieldArrives) {
  const auto findings = parse_findings(kOne, "n = 1000");
  ASSERT_EQ(findings.size(), 1U);
  const Finding& finding = findings[0];
  EXPECT_EQ(finding.tool, "memcheck");
  EXPECT_EQ(finding.kind, "out-of-bounds write");
  EXPECT_EQ(finding.kernel, "add(float*)");
  EXPECT_EQ(finding.place.file, "vecadd.cu");
  EXPECT_EQ(finding.place.line, 31);
  EXPECT_EQ(finding.block[0], 3U);
  EXPECT_EQ(finding.thread[0], 232U);
  EXPECT_EQ(finding.array, "d_c");
  EXPECT_EQ(finding.index, 1000);
  EXPECT_EQ(finding.count, 24);
  EXPECT_EQ(finding.case_name, "n = 1000");
}

TEST(Findings, OfADocumentAreThoseInIt) {
  const std::string document = R"({"schema": "lanewise-vgpu-report", "version": 2, "findings": )" + std::string(kOne) +
                               R"(, "kernels": [{"name": "add"}]})";
  const auto findings = parse_findings(document, "");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].place.line, 31);
}

TEST(Findings, RubbishGivesNone) {
  for (const char* text : {"", "null", "{}", "{\"findings\": 3}", "{\"findings\": {}}", "[", "[[[[[[",
                           "[1, \"two\", null, {}]", "[{\"tool\": 7, \"kind\": []}]", "\xff\xfe"})
    EXPECT_TRUE(parse_findings(text, "case").empty()) << text;
  EXPECT_TRUE(parse_findings(std::string(100'000, '['), "case").empty());
}

TEST(Findings, WrongTypesAreLeftEmpty) {
  const auto findings = parse_findings(
      R"([{"tool": "memcheck", "kind": "x", "line": "31", "block": "all", "thread": [-1, 2.5], "index": 1e300, "count": -4}])",
      "case");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].place.line, 0);
  EXPECT_EQ(findings[0].block[0], 0U);
  EXPECT_EQ(findings[0].thread[1], 0U);
  EXPECT_EQ(findings[0].index, 0);
  EXPECT_EQ(findings[0].count, 1);
}

TEST(Findings, FloodIsCut) {
  std::string many = "[";
  for (int i = 0; i < 1000; ++i)
    many += R"({"tool": "memcheck", "kind": "x", "sentence": ")" + std::string(5000, 'y') + "\"},";
  many.back() = ']';
  const auto findings = parse_findings(many, "case");
  EXPECT_EQ(findings.size(), 300U);
  EXPECT_LE(findings[0].sentence.size(), 2000U);
}

// Or a hundred harmless ones would hide what another checker has found.
TEST(Findings, FirstOfEveryCheckerIsKept) {
  std::vector<Finding> all, more(2);
  for (int line = 1; line <= 150; ++line) {
    Finding finding;
    finding.tool = "racecheck";
    finding.place.line = line;
    merge_findings(all, {finding});
  }
  EXPECT_EQ(all.size(), 100U);
  more[0].tool = "memcheck";
  more[1].tool = "racecheck";
  merge_findings(all, more);
  ASSERT_EQ(all.size(), 101U);
  EXPECT_EQ(all.back().tool, "memcheck");
}

TEST(Findings, SameFindingInAnotherCaseIsCounted) {
  std::vector<Finding> all;
  merge_findings(all, parse_findings(kOne, "first"));
  merge_findings(all, parse_findings(kOne, "second"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].count, 48);
  EXPECT_EQ(all[0].case_name, "first");
}

TEST(Findings, OfKnownPlacesAreNotAddedForOtherArrays) {
  std::vector<Finding> all, more(3);
  merge_findings(all, parse_findings(kOne, "first"));
  more[0] = more[1] = more[2] = all[0];
  more[0].array = "another";
  more[1].place.line += 1;
  more[2].tool = "initcheck";
  add_other_places(all, more);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].place.line, all[0].place.line + 1);
  EXPECT_EQ(all[2].tool, "initcheck");
}

TEST(Findings, AreInTheFileThatWasHandedIn) {
  std::vector<Finding> findings(2);
  findings[0].place = {"my_work.cu", 8};
  findings[1].place = {"scan.cuh", 3};
  rename_source(findings, "my_work.cu", "my work.cu");
  EXPECT_EQ(findings[0].place.file, "my work.cu");
  EXPECT_EQ(findings[0].place.line, 8);
  EXPECT_EQ(findings[1].place.file, "scan.cuh");
}

}  // namespace
}  // namespace lanewise
