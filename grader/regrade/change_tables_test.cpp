// Numbers are to the hundredth, and nothing of a student's acts on a terminal or a spreadsheet.
#include "grader/regrade/change_tables.h"

#include <gtest/gtest.h>

namespace lanewise::regrade_test {
namespace {

std::vector<ScoreChange> two_changes() {
  ScoreChange up;
  up.student.id = "ada";
  up.student.name = "=Ada";
  up.lab = "scan";
  up.before = CoursePoints{40, 100};
  up.after = CoursePoints{44.25, 100};
  up.lines = {{"inclusive_scan", "correct", "case block + 1", "wrong before, right now", 4.25}};
  ScoreChange gone;
  gone.student.id = "bob";
  gone.lab = "scan";
  gone.before = CoursePoints{10, 100};
  gone.lines = {{"", "course", "", "missing \x1b[31m\n=1+1", -10}};
  return {up, gone};
}

TEST(ChangeTables, ALineAScoreAndOneAReason) {
  TextStyle style;
  style.utf8 = true;
  style.width = 100;
  EXPECT_EQ(changes_text(two_changes(), 7, style),
            "   +4.25  ada · scan  40/100 → 44.25/100\n"
            "       +4.25  inclusive_scan · correct · case block + 1: wrong before, right now\n"
            "     -10  bob · scan  10/100 → no score\n"
            "         -10  course: missing \\x1b[31m =1+1\n"
            "2 of 7 scores change: 1 up, 1 down.\n");
  EXPECT_EQ(changes_text({}, 7, style), "None of 7 scores changes.\n");
  style.width = 40;
  EXPECT_NE(changes_text(two_changes(), 7, style)
                .find("\n       +4.25  inclusive_scan · correct ·\n              case block + 1: wrong\n              "
                      "before, right now\n"),
            std::string::npos)
      << changes_text(two_changes(), 7, style);
}

TEST(ChangeTables, ARowAReasonInTheSpreadsheet) {
  const std::string csv = changes_csv(two_changes());
  EXPECT_NE(csv.find("\r\nada,'=Ada,scan,40,100,44.25,100,inclusive_scan,correct,case block + 1,"
                     "\"wrong before, right now\",4.25\r\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\r\nbob,,scan,10,100,,,,course,,\"missing \\x1b[31m\n'=1+1\",-10\r\n"), std::string::npos) << csv;
}

}  // namespace
}  // namespace lanewise::regrade_test
