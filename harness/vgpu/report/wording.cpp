#include "harness/vgpu/report/wording.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>

namespace vgpu::report {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

// The character that valid UTF-8 begins with. Bytes that are not valid are taken one at a time.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80 ? 1 : byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC0 ? 2 : 0;
  if (bytes == 1) return {byte(0), 1};
  if (bytes == 0 || text.size() < bytes) return {0, 1};
  std::uint32_t code = byte(0) & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6 | (byte(i) & 0x3FU);
  return {code, bytes};
}

// Control characters, and marks that turn text around or hide it (Unicode Bidirectional Algorithm).
bool is_harmless(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool hides = code == 0x061C || (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                     (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
  return !is_control && !hides;
}

std::size_t columns_of(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Where `wanted` first stands outside of template arguments; npos if nowhere.
std::size_t find_outside_templates(const std::string& text, std::string_view wanted) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (depth == 0 && text.compare(at, wanted.size(), wanted) == 0) return at;
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && depth > 0) --depth;
  }
  return std::string::npos;
}

std::string printed(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

// Three digits and the unit that leaves them before the point; commas beyond the last one.
std::string three_digits(double number, std::initializer_list<const char*> units) {
  const auto* unit = units.begin();
  for (number /= 1000; number >= 999.5 && unit + 1 != units.end(); ++unit) number /= 1000;
  if (number >= 99.95) return with_commas(static_cast<std::uint64_t>(std::llround(number))) + *unit;
  return printed(number < 9.995 ? "%.2f" : "%.1f", number) + *unit;
}

}  // namespace

std::string time_text(std::uint64_t nanoseconds) {
  if (nanoseconds < 1000) return std::to_string(nanoseconds) + " ns";
  return three_digits(static_cast<double>(nanoseconds), {" µs", " ms", " s"});
}

std::string rounded(double number) {
  const double tenths = std::round(number * 10);
  const auto whole = static_cast<std::uint64_t>(std::round(number));
  if (number >= 100 || std::fmod(tenths, 10) == 0) return with_commas(whole);
  return printed("%.1f", tenths / 10);
}

std::string bytes_text(double bytes) {
  if (bytes < 1000) return counted(static_cast<std::uint64_t>(bytes), "byte", "bytes");
  return three_digits(bytes, {" kB", " MB", " GB", " TB"});
}

std::string percent_text(double share) {
  if (share > 0 && share < 0.01) return "less than 1 %";
  return printed("%.0f", std::min(share, 1.0) * 100) + " %";
}

std::string counted(std::uint64_t number, const std::string& singular, const std::string& plural) {
  return with_commas(number) + " " + (number == 1 ? singular : plural);
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string extent_text(const Extent3& extent) {
  std::string text = with_commas(extent.x);
  if (extent.y > 1 || extent.z > 1) text += " × " + with_commas(extent.y);
  if (extent.z > 1) text += " × " + with_commas(extent.z);
  return text;
}

std::string short_kernel_name(const std::string& name) {
  constexpr std::size_t kRoom = 40;  // beyond, namespaces and template arguments have to go
  constexpr std::size_t kLongest = 60;
  std::string text = name;
  const std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = text.find(unnamed)) != std::string::npos;) text.erase(at, unnamed.size());
  text.resize(std::min(find_outside_templates(text, "("), text.size()));
  while (find_outside_templates(text, " ") != std::string::npos) text.erase(0, find_outside_templates(text, " ") + 1);
  if (columns_of(text) <= kRoom) return text;
  while (find_outside_templates(text, "::") != std::string::npos) text.erase(0, find_outside_templates(text, "::") + 2);
  if (columns_of(text) <= kRoom) return text;
  if (const std::size_t arguments = text.find('<'); arguments != std::string::npos)
    text = text.substr(0, arguments) + "<…>";
  if (columns_of(text) <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string printable(std::string_view utf8) {
  std::string text;
  while (!utf8.empty()) {
    const Character character = first_character(utf8);
    if (character.code == '\n' || character.code == '\t')
      text += ' ';
    else if (is_harmless(character.code))
      text += utf8.substr(0, character.bytes);
    else
      text += '?';
    utf8.remove_prefix(character.bytes);
  }
  return text;
}

std::string ascii(std::string_view utf8) {
  constexpr std::pair<std::string_view, const char*> kLikenesses[] = {
      {"×", "x"}, {"…", "..."}, {"·", "-"}, {"–", "-"}, {"≥", ">="}, {"▲", "*"}, {"✓", "+"}, {"µ", "u"}};
  std::string text;
  while (!utf8.empty()) {
    const std::string_view character = utf8.substr(0, first_character(utf8).bytes);
    const auto* const known = std::find_if(std::begin(kLikenesses), std::end(kLikenesses),
                                           [&](const auto& likeness) { return likeness.first == character; });
    if (known != std::end(kLikenesses))
      text += known->second;
    else if (static_cast<unsigned char>(character[0]) < 0x80)
      text += character;
    else
      text += '?';
    utf8.remove_prefix(character.size());
  }
  return text;
}

std::vector<std::string> wrapped(std::string_view utf8, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t end = std::min(utf8.find(' ', at), utf8.size());
    const std::string_view word = utf8.substr(at, end - at);
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) lines.push_back(std::exchange(line, {}));
    if (!line.empty()) line += ' ';
    line += word;
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace vgpu::report
