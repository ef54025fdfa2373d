// What is left of a source does not depend on layout and comments, and no bytes are too odd to be read.
#include "grader/overview/source_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanewise::overview_test {
namespace {

std::string joined(std::string_view source) {
  std::string text;
  for (const SourceToken& token : source_tokens(source)) text += (text.empty() ? "" : " ") + token.text;
  return text;
}

TEST(SourceTokens, LayoutAndCommentsAreGone) {
  EXPECT_EQ(joined("int a=1; // one\n/* two\n lines */ b<<<2, 3>>>(\"x\\\"y\", 'c');"),
            "int a = 1 ; b < < < 1 , 1 > > > ( \"\" , 1 ) ;");
  EXPECT_EQ(joined("a // goes \\\n on\nb"), "a b");
}

TEST(SourceTokens, NumbersAreOneTokenHoweverTheyAreWritten) {
  for (const char* number : {"0", "0x1Fu", "1'000'000", "1e-5f", ".5", "0x1p+3", "1'0"}) EXPECT_EQ(joined(number), "1");
  EXPECT_EQ(joined("1+2"), "1 + 1");
}

TEST(SourceTokens, IncludesAreNobodysWork) {
  EXPECT_EQ(joined("#include <cstdio>\n # include \"scan.cuh\"\n#define N 4\n"), "define N 1");
}

TEST(SourceTokens, LinesAreThoseOfTheSource) {
  const std::vector<SourceToken> tokens = source_tokens("a\n/*\n*/ b\n\"x\\\ny\" c R\"(\n)\" d");
  ASSERT_EQ(tokens.size(), 6U);
  const int lines[] = {1, 3, 4, 5, 5, 6};
  for (std::size_t i = 0; i < tokens.size(); ++i) EXPECT_EQ(tokens[i].line, lines[i]) << i;
}

TEST(SourceTokens, WhatIsNotClosedEndsSomewhere) {
  EXPECT_EQ(joined("a \"b\nc"), "a \"\" c") << "a string ends with its line";
  EXPECT_EQ(joined("a /* b"), "a");
  EXPECT_EQ(joined("R\"x(a"), "\"\"");
  EXPECT_EQ(joined("R\"a b"), "\"\"");
  EXPECT_EQ(joined("\"\\"), "\"\"");
  EXPECT_EQ(joined(""), "");
}

TEST(SourceTokens, AnyBytesBecomePrintableAscii) {
  std::string all;
  for (int round = 0; round < 3; ++round)
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(round == 1 ? 255 - byte : byte);
  for (const SourceToken& token : source_tokens(all)) {
    EXPECT_FALSE(token.text.empty());
    EXPECT_TRUE(std::all_of(token.text.begin(), token.text.end(), [](char c) { return c > ' ' && c < 0x7F; }));
  }
  EXPECT_LE(source_tokens(std::string(1 << 20, 'a'))[0].text.size(), 64U);
}

}  // namespace
}  // namespace lanewise::overview_test
