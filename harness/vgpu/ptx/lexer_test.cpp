// The lexer: every kind of token that nvcc writes, and the words for what is no token.
#include "harness/vgpu/ptx/lexer.h"

#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace vgpu::ptx {

void PrintTo(TokenKind kind, std::ostream* out) { *out << "kind " << static_cast<int>(kind); }

namespace {

std::vector<Token> tokens_of(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) tokens.push_back(token);
  return tokens;
}

Diagnostic diagnostic_of(std::string_view text) {
  try {
    tokens_of(text);
  } catch (const Diagnostic& diagnostic) {
    return diagnostic;
  }
  return {0, "nothing is wrong"};
}

struct NumberRow {
  const char* text;
  TokenKind kind;
  std::uint64_t bits;
};

TEST(Lexer, NumbersInEveryForm) {
  constexpr std::uint64_t kOne = 0x3FF0000000000000;
  const NumberRow rows[] = {
      {"0", TokenKind::kInteger, 0},
      {"7", TokenKind::kInteger, 7},
      {"1000000007", TokenKind::kInteger, 1000000007},
      {"18446744073709551615", TokenKind::kInteger, std::numeric_limits<std::uint64_t>::max()},
      {"5U", TokenKind::kInteger, 5},
      {"0x0", TokenKind::kInteger, 0},
      {"0xfFfFfFfFfFfFfFfF", TokenKind::kInteger, std::numeric_limits<std::uint64_t>::max()},
      {"0X1aU", TokenKind::kInteger, 26},
      {"017", TokenKind::kInteger, 15},
      {"01777777777777777777777", TokenKind::kInteger, std::numeric_limits<std::uint64_t>::max()},
      {"0b101", TokenKind::kInteger, 5},
      {"0B1111111111111111111111111111111111111111111111111111111111111111", TokenKind::kInteger,
       std::numeric_limits<std::uint64_t>::max()},
      {"0f3F800000", TokenKind::kFloat32, 0x3F800000},
      {"0Fff800000", TokenKind::kFloat32, 0xFF800000},
      {"0f7FC12345", TokenKind::kFloat32, 0x7FC12345},
      {"0d3FF0000000000000", TokenKind::kFloat64, kOne},
      {"0D8000000000000000", TokenKind::kFloat64, 0x8000000000000000},
      {"1.0", TokenKind::kFloat64, kOne},
      {"0.1", TokenKind::kFloat64, 0x3FB999999999999A},
      {"1e0", TokenKind::kFloat64, kOne},
      {"100E-2", TokenKind::kFloat64, kOne},
      {"1.7976931348623157e308", TokenKind::kFloat64, 0x7FEFFFFFFFFFFFFF},
      {"100000000000000000000.0", TokenKind::kFloat64, 0x4415AF1D78B58C40},  // as an integer it would not fit
  };
  for (const NumberRow& row : rows) {
    SCOPED_TRACE(row.text);
    const std::vector<Token> tokens = tokens_of(row.text);
    ASSERT_EQ(tokens.size(), 1u);
    EXPECT_EQ(tokens[0].kind, row.kind);
    EXPECT_EQ(tokens[0].bits, row.bits);
    EXPECT_EQ(tokens[0].text, row.text);
  }
}

struct WordRow {
  const char* text;
  TokenKind kind;
  const char* word;
};

TEST(Lexer, WordsInEveryForm) {
  const WordRow rows[] = {
      {"ld", TokenKind::kIdentifier, "ld"},
      {"%r1", TokenKind::kIdentifier, "%r1"},
      {"$L__BB0_2", TokenKind::kIdentifier, "$L__BB0_2"},
      {"_", TokenKind::kIdentifier, "_"},
      {"_ZN3cub9a$_0E", TokenKind::kIdentifier, "_ZN3cub9a$_0E"},
      {".global", TokenKind::kDotted, "global"},
      {".shared::cta", TokenKind::kDotted, "shared::cta"},
      {".b8", TokenKind::kDotted, "b8"},
      {".2d", TokenKind::kDotted, "2d"},
      {"\"a/b c.cu\"", TokenKind::kString, "a/b c.cu"},
      {"\"\"", TokenKind::kString, ""},
      {"\"// no comment\"", TokenKind::kString, "// no comment"},
  };
  for (const WordRow& row : rows) {
    SCOPED_TRACE(row.text);
    const std::vector<Token> tokens = tokens_of(row.text);
    ASSERT_EQ(tokens.size(), 1u);
    EXPECT_EQ(tokens[0].kind, row.kind);
    EXPECT_EQ(tokens[0].text, row.word);
  }
  for (const char c : std::string("()[]{}<>,;:=+-!@|~*/&^?")) {
    const std::vector<Token> tokens = tokens_of(std::string(1, c) + " ");
    ASSERT_EQ(tokens.size(), 1u) << c;
    EXPECT_EQ(tokens[0].kind, TokenKind::kPunctuation) << c;
  }
}

TEST(Lexer, AnInstructionFallsIntoItsPieces) {
  std::string words;
  for (const Token& token : tokens_of("@!%p1 ld.global.v2.u32 {%r1,%r2}, [%rd1+-8];")) {
    if (token.kind == TokenKind::kDotted) words += '.';
    words.append(token.text).append(" ");
  }
  EXPECT_EQ(words, "@ ! %p1 ld .global .v2 .u32 { %r1 , %r2 } , [ %rd1 + - 8 ] ; ");
}

TEST(Lexer, LinesAreCountedThroughCommentsAndStrings) {
  const std::vector<Token> tokens = tokens_of("a // b\n/* c\n\n*/ d /**/ e\r\n\"f\" /*\n*/\tg");
  ASSERT_EQ(tokens.size(), 5u);
  const char* const words[] = {"a", "d", "e", "f", "g"};
  const std::uint32_t lines[] = {1, 4, 4, 5, 6};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(tokens[i].text, words[i]);
    EXPECT_EQ(tokens[i].line, lines[i]) << words[i];
  }
}

TEST(Lexer, TheEndComesAgainAndAgain) {
  Lexer lexer("a // the text ends inside a comment");
  EXPECT_EQ(lexer.next().kind, TokenKind::kIdentifier);
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);
}

struct ErrorRow {
  std::string text;
  std::uint32_t line;
  const char* message;
};

TEST(Lexer, WhatIsNoTokenIsNamedWithItsLine) {
  const ErrorRow rows[] = {
      {"a\n/* b", 2, "a comment is not closed"},
      {"a /*", 1, "a comment is not closed"},
      {"a /*/", 1, "a comment is not closed"},
      {"\n\"abc", 2, "a string is not closed"},
      {"\"abc\n\"", 1, "a string is not closed"},
      {"\n\n. x", 3, "a dot is not followed by a name"},
      {"ld.", 1, "a dot is not followed by a name"},
      {"ld.shared::", 1, "'::' is not followed by a name"},
      {"0x", 1, "a number has no digits"},
      {"0xg", 1, "a number has no digits"},
      {"0b2", 1, "a number has no digits"},
      {"0f", 1, "a number has no digits"},
      {"0f1", 1, "0f must be followed by eight hexadecimal digits"},
      {"0f3F8000000", 1, "0f must be followed by eight hexadecimal digits"},
      {"0d3F800000", 1, "0d must be followed by sixteen hexadecimal digits"},
      {"18446744073709551616", 1, "a number does not fit into 64 bits"},
      {"\n0x10000000000000000", 2, "a number does not fit into 64 bits"},
      {"1e400", 1, "a number does not fit into 64 bits"},
      {"12ab", 1, "'12a' is not a number"},
      {"08", 1, "'08' is not a number"},
      {"1.5f", 1, "'1.5f' is not a number"},
      {"5UL", 1, "'5UL' is not a number"},
      {"a # b", 1, "the character '#' has no meaning in PTX"},
      {std::string("a \0 b", 5), 1, "the byte 0 has no meaning in PTX"},
      {"\xC3\xA4", 1, "the byte 195 has no meaning in PTX"},
  };
  for (const ErrorRow& row : rows) {
    SCOPED_TRACE(row.text);
    const Diagnostic diagnostic = diagnostic_of(row.text);
    EXPECT_EQ(diagnostic.message, row.message);
    EXPECT_EQ(diagnostic.line, row.line);
  }
}

// Every byte after every other: what happens at the end of the text depends on the last two.
TEST(Lexer, EveryPairOfBytesEndsInTokensOrWords) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      try {
        EXPECT_LE(tokens_of(text).size(), 2u);
      } catch (const Diagnostic& diagnostic) {
        EXPECT_FALSE(diagnostic.message.empty());
      }
    }
  }
}

}  // namespace
}  // namespace vgpu::ptx
