#include "harness/vgpu/sweep/source_lexer.h"

#include <algorithm>
#include <string>

namespace vgpu::sweep {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_identifier(char c) { return starts_identifier(c) || is_digit(c); }

// Longest first.
constexpr std::string_view kOperatorSpellings[] = {
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||",  "->",  "::",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^="};

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  SourceText read() {
    while (at_ < source_.size()) step();
    return std::move(result_);
  }

 private:
  bool is_at(std::string_view text) const { return source_.compare(at_, text.size(), text) == 0; }

  void step() {
    const char c = source_[at_];
    if (c == '\n') {
      ++line_, ++at_;
      is_line_empty_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (is_at("//")) {
      const std::size_t end = std::min(source_.find('\n', at_), source_.size());
      result_.comments.push_back({source_.substr(at_ + 2, end - at_ - 2), line_});
      at_ = end;
    } else if (is_at("/*")) {
      const std::size_t close = source_.find("*/", at_ + 2);
      go_to(close == std::string_view::npos ? source_.size() : close + 2);
    } else if (c == '#' && is_line_empty_) {
      directive();
    } else {
      is_line_empty_ = false;
      token();
    }
  }

  // Moves on over text that may have several lines.
  void go_to(std::size_t end) {
    line_ += static_cast<std::uint32_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                   source_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void directive() {
    std::size_t end = at_;
    do end = std::min(source_.find('\n', end + 1), source_.size());
    while (end < source_.size() && source_[end - 1] == '\\');
    result_.directives.push_back({source_.substr(at_, end - at_), at_});
    go_to(end);
  }

  void add(TokenKind kind, std::size_t end) {
    result_.tokens.push_back({kind, source_.substr(at_, end - at_), at_, line_});
    go_to(end);
  }

  void token() {
    const char c = source_[at_];
    std::size_t end = at_ + 1;
    if (starts_identifier(c)) {
      while (end < source_.size() && continues_identifier(source_[end])) ++end;
      const bool is_raw = source_[end - 1] == 'R' && end < source_.size() && source_[end] == '"' && end - at_ <= 3;
      return is_raw ? add(TokenKind::kLiteral, end_of_raw_string(end)) : add(TokenKind::kIdentifier, end);
    }
    if (is_digit(c) || (c == '.' && end < source_.size() && is_digit(source_[end]))) return number();
    if (c == '"' || c == '\'') return add(TokenKind::kLiteral, end_of_quoted(c));
    for (const std::string_view op : kOperatorSpellings)
      if (is_at(op)) return add(TokenKind::kPunctuation, at_ + op.size());
    add(TokenKind::kPunctuation, end);
  }

  void number() {
    std::size_t end = at_ + 1;
    for (; end < source_.size(); ++end) {
      const char c = source_[end], before = source_[end - 1];
      const bool is_separator = c == '\'' && end + 1 < source_.size() && continues_identifier(source_[end + 1]);
      const bool is_hexadecimal = is_at("0x") || is_at("0X");
      const bool is_sign =
          (c == '+' || c == '-') && ((!is_hexadecimal && (before == 'e' || before == 'E')) || before == 'p');
      if (!continues_identifier(c) && c != '.' && !is_separator && !is_sign) break;
    }
    add(TokenKind::kNumber, end);
  }

  std::size_t end_of_quoted(char quote) const {
    for (std::size_t end = at_ + 1; end < source_.size() && source_[end] != '\n'; ++end) {
      if (source_[end] == '\\')
        ++end;
      else if (source_[end] == quote)
        return end + 1;
    }
    return std::min(source_.find('\n', at_), source_.size());
  }

  std::size_t end_of_raw_string(std::size_t quote) const {
    const std::size_t open = source_.find('(', quote);
    if (open == std::string_view::npos) return source_.size();
    const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = source_.find(close, open);
    return end == std::string_view::npos ? source_.size() : end + close.size();
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool is_line_empty_ = true;  // so far
  SourceText result_;
};

}  // namespace

SourceText read_source(std::string_view source) { return Reader(source).read(); }

}  // namespace vgpu::sweep
