// Parses names by hand: they may have any length and bytes, which std::regex does not survive.
#include "grader/class/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "grader/class/roster.h"
#include "grader/class/utf8.h"

namespace lanewise {
namespace {

constexpr std::size_t kLongestFileName = 64;
constexpr std::size_t kLongestFolderName = 32;
constexpr std::size_t kLongestEnding = 8;  // ".tar.gz" and all others we know are shorter

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number(std::string_view text, std::size_t most_digits) {
  return !text.empty() && text.size() <= most_digits && std::all_of(text.begin(), text.end(), is_decimal_digit);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

int number_of(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = 10 * value + (c - '0');
  return value;
}

// Cuts off the text before the first '_'.
std::string cut_field(std::string& text) {
  const std::size_t end = text.find('_');
  std::string field = text.substr(0, end);
  text = end == std::string::npos ? "" : text.substr(end + 1);
  return field;
}

std::optional<PlatformName> canvas_name(std::string rest) {
  PlatformName name;
  name.is_canvas = true;
  name.person = cut_field(rest);
  name.number = cut_field(rest);
  if (name.number == "LATE") {
    name.is_late = true;
    name.number = cut_field(rest);
  }
  const std::string attachment = cut_field(rest);
  name.rest = rest;
  if (name.person.empty() || name.rest.empty() || !is_number(name.number, 20) || !is_number(attachment, 20))
    return std::nullopt;
  return name;
}

std::optional<PlatformName> moodle_name(const std::string& text) {
  constexpr std::string_view kMark = "_assignsubmission_file";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string::npos) return std::nullopt;
  const std::size_t before_number = text.rfind('_', mark == 0 ? 0 : mark - 1);
  if (before_number == std::string::npos || before_number == 0 || before_number >= mark) return std::nullopt;
  PlatformName name;
  name.person = text.substr(0, before_number);
  name.number = text.substr(before_number + 1, mark - before_number - 1);
  name.rest = text.substr(mark + kMark.size());
  if (!is_number(name.number, 20) || (!name.rest.empty() && name.rest.front() != '_')) return std::nullopt;
  if (!name.rest.empty()) name.rest.erase(0, 1);
  return name;
}

std::string safe_characters(const std::string& name, std::string_view allowed) {
  std::string safe;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    safe += is_letter || is_decimal_digit(c) || allowed.find(c) != std::string_view::npos ? c : '_';
  }
  if (safe.empty()) return "_";
  if (safe.front() == '.' || safe.front() == '-') safe.front() = '_';
  return safe;
}

// FNV-1a, 64 bits: need only tell names apart and be the same in every run.
std::uint64_t hash_of(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::optional<PlatformName> platform_name(const std::string& name) {
  if (auto moodle = moodle_name(name)) return moodle;
  return canvas_name(name);
}

NameParts name_parts(const std::string& name) {
  std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return {name, ""};
  if (ends_with(small_letters(name), ".tar.gz")) dot = name.size() - std::string_view(".tar.gz").size();
  return {name.substr(0, dot), name.substr(dot)};
}

WorkKind work_kind(const std::string& name) {
  const std::string small = small_letters(name);
  if (small == "__macosx" || small == ".ds_store" || small == "thumbs.db" || small == "desktop.ini" ||
      small.rfind("._", 0) == 0)
    return WorkKind::kOfTheFileManager;
  if (small == "answers.toml") return WorkKind::kAnswers;
  const std::string ending = name_parts(small).ending;
  const auto is_one_of = [&](std::initializer_list<const char*> endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  if (small.front() == '.') return WorkKind::kOther;
  if (ending == ".cu") return WorkKind::kSource;
  if (is_one_of({".zip", ".tar", ".tar.gz", ".tgz"})) return WorkKind::kArchive;
  if (is_one_of({".7z", ".rar", ".gz", ".xz", ".bz2", ".zst", ".txz", ".tbz"})) return WorkKind::kForeignArchive;
  return WorkKind::kOther;
}

CopyMark copy_mark(const std::string& stem) {
  constexpr std::size_t kMostDigits = 3;
  const std::string_view text = stem;
  if (const std::size_t dash = text.rfind('-'); dash != std::string_view::npos && dash > 0) {
    const std::string_view digits = text.substr(dash + 1);
    if (is_number(digits, kMostDigits)) return {stem.substr(0, dash), number_of(digits)};
  }
  const std::size_t open = text.rfind('(');
  if (open != std::string_view::npos && open > 0 && text.back() == ')') {
    const std::string_view digits = text.substr(open + 1, text.size() - open - 2);
    if (is_number(digits, kMostDigits))
      return {stem.substr(0, text[open - 1] == ' ' && open > 1 ? open - 1 : open), number_of(digits)};
  }
  return {stem, 0};
}

int attempt_number(const std::string& folder) {
  const std::string small = small_letters(folder);
  for (const std::string_view word : {"attempt", "submission", "try"}) {
    if (small.rfind(word, 0) != 0) continue;
    std::string_view rest = std::string_view(small).substr(word.size());
    if (!rest.empty() && std::string_view("_- ").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
    if (is_number(rest, 6)) return number_of(rest);
  }
  return 0;
}

std::string safe_file_name(const std::string& name) {
  auto [stem, ending] = name_parts(name);
  if (ending.size() > kLongestEnding) {
    stem += ending;
    ending.clear();
  }
  if (!ending.empty()) ending = "." + safe_characters(ending.substr(1), "._+-@");
  return safe_characters(stem, "._+-@").substr(0, kLongestFileName - ending.size()) + ending;
}

std::string safe_folder_name(const std::string& name) {
  return safe_characters(name, "_+-@").substr(0, kLongestFolderName);
}

std::string id_from_name(const std::string& name) { return is_safe_id(name) ? name : numbered_id_from_name(name); }

std::string numbered_id_from_name(const std::string& name) {
  return fmt::format("{}-{:016x}", safe_characters(name, "._+-@").substr(0, 40), hash_of(name));
}

}  // namespace lanewise
