// Rosters of every origin, and what is wrong with the others.
#include "grader/class/roster.h"

#include <gtest/gtest.h>

namespace lanewise::class_test {
namespace {

std::vector<Student> roster_in(const std::string& text) {
  const auto table = parse_csv(text, "r.csv");
  EXPECT_TRUE(table) << table.sentence();
  auto students = roster_of(*table, "r.csv");
  EXPECT_TRUE(students) << students.sentence();
  return students ? *students : std::vector<Student>();
}

std::string roster_failure_of(const std::string& text) {
  const auto students = roster_of(*parse_csv(text, "r.csv"), "r.csv");
  return students ? "it was read" : students.sentence();
}

TEST(Roster, OurOwnColumnsInAnyCaseAndOrder) {
  const auto students =
      roster_in("Name;ID;Nickname;Section;E-Mail;email;Login;Number\nZo\xc3\xab;zoe;z;A;;z@x.org;zl;7\nAl;al;;;;;;\n");
  ASSERT_EQ(students.size(), 2U);
  EXPECT_EQ(students[0].id, "al");  // by id
  EXPECT_EQ(students[1].name, "Zo\xc3\xab");
  EXPECT_EQ(students[1].nickname, "z");
  EXPECT_EQ(students[1].section, "A");
  EXPECT_EQ(students[1].email, "z@x.org");
  EXPECT_EQ(students[1].login, "zl");
  EXPECT_EQ(students[1].number, "7");
  EXPECT_TRUE(students[1].is_enrolled);
}

TEST(Roster, TheGradebookOfCanvas) {
  const auto students = roster_in(
      "Student,ID,SIS User ID,SIS Login ID,Section,Scan (1234)\n"
      ",,,,,Manual Posting\n"
      "    Points Possible,,,,,100\n"
      "\"Doe, Jane\",501,s77,jdoe,GPU 01,\n"
      "\"Student, Test\",502,,,GPU 01,\n");
  ASSERT_EQ(students.size(), 2U);
  EXPECT_EQ(students[0].id, "502");  // has nothing else
  EXPECT_EQ(students[1].id, "s77");
  EXPECT_EQ(students[1].name, "Doe, Jane");
  EXPECT_EQ(students[1].login, "jdoe");
  EXPECT_EQ(students[1].number, "501");
  EXPECT_EQ(students[1].section, "GPU 01");
}

TEST(Roster, TheGradebookOfMoodle) {
  const auto students = roster_in(
      "\"First name\",\"Last name\",\"ID number\",Institution,Department,\"Email address\"\n"
      "Jane,Doe,,,,jane.doe@uni.example\nBob,Roe,b7,,,bob@uni.example\n");
  ASSERT_EQ(students.size(), 2U);
  EXPECT_EQ(students[0].id, "b7");
  EXPECT_EQ(students[1].id, "jane.doe");
  EXPECT_EQ(students[1].name, "Jane Doe");
}

TEST(Roster, TheGradingWorksheetOfMoodle) {
  const auto students =
      roster_in("Identifier,\"Full name\",\"Email address\",Status,Grade\nParticipant 4711,Jane Doe,jd@x.org,,\n");
  ASSERT_EQ(students.size(), 1U);
  EXPECT_EQ(students[0].number, "4711");
  EXPECT_EQ(students[0].id, "4711");
  EXPECT_EQ(students[0].name, "Jane Doe");
}

TEST(Roster, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(roster_failure_of(""), "r.csv: the roster is empty; its first row names the columns");
  EXPECT_EQ(roster_failure_of("alice,Alice\nbob,Bob\n"),
            "r.csv:1: no column identifies students; the first row names the columns, and one of them must be \"id\", "
            "\"login\", \"number\" or \"email\"");
  EXPECT_EQ(roster_failure_of("id,name\n"), "r.csv: the roster has headings but no students below them");
  EXPECT_EQ(roster_failure_of("id,name\nal,A\n,Bob\n"), "r.csv:3: Bob has no id; fill in the column \"id\"");
  EXPECT_EQ(roster_failure_of("id,name\nal,A\nb,B\nAL,C\n"),
            "r.csv:4: the id 'AL' is already used in line 2; every student needs a unique one");
}

TEST(Roster, AnIdThatCouldLeadElsewhereIsRefused) {
  for (const std::string id : {"../x", "a/b", ".a", "-rf", "a b", "\xc3\xa4", "a\nb"}) {
    EXPECT_FALSE(is_safe_id(id));
    EXPECT_NE(
        roster_failure_of("id\n\"" + id + "\"\n").find("' cannot be an id; an id has only letters, digits and ._@+-"),
        std::string::npos);
  }
  EXPECT_EQ(roster_failure_of("id\n" + std::string(65, 'a') + "\n"),
            "r.csv:2: '" + std::string(65, 'a') +
                "' cannot be an id; an id has only letters, digits and ._@+-, begins with neither . nor -, and is at "
                "most 64 characters long");
  EXPECT_TRUE(is_safe_id(std::string(64, 'a')));
  EXPECT_TRUE(is_safe_id("a.b-c+d_e@uni.example"));
}

}  // namespace
}  // namespace lanewise::class_test
