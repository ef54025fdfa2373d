// Who races, of a class of made-up verdicts.
#include "grader/board/entries.h"

#include <gtest/gtest.h>

namespace lanewise::board_test {
namespace {

class Entries : public ::testing::Test {
 protected:
  Entries() {
    competition_.tasks = {{"scan", "inclusive_scan", {}, "four million"}};
    board_.cases = {{"scan", "inclusive_scan", "four million", "", 2, {{MarkKind::kReference, "5.cu", 1}}}};
  }

  // A student whose work is right, clean, and modelled to take three milliseconds.
  TaskVerdict& add(const std::string& id, const std::string& nickname = "") {
    GradedStudent& student = graded_.students.emplace_back();
    student.student.id = id;
    student.student.nickname = nickname;
    GradedAttempt& attempt = student.attempts.emplace_back();
    attempt.lab = "scan";
    attempt.is_counted = true;
    TaskVerdict& task = attempt.verdict.emplace().tasks.emplace_back();
    task.task = "inclusive_scan";
    task.state = TaskState::kGraded;
    for (const char* const group : {"check", "grade"}) {
      CaseVerdict& each = task.cases.emplace_back();
      each.name = group == std::string("check") ? "four million" : "hidden";
      each.group = group;
      each.sizes = "n = 4,000,000";
      each.outcome = CaseOutcome::kRight;
      each.points = each.max_points = 5;
    }
    task.speed.is_known = true;
    task.speed.time = {3, 3, 3};
    task.speed.roof = "bandwidth";
    task.speed.roof_fraction = 0.5;
    return task;
  }

  std::vector<BoardEntry> entries() const { return entries_of(graded_, competition_); }

  GradedClass graded_;
  Competition competition_;
  Board board_;
};

TEST_F(Entries, RightAndCleanIsFitAndHasItsModelledTimeAndRoof) {
  add("ada");
  board_.entries = entries();
  take_modelled_times(graded_, competition_, board_);
  ASSERT_EQ(board_.entries.size(), 1U);
  EXPECT_EQ(board_.entries[0].state, EntryState::kFit);
  ASSERT_EQ(board_.entries[0].times.size(), 1U);
  EXPECT_DOUBLE_EQ(board_.entries[0].times[0].ratio.value, 1.5);
  EXPECT_DOUBLE_EQ(board_.entries[0].times[0].ratio.low, 1.5);
  EXPECT_EQ(board_.cases[0].sizes, "n = 4,000,000");
  ASSERT_EQ(board_.cases[0].marks.size(), 2U);
  EXPECT_EQ(board_.cases[0].marks[1].kind, MarkKind::kRoof);
  EXPECT_DOUBLE_EQ(board_.cases[0].marks[1].ratio, 0.75) << "half of three milliseconds, of a reference of two";
}

TEST_F(Entries, EachReasonNotToRaceIsTold) {
  add("a").cases[0].outcome = CaseOutcome::kWrong;
  add("b").findings.emplace_back().tool = "racecheck";
  TaskVerdict& refused = add("c");
  refused.state = TaskState::kRefused;
  refused.message = "it calls fork\nand more";
  add("d").state = TaskState::kCompileError;
  add("e").speed.review = "two times disagree";
  TaskVerdict& untimed = add("f");
  untimed.speed.is_known = false;
  untimed.speed.sentence = "no kernel ran";
  add("g");
  graded_.students.back().attempts[0].verdict.reset();
  graded_.students.back().attempts[0].trouble = "the disk is full";
  add("h");
  graded_.students.back().attempts[0].lab = "merge";
  add("i").cases.clear();
  board_.entries = entries();
  take_modelled_times(graded_, competition_, board_);
  const std::vector<std::pair<EntryState, std::string>> expected = {
      {EntryState::kWrong, "inclusive_scan: wrong in 1 of 2 cases"},
      {EntryState::kUnclean, "inclusive_scan: found by racecheck"},
      {EntryState::kRefused, "inclusive_scan: it calls fork"},
      {EntryState::kIncomplete, "inclusive_scan: it does not compile"},
      {EntryState::kUnderReview, "inclusive_scan: two times disagree"},
      {EntryState::kNotTimed, "inclusive_scan: no kernel ran"},
      {EntryState::kNotGraded, "the disk is full"},
      {EntryState::kIncomplete, "nothing was submitted for scan"},
      {EntryState::kNotGraded, "inclusive_scan: no case was run"}};
  ASSERT_EQ(board_.entries.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(board_.entries[i].state, expected[i].first) << board_.entries[i].id;
    EXPECT_EQ(board_.entries[i].reason, expected[i].second) << board_.entries[i].id;
  }
}

TEST_F(Entries, KnowWhatCountsWhenItWasSubmittedAndWhatWasNeverRight) {
  add("ada").cases[0].outcome = CaseOutcome::kWrong;
  std::vector<GradedAttempt>& attempts = graded_.students[0].attempts;
  attempts[0].source = "sources/scan/1f/scan.cu";
  attempts[0].is_counted = false;
  attempts.push_back(attempts[0]);
  attempts[1].source = "sources/scan/2e/scan.cu";
  attempts[1].verdict->tasks[0].cases[0].outcome = CaseOutcome::kRight;
  attempts[1].is_counted = true;
  attempts[1].submitted = 1'700'000'000;
  const BoardEntry entry = entries().at(0);
  EXPECT_EQ(entry.state, EntryState::kFit);
  EXPECT_EQ(entry.contents, std::vector<std::string>{"2e"});
  EXPECT_EQ(entry.unfit, std::set<std::string>{"1f"});
  EXPECT_EQ(entry.submitted, 1'700'000'000);
  // Of several submissions the last; unknown if one of them is.
  competition_.tasks.push_back({"merge", "inclusive_scan", {}, ""});
  attempts.push_back(attempts[1]);
  attempts[2].lab = "merge";
  attempts[2].submitted = 1'800'000'000;
  EXPECT_EQ(entries().at(0).submitted, 1'800'000'000);
  attempts[2].submitted = 0;
  EXPECT_EQ(entries().at(0).submitted, 0);
}

TEST_F(Entries, WhatCouldNotBeJudgedIsNotHeldAgainstIt) {
  add("a").state = TaskState::kCompileError;
  add("b").cases.clear();
  for (const BoardEntry& entry : entries()) EXPECT_TRUE(entry.unfit.empty()) << entry.id;
}

TEST_F(Entries, WhereCorrectnessHasAWeightHiddenCasesCostTheirShare) {
  TaskVerdict& task = add("ada");
  task.cases[1].outcome = CaseOutcome::kWrong;
  task.cases[1].points = 0;
  EXPECT_EQ(entries().at(0).state, EntryState::kWrong);
  competition_.weights.correctness = 1;
  EXPECT_EQ(entries().at(0).state, EntryState::kFit);
  EXPECT_DOUBLE_EQ(entries().at(0).correctness, 0.5);
  graded_.students[0].attempts[0].verdict->tasks[0].cases[0].outcome = CaseOutcome::kWrong;
  EXPECT_EQ(entries().at(0).state, EntryState::kWrong) << "what students can check themselves has to be right";
}

TEST_F(Entries, NamesAreNicknamesAndNoTwoAreEqual) {
  add("a", "Speedy");
  add("b", "  ");
  add("c", " Speedy ");
  add("d", "anonymous 2");
  add("e");
  add("f", "line\nbreak");
  graded_.students.emplace_back().student.id = "handed in nothing";
  std::vector<std::string> names;
  for (const BoardEntry& entry : entries()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Speedy", "anonymous 1", "Speedy (2)", "anonymous 2", "anonymous 3",
                                             "line break"}));
}

TEST_F(Entries, PointsForClarityGoById) {
  add("ada");
  add("bob");
  competition_.clarity["bob"] = 0.7;
  EXPECT_EQ(entries().at(0).clarity, 0);
  EXPECT_EQ(entries().at(1).clarity, 0.7);
}

}  // namespace
}  // namespace lanewise::board_test
