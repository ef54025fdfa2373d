// Lines and words of text data files, and how they are quoted in error messages.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "datasets/data_error.h"

namespace lanewise {

/// White space within a line. Includes the carriage return, for Windows line endings.
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Goes through a text line by line. The text must outlive it.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// The next line without its line ending; empty after the last one. A line feed at the very end begins no further
  /// line.
  std::optional<std::string_view> next() {
    if (at_ == end_) return std::nullopt;
    const auto left = static_cast<std::size_t>(end_ - at_);
    const auto* feed = static_cast<const char*>(std::memchr(at_, '\n', left));
    const std::string_view line(at_, feed == nullptr ? left : static_cast<std::size_t>(feed - at_));
    at_ = feed == nullptr ? end_ : feed + 1;
    ++number_;
    return line;
  }

  /// The number of the line that next() returned last, counted from 1.
  std::int64_t number() const { return number_; }

  /// The rest of the text, for a reader that parses lines of the usual form itself; it then reports with `taken` that
  /// it took a line, and where the next one begins.
  const char* at() const { return at_; }
  const char* end() const { return end_; }
  void taken(const char* next_line) {
    at_ = next_line;
    ++number_;
  }

 private:
  const char* at_;
  const char* end_;
  std::int64_t number_ = 0;
};

/// Takes the next word, up to white space, off the front of `line`; empty if there is none.
std::string_view take_word(std::string_view& line);

/// How many words are in a line.
std::int64_t count_words(std::string_view line);

/// A word or line as shown: in quotes, at most 40 characters, with \x.. for anything but printable ASCII.
std::string shown(std::string_view text);

/// Why a word is not a number.
enum class NumberFault : std::uint8_t {
  kNoNumber,  ///< it is something else
  kTooLarge,  ///< it does not fit
};

/// A whole number of 64 bits in decimal digits, with or without a sign.
std::variant<std::int64_t, NumberFault> whole_number(std::string_view word);

/// The text after a UTF-8 byte order mark, if any. A file that is not such text (compressed, in UTF-16, without line
/// feeds) is a DataError that says what to do; `name` is its beginning.
std::variant<std::string_view, DataError> plain_text(std::string_view contents, const std::string& name);

}  // namespace lanewise
