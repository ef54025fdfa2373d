// What waits is asked for once, as text, and what comes back is read again.
#include "grader/marks/to_mark.h"

#include <gtest/gtest.h>

#include "grader/exports/sample_class_test.h"
#include "grader/marks/marks_file.h"
#include "grader/marks/merge_marks.h"

namespace lanewise::marks_test {
namespace {

// Ada's counted attempt at scan has one answer that waits, one that is marked, and one that a program scores.
GradedClass class_that_waits(const std::string& answer) {
  GradedClass graded = sample_class();
  for (GradedAttempt& attempt : graded.students[0].attempts)
    if (attempt.lab == "scan")
      attempt.verdict->tasks[0].marks = {{"why", Marked::Result::kWaiting, 0, 4, "Why?", answer, ""},
                                         {"how", Marked::Result::kByHand, 1, 4, "How?", "so", ""},
                                         {"n", Marked::Result::kWrong, 0, 1, "", "", ""}};
  return graded;
}

TEST(ToMark, OnlyAnswersOfCountedAttemptsThatWait) {
  const GradedClass graded = class_that_waits("because");
  EXPECT_EQ(count_waiting(graded), 1U);
  const auto table = parse_csv(to_mark_csv(graded, {{"scan", {{"why", std::string("a reason")}}}}), "to_mark.csv");
  ASSERT_TRUE(table) << table.sentence();
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[1].cells, (std::vector<std::string>{"ada", "Lovelace, Ada", "scan", "why", "Why?", "a reason",
                                                            "because", "4", "", "", answer_id("because")}));
  EXPECT_EQ(count_waiting(sample_class()), 0U);
  EXPECT_EQ(parse_csv(to_mark_csv(sample_class(), {}), "to_mark.csv")->rows.size(), 1U) << "the headings";
}

TEST(ToMark, AnswersCannotBecomeFormulas) {
  const std::string csv = to_mark_csv(class_that_waits("=HYPERLINK(\"http://x\")\n+1;=2"), {});
  EXPECT_NE(csv.find("\"'=HYPERLINK(\"\"http://x\"\")\n'+1;'=2\""), std::string::npos) << csv;
}

// What an instructor makes of it who gives 3 points.
std::string filled_in(const std::string& answer) {
  std::string csv = to_mark_csv(class_that_waits(answer), {});
  const std::size_t points = csv.find(",4,,,");
  return points == std::string::npos ? "" : csv.replace(points, 5, ",4,3,fine,");
}

void expect_read_back(const std::string& csv, const std::string& answer) {
  const auto table = parse_csv(csv, "to_mark.csv");
  ASSERT_TRUE(table) << table.sentence();
  MarkingScheme scheme;
  scheme.students = {"ada"};
  scheme.questions[{"scan", "why"}] = 4;
  const MarksFile file = marks_of(*table, "to_mark.csv", scheme);
  ASSERT_EQ(file.marks.size(), 1U) << (file.problems.empty() ? csv : file.problems[0]);
  EXPECT_EQ(file.marks[0].answer, answer_id(answer));
  EXPECT_EQ(file.marks[0].points, 3);
  EXPECT_EQ(file.marks[0].remark, "fine");
}

TEST(ToMark, FilledInItIsReadBack) {
  const std::string answer = "because, \"so\"\nit is";
  expect_read_back(filled_in(answer), answer);
}

// Also of answers that it takes for something else.
TEST(ToMark, SavedByASpreadsheetItIsReadBack) {
  if (!is_installed("ssconvert")) GTEST_SKIP() << "gnumeric is not there; scripts/prepare.sh test-all installs it";
  for (const std::string answer : {"because, \"so\"\nit is", "=1+1", "3/4", "TRUE"})
    expect_read_back(saved_by_a_spreadsheet(filled_in(answer)), answer);
}

}  // namespace
}  // namespace lanewise::marks_test
