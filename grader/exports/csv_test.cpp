// No text becomes a formula, and a reader that is not ours gets back the cells that were written.
#include "grader/exports/csv.h"

#include <gtest/gtest.h>

#include "grader/exports/sample_class_test.h"

namespace lanewise::exports_test {
namespace {

std::string cell(std::string_view text) { return csv_text(text).text; }

TEST(Csv, TextThatIsNoFormulaStaysAsItIs) {
  for (const char* text : {"", "Ada", "Lovelace, Ada", "O'Hara \"Sam\"", "a=b", "x-1", "mail@example.org", " blank ",
                           "two\nlines", "احمد", "Jörg", "a; b"})
    EXPECT_EQ(cell(text), text);
}

TEST(Csv, FormulasAreDefused) {
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "  =1", "\"=1", "\xC2\xA0=1", "　=1",
                           "\xE2\x80\x83=1", "＝1", "＋1", "－1", "＠1", "\t=1", "\tx", "\nx"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(cell(text).substr(0, 1), "'");
  }
  EXPECT_EQ(cell("=1+1"), "'=1+1");
  // A carriage return is written out, and then is no beginning of a formula.
  EXPECT_EQ(cell("\r=1"), "\\x0d=1");
}

TEST(Csv, FormulasBehindOtherSeparatorsAreDefused) {
  EXPECT_EQ(cell("a;=1"), "a;'=1");
  EXPECT_EQ(cell("a; =1;b"), "a;' =1;b");
  EXPECT_EQ(cell("a\t=1"), "a\t'=1");
  EXPECT_EQ(cell("a\n=1\n+2"), "a\n'=1\n'+2");
  EXPECT_EQ(cell("a;\"=1"), "a;'\"=1");
}

TEST(Csv, WhatIsNoTextIsWrittenOut) {
  EXPECT_EQ(cell("a\xff"), "a\\xff");
  EXPECT_EQ(cell(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(cell("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(cell("\xE2\x80\xAEgrade"), "\\u202egrade");
}

TEST(Csv, NumbersAreShortAndNeverDefused) {
  EXPECT_EQ(csv_number(0).text, "0");
  EXPECT_EQ(csv_number(100).text, "100");
  EXPECT_EQ(csv_number(54.666666).text, "54.67");
  EXPECT_EQ(csv_number(0.5).text, "0.5");
  EXPECT_EQ(csv_number(-3).text, "-3");
  EXPECT_EQ(csv_number(-0.001).text, "0");
  EXPECT_EQ(csv_number(1e6).text, "1000000");
  EXPECT_EQ(csv_number(0.0 / 0.0).text, "");
  EXPECT_EQ(csv_number(1 / 0.0).text, "");
}

TEST(Csv, QuotesWhereItMust) {
  EXPECT_EQ(csv_row({csv_text("a"), csv_text("b,c"), csv_text("d\"e"), csv_text(""), csv_number(1.5)}),
            "a,\"b,c\",\"d\"\"e\",,1.5\r\n");
  EXPECT_EQ(csv_row({csv_text(" a ")}), "\" a \"\r\n");
}

TEST(Csv, SqliteReadsTheCellsThatWereWritten) {
  if (!is_installed("sqlite3")) GTEST_SKIP() << "sqlite3 is not there; scripts/prepare.sh test installs it";
  const std::vector<std::string> texts = {"plain",
                                          "a,b",
                                          "\"",
                                          "\"\"",
                                          "quote \" inside",
                                          "two\nlines",
                                          "\n",
                                          "=HYPERLINK(\"http://example.org\";\"x\")",
                                          "a;=1;\n@b",
                                          " edge ",
                                          "",
                                          "'",
                                          "نص من اليمين",
                                          "a\r\nb",
                                          "\xff\xfe",
                                          std::string(10000, 'x'),
                                          std::string(9999, '"') + ","};
  std::vector<CsvCell> cells;
  cells.reserve(texts.size());
  for (const std::string& text : texts) cells.push_back(csv_text(text));
  const auto rows = read_by_sqlite(kByteOrderMark + csv_row(cells) + csv_row(cells), cells.size());
  ASSERT_EQ(rows.size(), 2U) << rows;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < cells.size(); ++i)
      EXPECT_EQ(row.at("c" + std::to_string(i)).get<std::string>(), cells[i].text);
}

}  // namespace
}  // namespace lanewise::exports_test
