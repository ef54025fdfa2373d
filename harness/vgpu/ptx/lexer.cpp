#include "harness/vgpu/ptx/lexer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

namespace vgpu::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool continues_identifier(char c) { return starts_identifier(c) || is_digit(c); }

/// The value of a digit in any base up to 16, or -1.
int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void Lexer::fail(const std::string& message) const { throw Diagnostic{line_, message}; }

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (text_.compare(at_, 2, "//") == 0) {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (text_.compare(at_, 2, "/*") == 0) {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) fail("a comment is not closed");
      for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
      at_ = end + 2;
    } else {
      return;
    }
  }
}

std::string_view Lexer::take_identifier() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

Token Lexer::number() {
  Token token{TokenKind::kInteger, {}, 0, line_};
  const std::size_t begin = at_;
  int base = 10;
  if (text_[at_] == '0' && at_ + 1 < text_.size()) {
    const char mark = text_[at_ + 1];
    if (mark == 'x' || mark == 'X') base = 16;
    if (mark == 'b' || mark == 'B') base = 2;
    if (mark == 'f' || mark == 'F') token.kind = TokenKind::kFloat32, base = 16;
    if (mark == 'd' || mark == 'D') token.kind = TokenKind::kFloat64, base = 16;
    if (base != 10) {
      at_ += 2;
    } else if (is_digit(mark)) {
      base = 8;
    }
  }
  const std::size_t digits_begin = at_;
  bool fits = true;
  for (int digit; at_ < text_.size() && (digit = digit_value(text_[at_])) >= 0 && digit < base; ++at_) {
    const auto next_digit = static_cast<unsigned>(digit);
    fits &= token.bits <= (std::numeric_limits<std::uint64_t>::max() - next_digit) / static_cast<unsigned>(base);
    token.bits = token.bits * static_cast<unsigned>(base) + next_digit;
  }
  const std::size_t digits = at_ - digits_begin;
  if (digits == 0) fail("a number has no digits");
  if (token.kind == TokenKind::kFloat32 && digits != 8) fail("0f must be followed by eight hexadecimal digits");
  if (token.kind == TokenKind::kFloat64 && digits != 16) fail("0d must be followed by sixteen hexadecimal digits");

  const bool has_point =
      base <= 10 && at_ < text_.size() && text_[at_] == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  const bool has_exponent = base <= 10 && at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E');
  if (has_point || has_exponent) {
    double value = 0.0;  // not strtod: the program that loads this library may have chosen a locale with decimal commas
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("a number does not fit into 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    token.kind = TokenKind::kFloat64;
    std::memcpy(&token.bits, &value, sizeof value);
  } else {
    if (!fits) fail("a number does not fit into 64 bits");
    if (token.kind == TokenKind::kInteger && at_ < text_.size() && text_[at_] == 'U') ++at_;
  }
  token.text = text_.substr(begin, at_ - begin);
  if (at_ < text_.size() && continues_identifier(text_[at_]))
    fail("'" + std::string(text_.substr(begin, std::min<std::size_t>(at_ - begin, 40) + 1)) + "' is not a number");
  return token;
}

Token Lexer::string() {
  const std::uint32_t line = line_;
  const std::size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
  if (at_ >= text_.size() || text_[at_] != '"') fail("a string is not closed");
  return {TokenKind::kString, text_.substr(begin, at_++ - begin), 0, line};
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return {TokenKind::kEnd, {}, 0, line_};
  const char c = text_[at_];
  if (starts_identifier(c)) {
    const std::string_view name = take_identifier();
    return {TokenKind::kIdentifier, name, 0, line_};
  }
  if (is_digit(c)) return number();
  if (c == '"') return string();
  if (c == '.') {
    const std::size_t begin = ++at_;
    if (take_identifier().empty()) fail("a dot is not followed by a name");
    while (text_.compare(at_, 2, "::") == 0) {
      at_ += 2;
      if (take_identifier().empty()) fail("'::' is not followed by a name");
    }
    return {TokenKind::kDotted, text_.substr(begin, at_ - begin), 0, line_};
  }
  if (std::strchr("()[]{}<>,;:=+-!@|~*/&^?", c) != nullptr && c != '\0')
    return {TokenKind::kPunctuation, text_.substr(at_++, 1), 0, line_};
  const auto code = static_cast<unsigned>(static_cast<unsigned char>(c));
  fail(code >= 0x20 && code < 0x7f ? std::string("the character '") + c + "' has no meaning in PTX"
                                   : "the byte " + std::to_string(code) + " has no meaning in PTX");
}

}  // namespace vgpu::ptx
