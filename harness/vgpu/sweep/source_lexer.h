// CUDA C++ source as tokens, as far as changing one expression at a time requires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vgpu::sweep {

enum class TokenKind : std::uint8_t {
  kIdentifier,  ///< keywords too
  kNumber,
  kLiteral,     ///< string or character, quotes included
  kPunctuation  ///< the longest operator that matches: "<<=", "->"
};

struct Token {
  TokenKind kind = TokenKind::kPunctuation;
  std::string_view text;  ///< into the source
  std::size_t begin = 0;  ///< offset in the source
  std::uint32_t line = 0;
  std::size_t end() const { return begin + text.size(); }
};

/// A comment that begins with two slashes.
struct Comment {
  std::string_view text;  ///< behind the slashes
  std::uint32_t line = 0;
};

/// A preprocessor line, with the lines that backslashes join to it.
struct Directive {
  std::string_view text;  ///< from the # on
  std::size_t begin = 0;
};

struct SourceText {
  std::vector<Token> tokens;  ///< neither comments nor preprocessor lines
  std::vector<Comment> comments;
  std::vector<Directive> directives;
};

/// Splits a source, which must outlive the result. Text that is not C++ also becomes tokens of some kind: the compiler
/// decides.
SourceText read_source(std::string_view source);

}  // namespace vgpu::sweep
