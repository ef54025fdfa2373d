// Decodes one character at a time; the case of letters beyond ASCII is the C library's matter.
#include "grader/class/utf8.h"

#include <clocale>
#include <cstdint>
#include <cwctype>

#include <locale.h>

namespace lanewise {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: this is not UTF-8
};

Character character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first == 0) return {};
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool is_overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (is_overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

void append_character(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto add_rest = [&](int shift) { add(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6);
    add_rest(0);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add_rest(6);
    add_rest(0);
  } else {
    add(0xf0 | code >> 18);
    add_rest(12);
    add_rest(6);
    add_rest(0);
  }
}

std::uint32_t small_letter(std::uint32_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
  // Independent of the process's locale: a roster must be read in the same way everywhere.
  static const locale_t kUtf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kUtf8 == nullptr ? code : static_cast<std::uint32_t>(towlower_l(static_cast<wint_t>(code), kUtf8));
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = character_at(text);
    if (character.bytes == 0) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string small_letters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character character = character_at(text);
    if (character.bytes == 0)
      result += text.front();
    else
      append_character(result, small_letter(character.code));
    text.remove_prefix(character.bytes == 0 ? 1 : character.bytes);
  }
  return result;
}

}  // namespace lanewise
