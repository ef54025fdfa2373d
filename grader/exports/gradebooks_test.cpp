// Every attempt is in our table; Canvas and Moodle get the grades that there are, and no zero for what was not graded.
#include "grader/exports/gradebooks.h"

#include <gtest/gtest.h>

#include <cstring>

#include "grader/exports/csv.h"
#include "grader/exports/sample_class_test.h"

namespace lanewise::exports_test {
namespace {

TEST(GradesCsv, HasARowForEveryAttemptAndForWhatIsMissing) {
  EXPECT_EQ(grades_csv(sample_class()),
            "\xEF\xBB\xBFstudent,name,lab,points,out of,days late,counted,submitted,explanation,trouble,came from\r\n"
            "ada,\"Lovelace, Ada\",scan,12,100,0,no,2026-11-22 19:40 UTC,,,all/scan.cu\r\n"
            "ada,\"Lovelace, Ada\",scan,43.76,100,2,yes,2026-11-22 19:40 UTC,"
            "\"48.3 of 120 become 54.7 of 100; 2 days late: -10.9\",,all/scan.cu\r\n"
            "ada,\"Lovelace, Ada\",vecadd,102.5,100,0,yes,2026-11-22 19:40 UTC,,,all/vecadd.cu\r\n"
            "bob,Bob,scan,,,,no,2026-11-22 19:40 UTC,,the virtual GPU was killed: out of memory,all/scan.cu\r\n"
            "bob,Bob,vecadd,,,,no,,,nothing was submitted,\r\n"
            "cleo,,scan,,,,no,,,nothing was submitted,\r\n"
            "cleo,,vecadd,,,,no,,,nothing was submitted,\r\n");
}

TEST(CanvasCsv, HasCanvasColumnsAndPointsPossible) {
  EXPECT_EQ(canvas_csv(sample_class()),
            "Student,ID,SIS User ID,SIS Login ID,Section,Prefix sum (scan),Vector addition (vecadd)\r\n"
            "\"    Points Possible\",,,,,100,100\r\n"
            "\"Lovelace, Ada\",4711,ada,al1815,A,43.76,102.5\r\n"
            "Bob,,,,,,\r\n"
            "cleo,,cleo,,,,\r\n");
}

TEST(MoodleCsv, HasAColumnAndFeedbackForEachLab) {
  EXPECT_EQ(moodle_csv(sample_class()),
            "Email address,ID number,Username,Prefix sum (scan),Feedback comments (scan),Vector addition (vecadd),"
            "Feedback comments (vecadd)\r\n"
            "ada@example.org,ada,al1815,43.76,\"48.3 of 120 become 54.7 of 100; 2 days late: -10.9\",102.5,\r\n"
            ",cleo,,,nothing was submitted,,nothing was submitted\r\n");
}

TEST(MoodleCsv, NamesTheFeedbackOfAnOnlyLabAsMoodleDoes) {
  GradedClass graded = sample_class();
  graded.labs.pop_back();
  EXPECT_EQ(moodle_csv(graded).substr(0, 73),
            "Email address,ID number,Username,Prefix sum (scan),Feedback comments\r\nada");
}

TEST(Gradebooks, AClassOfNobodyHasHeadings) {
  GradedClass graded = sample_class();
  graded.students.clear();
  EXPECT_EQ(canvas_csv(graded),
            "Student,ID,SIS User ID,SIS Login ID,Section,Prefix sum (scan),Vector addition (vecadd)\r\n"
            "\"    Points Possible\",,,,,120,75\r\n");
}

// Opened and saved, every cell is what it was. What was defused is a text without our apostrophe, and was not computed.
TEST(Gradebooks, ASpreadsheetChangesNothing) {
  if (!is_installed("ssconvert")) GTEST_SKIP() << "gnumeric is not there; scripts/prepare.sh test-all installs it";
  GradedClass graded = sample_class();
  const std::string names[] = {"Łukasz \"Lu\" Żak; Ö.", "=1+1", "-12", "محمد"};
  for (const std::string& name : names) {
    GradedStudent& student = graded.students.emplace_back(graded.students.front());
    student.student.id = fmt::format("s{}", graded.students.size());
    student.student.name = name;
  }
  const std::pair<std::string, std::size_t> tables[] = {
      {grades_csv(graded), 11}, {canvas_csv(graded), 7}, {moodle_csv(graded), 7}};
  for (const auto& [csv, columns] : tables) {
    const auto written = read_by_sqlite(csv, columns);
    const auto saved = read_by_sqlite(saved_by_a_spreadsheet(csv), columns);
    ASSERT_EQ(saved.size(), written.size()) << saved;
    for (std::size_t row = 0; row < written.size(); ++row)
      for (std::size_t column = 0; column < columns; ++column) {
        const std::string name = fmt::format("c{}", column);
        std::string cell = written[row].at(name);
        for (const char* const mark : {kByteOrderMark, "'"})
          if (cell.rfind(mark, 0) == 0) cell.erase(0, std::strlen(mark));
        EXPECT_EQ(saved[row].at(name), cell) << "row " << row;
      }
  }
}

// Whatever a student is called: sqlite3 finds as many rows as there are students, each grade in its column, and no cell
// that a spreadsheet would compute.
TEST(Gradebooks, HostileNamesStayInTheirCells) {
  if (!is_installed("sqlite3")) GTEST_SKIP() << "sqlite3 is not there; scripts/prepare.sh test installs it";
  const std::vector<std::string> names = {"Smith, John",
                                          "\",,,,,100\n",
                                          "=cmd|' /C calc'!A0",
                                          "@SUM(1+1)*cmd",
                                          "x\n=1+1",
                                          "x;=1+1;",
                                          "\r\n\r\n",
                                          "\xE2\x80\xAEgrade",
                                          "001",
                                          "محمد",
                                          "＝1+1",
                                          "\xff\xfe\xc0\x80",
                                          "\x1b]0;title\x07",
                                          std::string(10000, '"'),
                                          "    Points Possible"};
  GradedClass graded = sample_class();
  const GradedStudent pattern = graded.students.front();
  graded.students.clear();
  for (const std::string& name : names) {
    GradedStudent& student = graded.students.emplace_back(pattern);
    student.student.id = "s" + std::to_string(graded.students.size());
    student.student.name = student.student.section = student.student.email = name;
    for (GradedAttempt& attempt : student.attempts) attempt.came_from = attempt.score.explanation = name;
  }
  struct Table {
    std::string csv;
    std::size_t columns;
    std::size_t rows;
    std::string points_column;
    std::size_t headings;
  };
  const Table tables[] = {{grades_csv(graded), 11, 3 * names.size(), "c3", 1},
                          {canvas_csv(graded), 7, names.size(), "c5", 2},
                          {moodle_csv(graded), 7, names.size(), "c3", 1}};
  for (const Table& table : tables) {
    const auto rows = read_by_sqlite(table.csv, table.columns);
    ASSERT_TRUE(rows.is_array()) << rows.dump().substr(0, 1000);
    ASSERT_EQ(rows.size(), table.rows + table.headings);
    for (std::size_t r = table.headings; r < rows.size(); ++r) {
      const std::string points = rows[r].at(table.points_column);
      EXPECT_TRUE(points == "12" || points == "43.76" || points == "102.5") << points;
      for (const auto& [column, value] : rows[r].items()) {
        const std::string text = value;
        EXPECT_TRUE(text.empty() || std::string("=+-@\t\r").find(text[0]) == std::string::npos) << text;
        EXPECT_EQ(text.find('\x1b'), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace lanewise::exports_test
