// UTF-8 decoding, escaping and wrapping.
#include "harness/report/safe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace lanewise {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: the byte is not part of valid UTF-8
};

// Decodes the character that `text` begins with (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
Character decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

// Characters that reorder, join or hide text (Unicode Bidirectional Algorithm; "Trojan Source", Boucher and
// Anderson).
bool is_deceptive(std::uint32_t code) {
  return code == 0x061C || (code >= 0x200B && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || code == 0x2028 || code == 0x2029;
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

struct Likeness {
  const char* utf8;
  const char* ascii;
};
constexpr Likeness kLikenesses[] = {{"·", "-"}, {"✗", "x"},  {"✓", "+"},  {"–", "-"},  {"—", "-"}, {"…", "..."},
                                    {"×", "x"}, {"±", "+-"}, {"≤", "<="}, {"→", "->"}, {"µ", "u"}, {"≥", ">="},
                                    {"²", "2"}, {"’", "'"},  {"▲", "+"},  {"▼", "-"},  {"÷", "/"}, {"●", "o"}};

}  // namespace

std::string safe_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode(text.substr(at));
    if (character.bytes == 0) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
      ++at;
      continue;
    }
    if (is_control(character.code) && character.code != '\n' && character.code != '\t')
      safe += fmt::format("\\x{:02x}", character.code);
    else if (is_deceptive(character.code))
      safe += fmt::format("\\u{:04x}", character.code);
    else
      safe += text.substr(at, character.bytes);
    at += character.bytes;
  }
  return safe;
}

std::string safe_line(std::string_view text) {
  std::string line = safe_text(text);
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  return line;
}

std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : safe_text(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string ascii_text(std::string_view utf8) {
  std::string ascii;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::string_view rest = utf8.substr(at);
    if (static_cast<unsigned char>(rest[0]) < 0x80) {
      ascii += rest[0];
      ++at;
      continue;
    }
    const char* likeness = "?";
    for (const Likeness& known : kLikenesses)
      if (rest.substr(0, std::string_view(known.utf8).size()) == known.utf8) likeness = known.ascii;
    ascii += likeness;
    const Character character = decode(rest);
    at += character.bytes == 0 ? 1 : character.bytes;
  }
  return ascii;
}

std::size_t columns_of(std::string_view utf8) {
  std::size_t columns = 0;
  for (const char c : utf8) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return columns;
}

std::string first_columns(std::string_view utf8, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < utf8.size(); ++at)
    if ((static_cast<unsigned char>(utf8[at]) & 0xC0) != 0x80 && seen++ == columns)
      return std::string(utf8.substr(0, at));
  return std::string(utf8);
}

std::vector<std::string> wrap_line(std::string_view line, std::size_t width) {
  std::vector<std::string> lines;
  std::string current;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const std::size_t word_columns = columns_of(word);
    if (!current.empty() && columns + 1 + word_columns > width) {
      lines.push_back(std::exchange(current, {}));
      columns = 0;
    }
    if (!current.empty()) {
      current += ' ';
      ++columns;
    }
    current += word;
    columns += word_columns;
    at = end + 1;
  }
  if (!current.empty() || lines.empty()) lines.push_back(current);
  return lines;
}

double rounded_points(double points) { return std::isfinite(points) ? std::round(points * 100) / 100 + 0.0 : 0; }

std::string points_text(double points) {
  std::string text = fmt::format("{:.2f}", rounded_points(points));
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace lanewise
