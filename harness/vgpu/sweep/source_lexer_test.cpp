#include "harness/vgpu/sweep/source_lexer.h"

#include <gtest/gtest.h>

#include <string>

namespace vgpu::sweep {
namespace {

std::vector<std::string> words_of(std::string_view source) {
  std::vector<std::string> words;
  for (const Token& token : read_source(source).tokens) words.emplace_back(token.text);
  return words;
}

using Words = std::vector<std::string>;

TEST(SourceLexer, TakesTheLongestOperator) {
  EXPECT_EQ(words_of("a<=b<<c<d>>=e->f::g>>>h"),
            (Words{"a", "<=", "b", "<<", "c", "<", "d", ">>=", "e", "->", "f", "::", "g", ">>>", "h"}));
}

TEST(SourceLexer, KeepsNumbersWhole) {
  EXPECT_EQ(words_of("0xffu+1.5e-3f-1'000'000 .5f 0x1p-3 1+2"),
            (Words{"0xffu", "+", "1.5e-3f", "-", "1'000'000", ".5f", "0x1p-3", "1", "+", "2"}));
}

TEST(SourceLexer, PassesOverCommentsAndDirectives) {
  const SourceText text =
      read_source("#include <a[1]>\n#define LESS(a, b) \\\n  ((a) < (b))\nx /* [ < \n */ y  // z[0] < 1\n");
  ASSERT_EQ(text.tokens.size(), 2u);
  EXPECT_EQ(text.tokens[0].line, 4u);
  EXPECT_EQ(text.tokens[1].line, 5u);
  ASSERT_EQ(text.comments.size(), 1u);
  EXPECT_EQ(text.comments[0].text, " z[0] < 1");
  EXPECT_EQ(text.comments[0].line, 5u);
  ASSERT_EQ(text.directives.size(), 2u);
  EXPECT_EQ(text.directives[1].text, "#define LESS(a, b) \\\n  ((a) < (b))");
}

TEST(SourceLexer, KeepsLiteralsWhole) {
  EXPECT_EQ(words_of(R"s(f("a \" < b", '\'', '"', R"x(y)" [0] )x"))s"),
            (Words{"f", "(", R"s("a \" < b")s", ",", R"s('\'')s", ",", "'\"'", ",", R"s(R"x(y)" [0] )x")s", ")"}));
}

TEST(SourceLexer, KnowsWhereTokensStand) {
  const std::string source = "ab\n  cd";
  const SourceText text = read_source(source);
  EXPECT_EQ(text.tokens[1].begin, 5u);
  EXPECT_EQ(text.tokens[1].end(), 7u);
  EXPECT_EQ(text.tokens[1].line, 2u);
}

TEST(SourceLexer, EndsWithWhatIsNotClosed) {
  for (const char* source : {"/* never", "\"never", "'", "R\"(never", "#define x \\", "\\"}) read_source(source);
}

}  // namespace
}  // namespace vgpu::sweep
