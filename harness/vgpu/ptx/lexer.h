// PTX text to tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vgpu::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,
  kIdentifier,  ///< opcode, register, symbol or label: "ld", "%r1", "$L__BB0_2"
  kDotted,      ///< directive, modifier or component without its dot: "loc", "global", "shared::cta", "x"
  kInteger,     ///< value in `bits`, two's complement
  kFloat32,     ///< 0fXXXXXXXX: IEEE bits in `bits`
  kFloat64,     ///< 0dXXXXXXXXXXXXXXXX or a decimal with a point: IEEE double bits in `bits`
  kString,      ///< text between the quotes
  kPunctuation  ///< one character of ()[]{}<>,;:=+-!@|~*/&^?
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  ///< into the source
  std::uint64_t bits = 0;
  std::uint32_t line = 0;  ///< 1-based line of the PTX text
};

/// What is wrong with a PTX text, and on which of its lines.
struct Diagnostic {
  std::uint32_t line = 0;
  std::string message;
};

/// Splits PTX text into tokens on demand. The text must outlive the lexer and its tokens.
/// Hostile text is fine: anything that is no token throws a Diagnostic.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();

 private:
  void skip_blanks();
  Token number();
  Token string();
  std::string_view take_identifier();
  [[noreturn]] void fail(const std::string& message) const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace vgpu::ptx
