// Splits lines into words, reads whole numbers, and makes any bytes fit to be shown.
#include "datasets/text_lines.h"

#include <algorithm>
#include <system_error>

namespace lanewise {

std::string_view take_word(std::string_view& line) {
  const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto last = std::find_if(first, line.end(), is_blank);
  const std::string_view word =
      line.substr(static_cast<std::size_t>(first - line.begin()), static_cast<std::size_t>(last - first));
  line.remove_prefix(static_cast<std::size_t>(last - line.begin()));
  return word;
}

std::int64_t count_words(std::string_view line) {
  std::int64_t count = 0;
  while (!take_word(line).empty()) ++count;
  return count;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  constexpr char kDigits[] = "0123456789abcdef";
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  std::string result = "'";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      result += c;
    } else if (c == '\t') {
      result += ' ';
    } else {
      result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result + (text.size() > kMost ? "...'" : "'");
}

std::variant<std::int64_t, NumberFault> whole_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  std::int64_t value = 0;
  const char* last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return NumberFault::kNoNumber;
  if (error == std::errc::result_out_of_range) return NumberFault::kTooLarge;
  return value;
}

std::variant<std::string_view, DataError> plain_text(std::string_view contents, const std::string& name) {
  const auto begins = [&contents](std::string_view magic) { return contents.substr(0, magic.size()) == magic; };
  if (begins("\x1F\x8B")) return DataError{name + " is compressed with gzip; unpack it first (gunzip, or tar xzf)"};
  if (begins("PK\x03\x04")) return DataError{name + " is a zip archive; unpack it first (unzip)"};
  if (begins("\xFF\xFE") || begins("\xFE\xFF"))
    return DataError{name + " is text in UTF-16; save it as plain text or UTF-8"};
  const std::size_t last = contents.find_last_not_of('\r');
  if (contents.find('\n') == std::string_view::npos && contents.substr(0, last).find('\r') != std::string_view::npos)
    return DataError{name + " has the line endings of old Macs; convert them (tr '\\r' '\\n')"};
  if (begins("\xEF\xBB\xBF")) contents.remove_prefix(3);
  return contents;
}

}  // namespace lanewise
