// Tables as spreadsheets write them, and as they must not be.
#include "grader/class/csv.h"

#include <gtest/gtest.h>

namespace lanewise::class_test {
namespace {

using Cells = std::vector<std::string>;

std::vector<Cells> cells_of(const std::string& text) {
  const auto table = parse_csv(text, "t.csv");
  EXPECT_TRUE(table) << table.sentence();
  std::vector<Cells> rows;
  for (const CsvRow& row : table->rows) rows.push_back(row.cells);
  return rows;
}

std::string failure_of(const std::string& text) {
  const auto table = parse_csv(text, "t.csv");
  return table ? "it was read" : table.sentence();
}

TEST(ClassCsv, QuotesHoldSeparatorsQuotesAndLines) {
  EXPECT_EQ(cells_of("a,b\n\"1,\"\"2\"\"\",\"3\n4\"\n"), (std::vector<Cells>{{"a", "b"}, {"1,\"2\"", "3\n4"}}));
}

TEST(ClassCsv, EveryLineEndAndTheByteOrderMark) {
  const std::vector<Cells> expected = {{"a", "b"}, {"1", ""}};
  EXPECT_EQ(cells_of("a,b\n1,\n"), expected);
  EXPECT_EQ(cells_of("\xef\xbb\xbf"
                     "a,b\r\n1,\r\n"),
            expected);
  EXPECT_EQ(cells_of("a,b\r1,"), expected);
}

TEST(ClassCsv, TheSeparatorIsTheOneOfTheHeadings) {
  EXPECT_EQ(cells_of("a;b\n1,5;2\n"), (std::vector<Cells>{{"a", "b"}, {"1,5", "2"}}));
  EXPECT_EQ(cells_of("a\tb\n"), (std::vector<Cells>{{"a", "b"}}));
  EXPECT_EQ(cells_of("\"a;b;c\",d\n"), (std::vector<Cells>{{"a;b;c", "d"}}));
}

TEST(ClassCsv, BlankLinesAreNoRowsButAreCounted) {
  const auto table = parse_csv("a\n\n\nb\n", "t.csv");
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[1].line, 4);
}

TEST(ClassCsv, LinesInsideQuotesAreCounted) {
  const auto table = parse_csv("\"a\nb\"\nc\n", "t.csv");
  EXPECT_EQ(table->rows[1].line, 3);
}

TEST(ClassCsv, NothingHasNoRows) { EXPECT_TRUE(cells_of("").empty()); }

TEST(ClassCsv, WhatIsNotATableSaysSo) {
  EXPECT_EQ(failure_of("a\n\"b\n"), "t.csv:2: a cell's quotes are not closed; a '\"' inside quotes is written '\"\"'");
  EXPECT_EQ(failure_of("\"a\"b\n"),
            "t.csv:1: there is text after a cell's closing quotes; a '\"' inside quotes is written '\"\"'");
  EXPECT_EQ(failure_of("a\nJos\xe9\n"), "t.csv:2: this is not UTF-8 text; save the table as \"CSV UTF-8\"");
  EXPECT_EQ(failure_of(std::string("a\0b", 3)), "t.csv:1: this is not UTF-8 text; save the table as \"CSV UTF-8\"");
  EXPECT_EQ(failure_of("\xff\xfe"
                       "a"),
            "t.csv: this is UTF-16 text; save the table as \"CSV UTF-8\"");
}

TEST(ClassCsv, AFileThatIsNotThereSaysSo) {
  const auto table = read_csv("/nowhere/t.csv");
  EXPECT_EQ(table.sentence(), "/nowhere/t.csv: there is no such file");
}

}  // namespace
}  // namespace lanewise::class_test
