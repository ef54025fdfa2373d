// course.toml as it may be written, and what scores become by it.
#include "grader/class/course.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "datasets/scratch_folder.h"

namespace lanewise::class_test {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kDue = 1'795'388'340;  // 2026-11-22T23:59:00+01:00

std::string read_failure(const std::string& text) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "course.toml") << text;
  const auto course = read_course(folder.path() / "course.toml");
  if (course) return "it was read";
  return course.sentence().substr(folder.path().string().size() + 1);
}

Course read(const std::string& text) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "course.toml") << text;
  const auto course = read_course(folder.path() / "course.toml");
  EXPECT_TRUE(course) << course.sentence();
  return course ? *course : Course();
}

Course sample() {
  return read(R"(
title = "GPU programming"
count = "latest"
[late]
grace_minutes = 15
percent_a_day = 10
most_percent = 50
last_day = 7
[lab.scan]
due = 2026-11-22T23:59:00+01:00
out_of = 100
extra_credit = 0.1
extra_points = { alice = 5, carol = 50 }
[extension_days]
bob = 2
"bob/scan" = 0.5
)");
}

TEST(CourseFile, EveryKey) {
  const Course course = sample();
  EXPECT_EQ(course.title, "GPU programming");
  EXPECT_EQ(course.counted, CountedAttempt::kLatest);
  EXPECT_EQ(course.late.grace_minutes, 15);
  EXPECT_EQ(course.late.last_day, 7);
  EXPECT_EQ(course.labs.at("scan").due, kDue);
  EXPECT_EQ(course.labs.at("scan").extra_points.at("alice"), 5);
  EXPECT_EQ(course.extensions.at("bob"), 2 * kDay);
  EXPECT_EQ(course.extensions.at("bob/scan"), kDay / 2);
}

TEST(CourseFile, NothingInItIsACourseWithoutTerms) {
  const Course course = read("");
  EXPECT_EQ(course.counted, CountedAttempt::kBest);
  EXPECT_EQ(course.late.percent_a_day, 0);
  EXPECT_TRUE(course.labs.empty());
}

TEST(CourseFile, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(
      read_failure("titel = \"x\"\n"),
      "course.toml:1: the key 'titel' means nothing here; known keys are title, count, late, lab, extension_days, "
      "server, slurm");
  EXPECT_EQ(read_failure("count = \"first\"\n"),
            "course.toml:1: 'first' cannot be counted; the key 'count' must be \"best\" or \"latest\"");
  EXPECT_EQ(read_failure("\n[late]\npercent_a_day = 110\n"),
            "course.toml:3: the key 'percent_a_day' must be a number from 0 to 100");
  EXPECT_EQ(read_failure("[late]\nmost_percent = nan\n"),
            "course.toml:2: the key 'most_percent' must be a finite number");
  EXPECT_EQ(read_failure("[late]\ngrace = 3\n"),
            "course.toml:2: the key 'grace' means nothing here; known keys are grace_minutes, percent_a_day, "
            "most_percent, last_day");
  EXPECT_EQ(read_failure("[lab.scan]\ndue = \"tomorrow\"\n"),
            "course.toml:2: the key 'due' must be a date with its time and offset, without quotes, such as "
            "2026-11-22T23:59:00+01:00");
  EXPECT_EQ(read_failure("[lab.scan]\ndue = 2026-11-22T23:59:00\n"),
            "course.toml:2: the key 'due' has no time zone; write 2026-11-22T23:59:00+01:00 (one hour "
            "ahead of UTC) or 2026-11-22T23:59:00Z (UTC)");
  EXPECT_EQ(read_failure("[lab.scan]\ndue = 0000-11-22T23:59:00Z\n"),
            "course.toml:2: the key 'due' has the year 0, which no calendar has");
  EXPECT_EQ(read_failure("[lab.scan]\nextra_points = { al = -1 }\n"),
            "course.toml:2: the key 'al' must be a number from 0 to 1e+06");
  EXPECT_EQ(read_failure("[lab]\nscan = 3\n"), "course.toml:2: the key 'scan' must be a table");
  EXPECT_EQ(read_failure("[extension_days]\nbob = \"two\"\n"), "course.toml:2: the key 'bob' must be a number");
  EXPECT_EQ(read_failure("[server]\nentries_a_day = 0\n"),
            "course.toml:2: the key 'entries_a_day' must be a number from 1 to 10000");
  EXPECT_EQ(read_failure("[server]\nshows = [\"names\"]\n"),
            "course.toml:2: 'names' cannot be shown; the key 'shows' is a list of \"verdict\", \"hidden cases\" and "
            "\"board\"");
}

TEST(CourseFile, AServerShowsWhatIsListedAndNothingElse) {
  const ServerTerms otherwise = read("").server;
  EXPECT_TRUE(otherwise.shows_verdict && otherwise.shows_board && !otherwise.shows_hidden_cases);
  const ServerTerms terms =
      read("[server]\nentries_a_day = 3\nlargest_upload_kb = 4\nshows = [\"hidden cases\"]\n").server;
  EXPECT_EQ(terms.entries_a_day, 3);
  EXPECT_EQ(terms.largest_upload, 4096U);
  EXPECT_TRUE(!terms.shows_verdict && !terms.shows_board && terms.shows_hidden_cases);
}

TEST(CourseFile, NamesThatNobodyHasAreSaid) {
  EXPECT_EQ(names_without_effect(sample(), {"vecadd"}, {"alice", "dora"}),
            (std::vector<std::string>{
                "[lab] names 'scan', which is not a known lab; it has no effect",
                "extra_points names 'carol', which is not a known student; it has no effect",
                "[extension_days] names 'bob', which is not a known student; it has no effect",
                "[extension_days] names 'bob', which is not a known student; it has no effect",
                "[extension_days] names 'scan', which is not a known lab; it has no effect",
            }));
  EXPECT_TRUE(names_without_effect(sample(), {"scan"}, {"alice", "bob", "carol"}).empty());
}

CourseScore score(const Course& course, const char* student, double points, std::int64_t submitted,
                  bool is_marked_late = false) {
  return course_score(course, student, "scan", points, 75, submitted, is_marked_late);
}

TEST(CourseScore, WithoutTermsPointsAreWhatTheyWere) {
  const CourseScore plain = course_score({}, "dora", "scan", 41, 75, kDue, false);
  EXPECT_EQ(plain.points, 41);
  EXPECT_EQ(plain.out_of, 75);
  EXPECT_EQ(plain.explanation, "");
}

TEST(CourseScore, ScaledThenLateThenExtraThenCapped) {
  const Course course = sample();
  const CourseScore late = score(course, "dora", 41, kDue + kDay + 1);
  EXPECT_EQ(late.days_late, 2);
  EXPECT_EQ(late.points, 43.73) << "41 / 75 * 100 * 0.8 to the hundredth";
  EXPECT_EQ(late.explanation, "41 of 75 become 54.67 of 100; 2 days late: -10.93");
  const CourseScore extra = score(course, "alice", 75, kDue + kDay);
  EXPECT_NEAR(extra.points, 95, 1e-9);  // 100, less 10 for the day, and 5 of which lateness takes nothing
  EXPECT_EQ(extra.explanation, "75 of 75 become 100 of 100; 1 day late: -10; extra points: +5");
  const CourseScore capped = score(course, "carol", 75, kDue);
  EXPECT_NEAR(capped.points, 110, 1e-9);
  EXPECT_EQ(capped.explanation, "75 of 75 become 100 of 100; extra points: +50; at most 110 count");
}

TEST(CourseScore, GraceDaysBegunAndTheLastDay) {
  const Course course = sample();
  EXPECT_EQ(score(course, "dora", 41, kDue).days_late, 0);
  EXPECT_EQ(score(course, "dora", 41, kDue + 15 * 60).days_late, 0);
  EXPECT_EQ(score(course, "dora", 41, kDue + 15 * 60 + 1).days_late, 1);
  EXPECT_EQ(score(course, "dora", 41, kDue + kDay).days_late, 1);
  EXPECT_NEAR(score(course, "dora", 75, kDue + 6 * kDay).lost, 50, 1e-9);  // most_percent
  EXPECT_NEAR(score(course, "dora", 75, kDue + 7 * kDay).points, 50, 1e-9);
  const CourseScore never = score(course, "dora", 75, kDue + 7 * kDay + 1);
  EXPECT_EQ(never.points, 0);
  EXPECT_EQ(never.explanation, "75 of 75 become 100 of 100; 8 days late, too late to count: -100");
}

TEST(CourseScore, AnExtensionOfOneLabStandsInsteadOfTheGeneralOne) {
  const Course course = sample();
  EXPECT_EQ(score(course, "bob", 41, kDue + kDay / 2).days_late, 0);
  EXPECT_EQ(score(course, "bob", 41, kDue + kDay).days_late, 1);
}

TEST(CourseScore, WithoutATimeOnlyTheMarkCounts) {
  const Course course = sample();
  EXPECT_EQ(score(course, "dora", 41, 0).days_late, 0);
  const CourseScore marked = score(course, "dora", 75, 0, true);
  EXPECT_EQ(marked.days_late, 1);
  EXPECT_EQ(marked.explanation, "75 of 75 become 100 of 100; marked late without a time, so 1 day late: -10");
  EXPECT_EQ(score(course, "dora", 41, kDue, true).days_late, 0);
}

TEST(CourseScore, AnExtensionOfADayCoversAMarkWithoutATime) {
  Course course = sample();
  course.extensions["dora"] = kDay;
  const CourseScore covered = score(course, "dora", 75, 0, true);
  EXPECT_EQ(covered.points, 100);
  EXPECT_EQ(covered.days_late, 0);
  EXPECT_EQ(covered.explanation, "75 of 75 become 100 of 100; marked late, within the extension");
  EXPECT_EQ(score(course, "bob", 75, 0, true).days_late, 1) << "half a day does not cover a whole one";
  EXPECT_EQ(course_score(course, "bob", "merge", 75, 75, 0, true).days_late, 0) << "no due date is needed";
  EXPECT_EQ(course_score({}, "dora", "merge", 75, 75, 0, true).days_late, 1);
}

// Over all the terms that matter: 0 and full, with and without a cap, a last day, a grace.
TEST(CourseScore, IsWithinItsBoundsAndMonotone) {
  for (const double most : {0.0, 50.0, 100.0}) {
    for (const double last_day : {0.0, 1.5, 7.0}) {
      for (const double out_of : {0.0, 10.0, 100.0}) {
        for (const double extra : {0.0, 3.0, 1000.0}) {
          Course course;
          course.late = {20, 30, most, last_day};
          course.labs["scan"].due = kDue;
          course.labs["scan"].out_of = out_of;
          course.labs["scan"].extra_credit = extra > 0 ? 0.1 : 0;
          course.labs["scan"].extra_points["dora"] = extra;
          for (std::int64_t late = -kDay; late < 10 * kDay; late += kDay / 5) {
            double before = -1;
            for (double points = 0; points <= 80; points += 2.5) {  // 75 are full marks
              const CourseScore now = score(course, "dora", points, kDue + late);
              EXPECT_GE(now.points, 0);
              EXPECT_LE(now.points, now.out_of * (1 + course.labs["scan"].extra_credit));
              EXPECT_GE(now.points, before);
              EXPECT_LE(score(course, "dora", points, kDue + late + kDay / 5).points, now.points);
              before = now.points;
            }
          }
        }
      }
    }
  }
}

TEST(CourseScore, PointsThatAreNoNumberAreNone) {
  EXPECT_EQ(course_score({}, "dora", "scan", std::nan(""), 75, 0, false).points, 0);
  EXPECT_EQ(course_score({}, "dora", "scan", -3, 75, 0, false).points, 0);
  EXPECT_EQ(course_score({}, "dora", "scan", 3, 0, 0, false).points, 0);
}

}  // namespace
}  // namespace lanewise::class_test
