// What an instructor fills in is taken as it was meant, and every bad row is told before anything counts.
#include "grader/marks/marks_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "grader/exports/csv.h"

namespace lanewise::marks_test {
namespace {

using Lines = std::vector<std::string>;

const std::string kHeadings = "student,lab,question,answer id,points,remark\n";
const std::string kId = "a0123456789abcdef";

MarksFile read(const std::string& text) {
  const auto table = parse_csv(text, "marks.csv");
  if (!table) return {{}, {table.sentence()}};
  MarkingScheme scheme;
  scheme.students = {"ada", "bob", "+cem", "0042", "007", "07"};
  scheme.questions[{"scan", "why"}] = 4;
  return marks_of(*table, "marks.csv", scheme);
}

TEST(MarksFile, RowsAreReadAndThoseWithoutPointsAreLeftOut) {
  const MarksFile file =
      read(kHeadings + "ada,scan,why," + kId + ", 2.5 ,\"well, nearly\"\nbob,scan,why," + kId + ",,\n");
  EXPECT_EQ(file.problems, Lines{});
  ASSERT_EQ(file.marks.size(), 1U);
  const StoredMark& mark = file.marks[0];
  EXPECT_EQ(mark.student + mark.lab + mark.question + mark.answer, "adascanwhy" + kId);
  EXPECT_EQ(mark.points, 2.5);
  EXPECT_EQ(mark.out_of, 4);
  EXPECT_EQ(mark.remark, "well, nearly");
}

TEST(MarksFile, SpreadsheetsWriteSemicolonsCommasAndOtherColumns) {
  const MarksFile file = read("Points;Student;LAB;question;answer id;out of\n2,5;bob;scan;why;" + kId + ";4\n");
  EXPECT_EQ(file.problems, Lines{});
  ASSERT_EQ(file.marks.size(), 1U);
  EXPECT_EQ(file.marks[0].points, 2.5);
}

TEST(MarksFile, ApostropheBeforeAnIdThatLookedLikeAFormulaIsOurs) {
  const std::string cell = csv_text("+cem").text;
  ASSERT_EQ(cell, "'+cem");
  EXPECT_EQ(read(kHeadings + cell + ",scan,why," + kId + ",1,\n").marks.at(0).student, "+cem");
  EXPECT_EQ(read(kHeadings + "'ada,scan,why," + kId + ",1,\n").problems.size(), 1U);
}

TEST(MarksFile, ZerosThatASpreadsheetDroppedAreMissedIfOnlyOneStudentCanBeMeant) {
  EXPECT_EQ(read(kHeadings + "42,scan,why," + kId + ",1,\n").marks.at(0).student, "0042");
  EXPECT_EQ(read(kHeadings + "0042,scan,why," + kId + ",1,\n").marks.at(0).student, "0042");
  EXPECT_EQ(read(kHeadings + "7,scan,why," + kId + ",1,\n").problems,
            Lines{"marks.csv:2: nobody in the class has the id '7'"})
      << "007 or 07";
}

std::string row_with(const std::string& points) {
  return kHeadings + fmt::format("ada,scan,why,{},{},\n", kId, points);
}

TEST(MarksFile, PointsFromNothingToAllAreInRange) {
  for (const char* const points : {"0", "4", "4.0", "3.999"})
    EXPECT_EQ(read(row_with(points)).problems, Lines{}) << points;
  for (const char* const points : {"-0.1", "4.001", "1e9"})
    EXPECT_EQ(read(row_with(points)).problems,
              Lines{std::string("marks.csv:2: ") + points + " points are out of range: the question 'why' is worth 4"});
  for (const char* const points : {"all", "nan", "inf", "3 of 4", "0x3", "=1+1", "3.5.1"})
    EXPECT_EQ(read(row_with(points)).problems,
              Lines{std::string("marks.csv:2: the points '") + points + "' are not a number"});
}

TEST(MarksFile, EveryBadRowIsToldWithItsLine) {
  const MarksFile file =
      read(kHeadings + "eve,scan,why," + kId + ",1,\n" + "ada,scan,when," + kId + ",1,\n" + "ada,merge,why," + kId +
           ",1,\n" + "ada,scan,why,1.2E+15,1,\n" + "ada,scan,why," + kId + ",1,\n" + "ada,scan,why," + kId + ",2,\n" +
           "ada,scan,why," + kId + ",1,\n" + "\x1b[31m,scan,why," + kId + ",1,\n");
  EXPECT_EQ(file.problems, (Lines{"marks.csv:2: nobody in the class has the id 'eve'",
                                  "marks.csv:3: the lab 'scan' has no free-text question 'when'",
                                  "marks.csv:4: the lab 'merge' has no free-text question 'why'",
                                  "marks.csv:5: '1.2E+15' is not an answer id; leave that column as it was written",
                                  "marks.csv:7: the same answer is marked differently in line 6",
                                  "marks.csv:9: nobody in the class has the id '\\x1b[31m'"}));
}

TEST(MarksFile, TablesThatAreSomethingElseAreToldApart) {
  EXPECT_EQ(read("").problems, Lines{"marks.csv: the file is empty; its first row names the columns"});
  EXPECT_EQ(read("student,lab,question,points\n").problems,
            Lines{"marks.csv:1: there is no column \"answer id\"; fill in the file to_mark.csv as it was written"});
  EXPECT_FALSE(read_marks("/nowhere/marks.csv", {}));
}

}  // namespace
}  // namespace lanewise::marks_test
