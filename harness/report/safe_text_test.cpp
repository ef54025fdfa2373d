// Nothing a submission prints can move a cursor, colour a screen, reorder a line or become markup.
#include "harness/report/safe_text.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

TEST(SafeText, OrdinaryTextStays) { EXPECT_EQ(safe_text("a = 1;\n\tb ≤ 2 · ✓ 中 🎓\n"), "a = 1;\n\tb ≤ 2 · ✓ 中 🎓\n"); }

TEST(SafeText, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(safe_text("\x1b[2J\x1b]0;title\x07\r\b"), "\\x1b[2J\\x1b]0;title\\x07\\x0d\\x08");
  EXPECT_EQ(safe_text(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(safe_text("\xc2\x9b"
                      "31m"),
            "\\x9b31m");  // the one-character form of ESC [
}

TEST(SafeText, InvalidBytesAreWrittenOut) {
  EXPECT_EQ(safe_text("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(safe_text("\xc0\xaf"), "\\xc0\\xaf");                    // an overlong slash
  EXPECT_EQ(safe_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(safe_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(safe_text("x\xe2\x89"), "x\\xe2\\x89");                  // cut in the middle
}

TEST(SafeText, TextThatTurnsAroundOrHidesIsWrittenOut) {
  EXPECT_EQ(safe_text("a\u202Eb\u2066c\u200Bd\u061Ce"), "a\\u202eb\\u2066c\\u200bd\\u061ce");
}

TEST(SafeLine, IsOneLine) { EXPECT_EQ(safe_line("a\nb\tc"), "a b c"); }

TEST(HtmlText, MarkupBecomesText) {
  EXPECT_EQ(html_text("<script>alert('x' & \"y\")</script>"),
            "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
}

TEST(AsciiText, MarksGetALikeness) { EXPECT_EQ(ascii_text("✗ a · b ≤ 2 – 中 ▲1 ▼2"), "x a - b <= 2 - ? +1 -2"); }

TEST(Wrap, BreaksAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(wrap_line("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(wrap_line("aaaaaaaa b", 5), (std::vector<std::string>{"aaaaaaaa", "b"}));
  EXPECT_EQ(wrap_line("", 5), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap_line("≤≤ ≤≤", 5), (std::vector<std::string>{"≤≤ ≤≤"}));
}

TEST(FirstColumns, CutsBetweenCharacters) {
  EXPECT_EQ(first_columns("≤≤≤", 2), "≤≤");
  EXPECT_EQ(first_columns("ab", 5), "ab");
}

TEST(PointsText, HasAtMostOneDecimal) {
  EXPECT_EQ(points_text(41), "41");
  EXPECT_EQ(points_text(41.25), "41.25");
  EXPECT_EQ(points_text(41.3), "41.3");
  EXPECT_EQ(points_text(0.125), "0.13") << "a half is rounded up, as in the JSON files";
  EXPECT_EQ(points_text(54.96), "54.96") << "not full marks";
  EXPECT_EQ(points_text(54.996), "55");
  EXPECT_EQ(points_text(100), "100");
  EXPECT_EQ(points_text(-10.934), "-10.93");
  for (const double none : {0.0, -0.0, -0.001}) EXPECT_EQ(points_text(none), "0");
}

}  // namespace
}  // namespace lanewise
