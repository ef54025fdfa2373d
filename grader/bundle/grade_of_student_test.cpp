// Of all attempts the one that counts is bundled; who or what is not known is said.
#include "grader/bundle/grade_of_student.h"

#include <gtest/gtest.h>

namespace lanewise::bundle_test {
namespace {

// Ada handed in twice, Bob something that could not be graded, Cem nothing.
struct SmallClass {
  EarlierRun run;
  std::vector<StoredScore> scores;

  SmallClass() {
    run.run.number = 3;
    for (const char* const id : {"ada", "bob", "cem"}) {
      Student student;
      student.id = id;
      run.record.students.push_back(student);
    }
    run.record.attempts = {{"ada", "scan", "first", "ada/1", 100, false},
                           {"ada", "scan", "second", "ada/2", 200, true},
                           {"bob", "scan", "third", "bob", 100, false}};
    run.record.terms["scan"] = "terms";
    scores = {{"ada", "scan", "first", "ada/1", 100, 40, 60, false, ""},
              {"ada", "scan", "second", "ada/2", 200, 50, 60, true, "1 day late: -5"}};
  }
  std::string sentence(const std::string& student, const std::string& lab) const {
    const auto chosen = choose_grade(run, scores, student, lab);
    return chosen ? "" : chosen.sentence();
  }
};

TEST(ChooseGrade, AttemptThatCountsIsMeantAndTheOthersAreTold) {
  const SmallClass small;
  const auto chosen = choose_grade(small.run, small.scores, "ada", "scan");
  ASSERT_TRUE(chosen) << chosen.sentence();
  EXPECT_EQ(chosen->attempt.content, "second");
  EXPECT_TRUE(chosen->attempt.is_marked_late);
  EXPECT_EQ(chosen->score.points, 50);
  ASSERT_EQ(chosen->attempts.size(), 2U);
  EXPECT_FALSE(chosen->attempts[0].is_counted);
  EXPECT_EQ(chosen->attempts[1].explanation, "1 day late: -5");
}

// Files from Canvas bear no time: what tells them apart is where they lay.
TEST(ChooseGrade, OfEqualWorkTheOneThatWasScoredIsMeant) {
  for (const char* const scored : {"ada/1", "ada/late"}) {
    SmallClass small;
    small.run.record.attempts = {{"ada", "scan", "same", "ada/1", 0, false},
                                 {"ada", "scan", "same", "ada/late", 0, true}};
    small.scores = {{"ada", "scan", "same", scored, 0, 40, 60, true, ""}};
    const auto chosen = choose_grade(small.run, small.scores, "ada", "scan");
    ASSERT_TRUE(chosen) << chosen.sentence();
    EXPECT_EQ(chosen->attempt.came_from, scored);
  }
}

TEST(ChooseGrade, WhatIsNotThereIsSaid) {
  const SmallClass small;
  EXPECT_EQ(small.sentence("eve", "scan"), "there is no student 'eve' in run 3; its students: ada, bob and cem");
  EXPECT_EQ(small.sentence("", "scan"), "there is no student '' in run 3; its students: ada, bob and cem");
  EXPECT_EQ(small.sentence("ada", "sort"), "the lab 'sort' was not graded in run 3; its labs: scan");
  EXPECT_EQ(small.sentence("bob", "scan"), "nothing that bob submitted for scan has a grade in run 3");
  EXPECT_EQ(small.sentence("cem", "scan"), "cem submitted nothing for scan");
}

}  // namespace
}  // namespace lanewise::bundle_test
