// A mark finds the answer it was given for, and no other.
#include "grader/marks/merge_marks.h"

#include <gtest/gtest.h>

#include "harness/report/sample_verdict_test.h"

namespace lanewise::marks_test {
namespace {

Verdict waiting_verdict(const std::string& answer, double max_points = 4) {
  Verdict verdict = sample_verdict();
  TaskVerdict& task = verdict.tasks[0];
  task.parts = {{"correct", 40, 55, true, ""}, {"understood", 0, 10, false, "waits"}};
  task.marks = {{"why", Marked::Result::kWaiting, 0, max_points, "Why?", answer, ""}};
  return verdict;
}

double understood(const Marks& marks, const std::string& student, Verdict verdict) {
  merge_marks(marks, student, verdict);
  const PartScore& part = verdict.tasks[0].parts[1];
  return part.scored ? part.points : -1;
}

TEST(MergeMarks, AMarkIsForOneStudentLabQuestionAndAnswer) {
  const Marks marks = marks_by_answer({{"ada", "scan", "why", answer_id("because"), 3, 4, "good"}});
  EXPECT_EQ(understood(marks, "ada", waiting_verdict("because")), 7.5);
  EXPECT_EQ(understood(marks, "bob", waiting_verdict("because")), -1);
  EXPECT_EQ(understood(marks, "ada", waiting_verdict("because!")), -1) << "another answer is asked about again";
  Verdict other_lab = waiting_verdict("because");
  other_lab.tasks[0].lab = "merge";
  EXPECT_EQ(understood(marks, "ada", other_lab), -1);
  Verdict other_question = waiting_verdict("because");
  other_question.tasks[0].marks[0].id = "how";
  EXPECT_EQ(understood(marks, "ada", other_question), -1);
}

TEST(MergeMarks, SumsFollowAndTheRemarkIsThere) {
  Verdict verdict = waiting_verdict("because");
  merge_marks(marks_by_answer({{"ada", "scan", "why", answer_id("because"), 3, 4, "good"}}), "ada", verdict);
  EXPECT_EQ(verdict.tasks[0].points, 47.5);
  EXPECT_EQ(verdict.tasks[0].max_points, 65);
  EXPECT_EQ(verdict.points, 47.5);
  EXPECT_EQ(verdict.max_points, 120);
  EXPECT_EQ(verdict.tasks[0].marks[0].result, Marked::Result::kByHand);
  EXPECT_EQ(verdict.tasks[0].marks[0].remark, "good");
}

TEST(MergeMarks, TheLastOfSeveralCountsAndKeepsItsShareWhereAQuestionIsWorthMore) {
  const Marks marks = marks_by_answer(
      {{"ada", "scan", "why", answer_id("because"), 4, 4, ""}, {"ada", "scan", "why", answer_id("because"), 1, 4, ""}});
  EXPECT_EQ(understood(marks, "ada", waiting_verdict("because")), 2.5);
  Verdict doubled = waiting_verdict("because", 8);
  merge_marks(marks, "ada", doubled);
  EXPECT_EQ(doubled.tasks[0].marks[0].points, 2);
}

TEST(MergeMarks, IdsOfAnswersAreNoNumbers) {
  EXPECT_EQ(answer_id("because").size(), 17U);
  EXPECT_EQ(answer_id("because")[0], 'a');
  EXPECT_NE(answer_id("because"), answer_id("because "));
}

}  // namespace
}  // namespace lanewise::marks_test
