// One token of look-ahead over a lexer, and the small questions a recursive-descent parser asks of it.
#pragma once

#include <string>
#include <string_view>

#include "harness/vgpu/ptx/lexer.h"

namespace vgpu::ptx {

class TokenStream {
 public:
  explicit TokenStream(std::string_view text) : lexer_(text), current_(lexer_.next()) {}

  const Token& peek() const { return current_; }
  std::uint32_t line() const { return current_.line; }
  bool at_end() const { return current_.kind == TokenKind::kEnd; }

  Token take() {
    Token taken = current_;
    current_ = lexer_.next();
    return taken;
  }

  bool is(TokenKind kind, std::string_view text) const { return current_.kind == kind && current_.text == text; }
  bool is_punctuation(char c) const { return current_.kind == TokenKind::kPunctuation && current_.text[0] == c; }
  bool is_dotted(std::string_view name) const { return is(TokenKind::kDotted, name); }

  bool accept(char c) {
    const bool found = is_punctuation(c);
    if (found) take();
    return found;
  }
  bool accept_dotted(std::string_view name) {
    const bool found = is_dotted(name);
    if (found) take();
    return found;
  }

  void expect(char c, const char* where) {
    if (!accept(c)) fail(std::string("expected '") + c + "' " + where + ", found " + found());
  }
  std::string_view expect_identifier(const char* what) {
    if (current_.kind != TokenKind::kIdentifier) fail(std::string("expected ") + what + ", found " + found());
    return take().text;
  }
  std::uint64_t expect_integer(const char* what) {
    if (current_.kind != TokenKind::kInteger) fail(std::string("expected ") + what + ", found " + found());
    return take().bits;
  }

  [[noreturn]] void fail(const std::string& message) const { throw Diagnostic{current_.line, message}; }

 private:
  std::string found() const {
    if (at_end()) return "the end of the text";
    return "'" + std::string(current_.text.substr(0, 40)) + "'";
  }

  Lexer lexer_;
  Token current_;
};

}  // namespace vgpu::ptx
