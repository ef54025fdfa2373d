// A lexer that never fails: an unknown byte is a token by itself, or skipped.
#include "grader/overview/source_tokens.h"

#include <algorithm>
#include <cstddef>

namespace lanewise {
namespace {

constexpr std::size_t kLongestToken = 64;  // longer ones differ in what nobody reads

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Bytes beyond ASCII are letters of some language.
bool is_name_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}
  std::vector<SourceToken> run();

 private:
  bool ends() const { return at_ >= source_.size(); }
  char here(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool is_here(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  // Everything is passed here, so that lines are counted once.
  void pass(std::size_t bytes);
  void pass_line();
  void pass_comment();
  void directive();
  void name();
  void number();
  void quoted(char quote);
  void raw_string();
  void emit(std::string text, int line) { tokens_.push_back({std::move(text), line}); }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<SourceToken> tokens_;
};

void Lexer::pass(std::size_t bytes) {
  const std::size_t end = std::min(source_.size(), at_ + bytes);
  for (; at_ < end; ++at_)
    if (source_[at_] == '\n') ++line_;
}

// To the end of the line, or of that on which the last of its continuations ends.
void Lexer::pass_line() {
  while (!ends() && here() != '\n') pass(is_here("\\\n") ? 2 : 1);
}

void Lexer::pass_comment() {
  const std::size_t end = source_.find("*/", at_ + 2);
  pass(end == std::string_view::npos ? source_.size() : end + 2 - at_);
}

void Lexer::directive() {
  pass(1);
  while (here() == ' ' || here() == '\t') pass(1);
  if (is_here("include")) pass_line();
}

void Lexer::name() {
  const int line = line_;
  const std::size_t begin = at_;
  while (is_name_byte(here())) pass(1);
  std::string_view text = source_.substr(begin, at_ - begin);
  const bool is_raw = here() == '"' && text.back() == 'R';
  if (is_raw) {
    raw_string();
    return;
  }
  std::string ascii;
  for (const char c : text.substr(0, kLongestToken))
    ascii += static_cast<unsigned char>(c) < 0x80 && c != '$' ? c : '_';
  emit(std::move(ascii), line);
}

void Lexer::number() {
  const int line = line_;
  while (!ends()) {
    const bool is_sign =
        (here() == '+' || here() == '-') && std::string_view("eEpP").find(source_[at_ - 1]) != std::string_view::npos;
    // A mark between digits is no quote: 1'000.
    const bool is_mark = here() == '\'' && is_name_byte(here(1));
    if (!is_name_byte(here()) && here() != '.' && !is_sign && !is_mark) break;
    pass(1);
  }
  emit("1", line);
}

// A quote that the line does not end within ends with the line: the rest of the file is no string.
void Lexer::quoted(char quote) {
  const int line = line_;
  pass(1);
  while (!ends() && here() != quote && here() != '\n') pass(here() == '\\' ? 2 : 1);
  if (here() == quote) pass(1);
  emit(quote == '"' ? "\"\"" : "1", line);
}

void Lexer::raw_string() {
  const int line = line_;
  const std::size_t open = source_.find('(', at_);
  const std::size_t longest_delimiter = 16;  // as the language has it
  if (open == std::string_view::npos || open - at_ - 1 > longest_delimiter) {
    quoted('"');
    return;
  }
  const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
  const std::size_t end = source_.find(close, open);
  pass(end == std::string_view::npos ? source_.size() : end + close.size() - at_);
  emit("\"\"", line);
}

std::vector<SourceToken> Lexer::run() {
  while (!ends()) {
    const char c = here();
    if (is_here("//"))
      pass_line();
    else if (is_here("/*"))
      pass_comment();
    else if (c == '#')
      directive();
    else if (is_digit(c) || (c == '.' && is_digit(here(1))))
      number();
    else if (is_name_byte(c))
      name();
    else if (c == '"' || c == '\'')
      quoted(c);
    else {
      if (c > ' ' && c != '\\' && c != 0x7F) emit(std::string(1, c), line_);
      pass(1);
    }
  }
  return std::move(tokens_);
}

}  // namespace

std::vector<SourceToken> source_tokens(std::string_view source) { return Lexer(source).run(); }

}  // namespace lanewise
