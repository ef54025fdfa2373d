// Reads declarations as far as students write them: a type, names, and extents made of numbers and named constants.
#include "harness/runner/verdict/shared_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>

namespace lanewise {
namespace {

// A source may be made to be read slowly.
constexpr int kDeepestConstant = 8;     // defined by others, which are defined by others, ...
constexpr int kMostDefinitions = 32;    // looked for, for one array
constexpr int kMostOccurrences = 5000;  // of a name, among which its definition is looked for
constexpr std::size_t kLongestDeclaration = 500;
constexpr std::int64_t kMostElements = 1 << 20;  // of an array; shared memory has fewer

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Without comments, in as many lines.
std::string code_of(const std::string& source) {
  std::string code;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source.compare(at, 2, "//") == 0) {
      at = std::min(source.find('\n', at), source.size());
    } else if (source.compare(at, 2, "/*") == 0) {
      const std::size_t end = std::min(source.find("*/", at + 2), source.size());
      code.append(static_cast<std::size_t>(std::count(source.begin() + static_cast<std::ptrdiff_t>(at),
                                                      source.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                  '\n');
      at = end + 1;
      continue;
    }
    if (at < source.size()) code += source[at];
  }
  return code;
}

// Where `word` stands by itself, from `from` on.
std::size_t find_word(const std::string& text, const std::string& word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end]))) return at;
  }
  return std::string::npos;
}

/// Values of expressions of constants: numbers, + - * /, parentheses, and names that the source defines.
class Constants {
 public:
  explicit Constants(const std::string& code) : code_(code) {}

  std::optional<std::int64_t> value(const std::string& expression) { return value(expression, 0); }

 private:
  struct Reading {
    const std::string& text;
    std::size_t at;
    int depth;
    bool is_sound;
  };

  std::optional<std::int64_t> value(const std::string& expression, int depth) {
    Reading reading{expression, 0, depth, true};
    const std::int64_t result = sum(reading);
    skip_spaces(reading);
    if (!reading.is_sound || reading.at != expression.size()) return std::nullopt;
    return result;
  }

  static void skip_spaces(Reading& r) {
    while (r.at < r.text.size() && std::isspace(static_cast<unsigned char>(r.text[r.at])) != 0) ++r.at;
  }
  static bool takes(Reading& r, char c) {
    skip_spaces(r);
    if (r.at == r.text.size() || r.text[r.at] != c) return false;
    ++r.at;
    return true;
  }

  std::int64_t sum(Reading& r) {
    std::int64_t result = product(r);
    for (;;) {
      const bool adds = takes(r, '+');
      if (!adds && !takes(r, '-')) return result;
      const std::int64_t term = product(r);
      if (adds ? __builtin_add_overflow(result, term, &result) : __builtin_sub_overflow(result, term, &result))
        r.is_sound = false;
    }
  }

  std::int64_t product(Reading& r) {
    std::int64_t result = factor(r);
    for (;;) {
      if (takes(r, '*')) {
        if (__builtin_mul_overflow(result, factor(r), &result)) r.is_sound = false;
      } else if (takes(r, '/')) {
        const std::int64_t divisor = factor(r);
        if (divisor <= 0) r.is_sound = false;
        result = r.is_sound ? result / divisor : 0;
      } else {
        return result;
      }
    }
  }

  std::int64_t factor(Reading& r) {
    if (takes(r, '(')) {
      if (++r.depth > kDeepestConstant) r.is_sound = false;
      const std::int64_t inner = r.is_sound ? sum(r) : 0;
      if (!takes(r, ')')) r.is_sound = false;
      return inner;
    }
    std::size_t end = r.at;
    while (end < r.text.size() && is_of_word(r.text[end])) ++end;
    const std::string word = r.text.substr(r.at, end - r.at);
    r.at = end;
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      char* after = nullptr;
      const std::int64_t number = std::strtoll(word.c_str(), &after, 0);
      while (*after != '\0' && std::string("uUlL").find(*after) != std::string::npos) ++after;
      if (*after != '\0') r.is_sound = false;
      return number;
    }
    const bool is_too_much = word.empty() || r.depth >= kDeepestConstant || ++looked_for_ > kMostDefinitions;
    const auto defined = is_too_much ? std::nullopt : definition(word);
    const auto known = defined ? value(*defined, r.depth + 1) : std::nullopt;
    if (!known) r.is_sound = false;
    return known.value_or(0);
  }

  // "16" of "constexpr int kTile = 16;", "constexpr int kTile{16};" or "#define TILE 16".
  std::optional<std::string> definition(const std::string& name) const {
    int occurrences = 0;
    for (std::size_t at = find_word(code_, name, 0); at != std::string::npos && ++occurrences <= kMostOccurrences;
         at = find_word(code_, name, at + 1)) {
      const std::size_t after = code_.find_first_not_of(" \t", at + name.size());
      if (after == std::string::npos) break;
      const std::size_t back = std::min(at, kLongestDeclaration);
      std::string before = code_.substr(at - back, back);
      before.erase(0, before.find_last_of(";{}()\n") + 1);
      const auto follows = [&before](const char* word) { return find_word(before, word, 0) != std::string::npos; };
      const bool is_macro = before.find('#') != std::string::npos && follows("define");
      const bool is_constant =
          (follows("const") || follows("constexpr")) && (code_[after] == '{' || code_[after] == '=');
      if (!is_macro && !is_constant) continue;
      const std::string rest = code_.substr(is_macro ? after : after + 1, kLongestDeclaration);
      const std::size_t end = rest.find_first_of(is_macro ? "\n" : code_[after] == '{' ? "}" : ";,");
      if (end != std::string::npos) return rest.substr(0, end);
    }
    return std::nullopt;
  }

  const std::string& code_;
  int looked_for_ = 0;
};

// What stands in brackets behind a name: "16" and "kTile + 1" of "[16][kTile + 1]".
std::vector<std::string> bracketed(const std::string& text, std::size_t at) {
  std::vector<std::string> parts;
  for (;;) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    const std::size_t end = at < text.size() && text[at] == '[' ? text.find(']', at) : std::string::npos;
    if (end == std::string::npos) return parts;
    parts.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
}

// "unsigned char" of "unsigned char bytes[4][4]".
std::string type_of(const std::string& declaration) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < declaration.size() && (is_of_word(declaration[at]) || declaration[at] == ':');) {
    std::size_t end = at;
    while (end < declaration.size() && (is_of_word(declaration[end]) || declaration[end] == ':')) ++end;
    words.push_back(declaration.substr(at, end - at));
    at = declaration.find_first_not_of(" \t\n", end);
    if (at == std::string::npos) break;
  }
  if (!words.empty()) words.pop_back();  // the first name
  return fmt::format("{}", fmt::join(words, " "));
}

std::uint32_t bytes_of(const std::string& type) {
  static const std::map<std::string, std::uint32_t> kBytes = {
      {"char", 1},      {"unsigned char", 1}, {"std::uint8_t", 1}, {"uint8_t", 1},       {"short", 2},
      {"half", 2},      {"__half", 2},        {"int", 4},          {"unsigned", 4},      {"unsigned int", 4},
      {"float", 4},     {"std::uint32_t", 4}, {"uint32_t", 4},     {"std::int32_t", 4},  {"double", 8},
      {"long long", 8}, {"float2", 8},        {"float4", 16},      {"std::uint64_t", 8}, {"int4", 16}};
  const auto found = kBytes.find(type);
  return found != kBytes.end() ? found->second : 0;
}

std::string element_of(const std::string& name, const SharedArray& array, std::int64_t index) {
  std::int64_t row = 1;
  for (std::size_t i = 1; i < array.extents.size(); ++i) row *= array.extents[i];
  std::string text = name;
  for (std::size_t i = 0; i < array.extents.size(); ++i) {
    text += fmt::format("[{}]", index / row);
    index %= row;
    if (i + 1 < array.extents.size()) row /= array.extents[i + 1];
  }
  return text;
}

}  // namespace

SharedArray find_shared_array(const std::string& source, const std::string& name, int line) {
  const std::string code = code_of(source), kShared = "__shared__";
  SharedArray found;
  std::vector<std::string> extents;
  std::ptrdiff_t counted = 0;
  int at_line = 1;
  for (std::size_t at = find_word(code, kShared, 0); at != std::string::npos; at = find_word(code, kShared, at + 1)) {
    at_line +=
        static_cast<int>(std::count(code.begin() + counted, code.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = static_cast<std::ptrdiff_t>(at);
    if (at_line > line) break;
    const std::size_t begin = code.find_first_not_of(" \t\n", at + kShared.size()), end = code.find(';', at);
    if (end == std::string::npos || begin >= end || end - begin > kLongestDeclaration) continue;
    const std::string declaration = code.substr(begin, end - begin);
    const std::size_t here = find_word(declaration, name, 0);
    if (here == std::string::npos) continue;
    extents = bracketed(declaration, here + name.size());
    found.type = type_of(declaration);
  }
  Constants constants(code);
  std::int64_t elements = 1;
  for (const std::string& extent : extents) {
    const auto value = constants.value(extent);
    if (!value || *value <= 0 || *value > kMostElements / elements) return {};
    elements *= *value;
    found.extents.push_back(*value);
  }
  return found;
}

void name_shared_elements(std::vector<Finding>& findings, const std::string& source) {
  for (Finding& finding : findings) {
    const auto is_plain = std::all_of(finding.array.begin(), finding.array.end(), is_of_word);
    if (finding.shared_element_bytes == 0 || finding.array.empty() || !is_plain) continue;
    const SharedArray array = find_shared_array(source, finding.array, finding.place.line);
    if (array.extents.size() < 2 || bytes_of(array.type) != finding.shared_element_bytes) continue;
    const std::string opening = finding.array + "[";
    for (std::size_t at = finding.sentence.find(opening); at != std::string::npos;
         at = finding.sentence.find(opening, at + 1)) {
      const std::size_t begin = at + opening.size(), end = finding.sentence.find(']', begin);
      const bool is_word_before = at > 0 && is_of_word(finding.sentence[at - 1]);
      const std::string digits = end != std::string::npos ? finding.sentence.substr(begin, end - begin) : "";
      const bool is_index =
          !digits.empty() && digits.size() < 12 && digits.find_first_not_of("0123456789") == std::string::npos;
      if (is_word_before || !is_index) continue;
      finding.sentence.replace(at, end + 1 - at, element_of(finding.array, array, std::stoll(digits)));
    }
    if (finding.index >= 0) finding.element = element_of(finding.array, array, finding.index);
  }
}

}  // namespace lanewise
