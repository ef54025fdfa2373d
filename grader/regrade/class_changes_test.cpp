// Exactly those whose grade moves are listed, each with reasons that add up.
#include "grader/regrade/class_changes.h"

#include <gtest/gtest.h>

#include "grader/exports/sample_class_test.h"

namespace lanewise::regrade_test {
namespace {

// What stands, as if sample_class() had been kept.
std::vector<StandingScore> standing_of(GradedClass& graded) {
  std::vector<StandingScore> standing;
  for (GradedStudent& student : graded.students)
    for (GradedAttempt& attempt : student.attempts) {
      attempt.source = "/out/sources/" + attempt.lab + "/content/" + attempt.lab + ".cu";
      if (!attempt.verdict) continue;
      StandingScore& each = standing.emplace_back();
      each.score.student = student.student.id;
      each.score.lab = attempt.lab;
      each.score.content = "content";
      each.score.points = attempt.score.points;
      each.score.out_of = attempt.score.out_of;
      each.score.is_counted = attempt.is_counted;
      each.score.explanation = attempt.score.explanation;
      each.verdict = attempt.verdict;
    }
  return standing;
}

GradedAttempt& counted(GradedClass& graded, const std::string& lab) {
  for (GradedAttempt& attempt : graded.students[0].attempts)
    if (attempt.lab == lab && attempt.is_counted) return attempt;
  throw std::logic_error("the sample has one");
}

double sum(const std::vector<PointChange>& lines) {
  double sum = 0;
  for (const PointChange& line : lines) sum += line.moved;
  return sum;
}

TEST(ClassChanges, AnEqualClassHasNone) {
  GradedClass graded = sample_class();
  const auto standing = standing_of(graded);
  EXPECT_TRUE(class_changes(standing, graded).empty());
}

TEST(ClassChanges, OnlyTheScoreThatMovesIsListedAndItsLinesAddUp) {
  GradedClass graded = sample_class();
  const auto standing = standing_of(graded);
  GradedAttempt& attempt = counted(graded, "scan");
  attempt.verdict->tasks[0].parts[1].points = 10;  // clean: 7 before
  attempt.score.points += 2.7;                     // a tenth is lost for being late
  attempt.score.explanation = "one day late";
  const auto changes = class_changes(standing, graded);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].student.id + " " + changes[0].lab, "ada scan");
  EXPECT_NEAR(changes[0].moved(), 2.7, 1e-9);
  ASSERT_EQ(changes[0].lines.size(), 2U);
  EXPECT_EQ(changes[0].lines[0].part, "clean");
  EXPECT_EQ(changes[0].lines[1].part, "course");
  EXPECT_NE(changes[0].lines[1].why.find("one day late; before: "), std::string::npos);
  EXPECT_NEAR(sum(changes[0].lines), 2.7, 1e-9);
}

TEST(ClassChanges, LatenessAloneIsTheCoursesDoing) {
  GradedClass graded = sample_class();
  const auto standing = standing_of(graded);
  counted(graded, "vecadd").score.points -= 5;
  counted(graded, "vecadd").score.explanation = "1 day late: -5";
  const auto changes = class_changes(standing, graded);
  ASSERT_EQ(changes.size(), 1U);
  ASSERT_EQ(changes[0].lines.size(), 1U);
  EXPECT_EQ(changes[0].lines[0].why, "1 day late: -5; before: as graded");
  EXPECT_NEAR(changes[0].lines[0].moved, -5, 1e-9);
}

TEST(ClassChanges, AnotherAttemptThatCountsIsSaid) {
  GradedClass graded = sample_class();
  const auto standing = standing_of(graded);
  counted(graded, "scan").source = "/out/sources/scan/other/scan.cu";
  counted(graded, "scan").score.points += 1;
  const auto changes = class_changes(standing, graded);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].lines.at(0).why, "another attempt counts: all/scan.cu");
}

TEST(ClassChanges, ScoresThatComeAndGoAreTold) {
  GradedClass graded = sample_class();
  auto standing = standing_of(graded);
  counted(graded, "scan").verdict.reset();
  counted(graded, "scan").trouble = "the copy is missing";
  auto changes = class_changes(standing, graded);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_FALSE(changes[0].after);
  EXPECT_EQ(changes[0].lines.at(0).why, "the copy is missing");
  GradedClass again = sample_class();
  changes = class_changes({}, again);
  ASSERT_EQ(changes.size(), 2U) << "two scores count in the sample";
  EXPECT_FALSE(changes[0].before);
  EXPECT_EQ(changes[0].lines.at(0).why, "graded for the first time");
}

}  // namespace
}  // namespace lanewise::regrade_test
