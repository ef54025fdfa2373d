// What differs is named, with what moved it; what only the clock decides is not held against anybody.
#include "grader/bundle/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "grader/bundle/sample_bundle_test.h"

namespace lanewise::bundle_test {
namespace {

// As the harness gives it: nothing is marked by hand yet.
Verdict again() { return sample_work(); }

ComparedLine line(const Comparison& comparison, const std::string& what) {
  for (const ComparedLine& each : comparison.lines)
    if (each.what == what) return each;
  ADD_FAILURE() << "there is no line " << what;
  return {};
}

PartScore& part(Verdict& verdict, const std::string& name) {
  std::vector<PartScore>& parts = verdict.tasks[0].parts;
  return *std::find_if(parts.begin(), parts.end(), [&](const PartScore& each) { return each.name == name; });
}

TEST(CompareGrades, SameWorkComesToTheSameWithMarksAndLateness) {
  const Comparison comparison = compare_grades(sample_manifest(), again());
  for (const ComparedLine& each : comparison.lines) EXPECT_EQ(each.agreement, Agreement::kSame) << each.what;
  EXPECT_TRUE(comparison.is_same);
  EXPECT_TRUE(comparison.changes.empty());
  EXPECT_EQ(line(comparison, "inclusive_scan · understood").is, "5/10") << "the mark is given to it";
  EXPECT_EQ(line(comparison, "total").is, "50/60");
  EXPECT_EQ(line(comparison, "grade").is, "46/60");
}

TEST(CompareGrades, PointMoreIsNamedWhereverItWasPut) {
  Manifest manifest = sample_manifest();
  manifest.verdict.tasks[0].parts[0].points += 1;
  const Comparison in_a_part = compare_grades(manifest, again());
  EXPECT_FALSE(in_a_part.is_same);
  EXPECT_EQ(line(in_a_part, "inclusive_scan · correct").was, "26/30");
  EXPECT_EQ(line(in_a_part, "inclusive_scan · correct").is, "25/30");
  EXPECT_EQ(line(in_a_part, "inclusive_scan · fast").agreement, Agreement::kSame);

  manifest = sample_manifest();
  manifest.verdict.tasks[0].cases[1].points += 1;
  const Comparison in_a_case = compare_grades(manifest, again());
  EXPECT_FALSE(in_a_case.is_same);
  EXPECT_FALSE(in_a_case.changes.empty());

  manifest = sample_manifest();
  manifest.verdict.points += 1;
  EXPECT_EQ(line(compare_grades(manifest, again()), "total").agreement, Agreement::kDiffers);

  manifest = sample_manifest();
  manifest.attempts[1].points += 1;
  const Comparison in_the_grade = compare_grades(manifest, again());
  EXPECT_FALSE(in_the_grade.is_same);
  EXPECT_EQ(line(in_the_grade, "grade").agreement, Agreement::kDiffers);
  EXPECT_EQ(line(in_the_grade, "total").agreement, Agreement::kSame);
}

TEST(CompareGrades, CaseThatIsRightNowIsNamed) {
  Verdict better = again();
  better.tasks[0].cases[1].outcome = CaseOutcome::kRight;
  better.tasks[0].cases[1].points = 1;
  part(better, "correct").points = 30;
  sum_parts(better.tasks[0]);
  sum_tasks(better);
  const Comparison comparison = compare_grades(sample_manifest(), better);
  ASSERT_EQ(comparison.changes.size(), 1U);
  EXPECT_EQ(comparison.changes[0].what, "case a prime");
  EXPECT_EQ(comparison.changes[0].why, "wrong before, right now");
  EXPECT_NEAR(comparison.changes[0].moved, 5, 1e-9);
}

TEST(CompareGrades, MeasuredTimesThatCannotBeToldApartAreTheSame) {
  Verdict slower = again();
  part(slower, "fast").points = 19;
  slower.tasks[0].speed.ratio = {1.13, 1.114, 1.14};  // 1.11 is less than half a percent below 1.114
  const Comparison noise = compare_grades(sample_manifest(), slower);
  EXPECT_EQ(line(noise, "inclusive_scan · fast").agreement, Agreement::kNoise);
  EXPECT_EQ(line(noise, "inclusive_scan · fast").is, "19/20") << "it is still told";
  EXPECT_EQ(line(noise, "total").agreement, Agreement::kSame);
  EXPECT_TRUE(noise.is_same);

  slower.tasks[0].speed.ratio = {1.13, 1.12, 1.14};
  const Comparison apart = compare_grades(sample_manifest(), slower);
  EXPECT_EQ(line(apart, "inclusive_scan · fast").agreement, Agreement::kDiffers);
  EXPECT_FALSE(apart.is_same);

  slower.tasks[0].speed.ratio = {1.1, 1.09, 1.11};
  slower.tasks[0].speed.is_modelled = true;
  EXPECT_FALSE(compare_grades(sample_manifest(), slower).is_same) << "a modelled time has no noise";
}

TEST(CompareGrades, TasksOfOneSideAloneAreTold) {
  Verdict more = again();
  more.tasks.push_back(more.tasks[0]);
  more.tasks[1].task = "exclusive_scan";
  EXPECT_EQ(line(compare_grades(sample_manifest(), more), "exclusive_scan").was, "none");
  EXPECT_EQ(line(compare_grades(sample_manifest(), Verdict()), "inclusive_scan").is, "none");
}

TEST(Differences, WhatChangedWentOrCameIsTold) {
  const std::vector<Difference> all =
      differences({{"a", "1"}, {"b", "1"}, {"c", "1"}}, {{"a", "1"}, {"b", "2"}, {"d", "3"}});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].what + all[0].was + all[0].is, "b12");
  EXPECT_EQ(all[1].what + all[1].was + all[1].is, "c1none");
  EXPECT_EQ(all[2].what + all[2].was + all[2].is, "dnone3");
}

TEST(ComparisonText, HashesAreShortAndNothingIsActedOn) {
  const std::string text =
      differences_text({{"labs/\x1b[2J", sha256_of("a"), sha256_of("b")}, {"nvcc", "13.0\n13", "13.1"}}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("was " + sha256_of("a").substr(0, 12) + ", is " + sha256_of("b").substr(0, 12) + "\n"),
            std::string::npos);
  EXPECT_NE(text.find("was 13.0 13, is 13.1\n"), std::string::npos) << text;
}

TEST(ComparisonText, EachLineSaysWhatItWasAndIs) {
  Manifest manifest = sample_manifest();
  manifest.verdict.tasks[0].parts[0].points += 1;
  const std::string text = comparison_text(compare_grades(manifest, again()), {});
  EXPECT_NE(text.find("✗ inclusive_scan · correct     26/30  25/30"), std::string::npos) << text;
  EXPECT_NE(text.find("✓ total"), std::string::npos) << text;
  TextStyle plain;
  plain.utf8 = false;
  const std::string ascii = comparison_text(compare_grades(manifest, again()), plain);
  EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](unsigned char byte) { return byte < 0x80; })) << ascii;
}

}  // namespace
}  // namespace lanewise::bundle_test
