#include "harness/vgpu/sweep/device_code.h"

#include <algorithm>
#include <set>

namespace vgpu::sweep {
namespace {

bool is_one_of(std::string_view text, const std::set<std::string_view>& words) { return words.count(text) != 0; }

/// What may stand before an expression; any other identifier before a name is its type.
bool precedes_expression(std::string_view word) {
  static const std::set<std::string_view> kWords = {"return", "else", "do", "case", "throw", "sizeof", "co_return"};
  return is_one_of(word, kWords);
}

}  // namespace

DeviceCode::DeviceCode(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
  match_brackets();
  match_template_brackets();
  find_functions();
}

void DeviceCode::match_brackets() {
  partners_.assign(tokens_.size(), kNone);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string_view t = tokens_[i].text;
    if (t == "(" || t == "[" || t == "{") {
      open.push_back(i);
    } else if (t == ")" || t == "]" || t == "}") {
      const std::string_view opening = t == ")" ? "(" : t == "]" ? "[" : "{";
      if (open.empty() || tokens_[open.back()].text != opening) continue;
      partners_[i] = open.back();
      partners_[open.back()] = i;
      open.pop_back();
    }
  }
}

/// The > that closes the list opened at `open`, if what is between can be template arguments; else kNone.
std::size_t DeviceCode::end_of_template_list(std::size_t open) const {
  static const std::set<std::string_view> kAllowed = {"::", ",", "*", "&", "&&", "+", "-", "/", "%", "...", "="};
  const std::string_view before = text(open - 1);
  const bool is_cast = is_one_of(before, {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"});
  const bool is_surely_one = is_cast || before == "template";
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    const std::string_view t = tokens_[i].text;
    if (t == "<") {
      ++depth;
    } else if (t == ">" || t == ">>" || t == ">>>") {
      depth -= static_cast<int>(t.size());
      if (depth < 0) return kNone;
      if (depth > 0) continue;
      // A comparison's right side would go on with an operand: a name, a number.
      const bool is_followed_fitly = is_one_of(text(i + 1), {"(", ")", "{", "::", ";", ",", ">", "*", "&"}) ||
                                     (i + 1 < tokens_.size() && tokens_[i + 1].kind == TokenKind::kIdentifier);
      return is_surely_one || is_followed_fitly ? i : kNone;
    } else if (tokens_[i].kind == TokenKind::kPunctuation &&
               (!is_one_of(t, kAllowed) || (t == "&&" && !is_surely_one))) {
      return kNone;
    }
  }
  return kNone;
}

void DeviceCode::match_template_brackets() {
  is_template_bracket_.assign(tokens_.size(), false);
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    if (tokens_[i].text != "<" || tokens_[i - 1].kind != TokenKind::kIdentifier || is_template_bracket_[i]) continue;
    const std::size_t end = end_of_template_list(i);
    if (end == kNone) continue;
    for (std::size_t inner = i; inner <= end; ++inner)
      if (is_one_of(tokens_[inner].text, {"<", ">", ">>", ">>>"})) is_template_bracket_[inner] = true;
  }
}

void DeviceCode::find_functions() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].text != "__global__" && tokens_[i].text != "__device__") continue;
    // The first ( that is no attribute's opens the parameters; a variable ends or begins its value before there is one.
    std::size_t open = i + 1;
    while (open < tokens_.size() && !is_one_of(text(open), {"(", ";", "=", "{", "["})) {
      const bool has_arguments = is_one_of(text(open), {"__launch_bounds__", "__attribute__", "alignas", "__align__"});
      open = has_arguments && partner(open + 1) != kNone ? partner(open + 1) + 1 : open + 1;
    }
    if (text(open) != "(" || partner(open) == kNone) continue;
    std::size_t body = partner(open) + 1;
    while (is_one_of(text(body), {"const", "noexcept", "mutable", "override", "final"})) ++body;
    if (text(body) == "->")
      while (body < tokens_.size() && !is_one_of(text(body), {"{", ";"})) ++body;
    if (text(body) != "{" || partner(body) == kNone) continue;
    const bool is_named = open > i + 1 && tokens_[open - 1].kind == TokenKind::kIdentifier;
    functions_.push_back({is_named ? std::string(text(open - 1)) : "lambda", body, partner(body) + 1});
    i = partner(body);
  }
}

std::size_t DeviceCode::statement_begin(std::size_t token) const {
  std::size_t i = token;
  while (i > 0) {
    const std::string_view before = tokens_[i - 1].text;
    if (is_one_of(before, {";", "{", "}", "(", "["})) return i;
    if (before == ")" || before == "]") {
      if (partner(i - 1) == kNone) return i;
      // The condition of an if, for or while ends where the statement that depends on it begins.
      const std::size_t open = partner(i - 1);
      if (before == ")" && open > 0 && is_one_of(tokens_[open - 1].text, {"if", "for", "while", "switch", "constexpr"}))
        return i;
      i = open;
    } else if (is_one_of(before, {"else", "do"})) {
      return i;
    } else {
      --i;
    }
  }
  return 0;
}

bool DeviceCode::is_extent(std::size_t token) const {
  const std::size_t begin = statement_begin(token);
  if (begin > 0 && is_one_of(text(begin - 1), {"(", "["}) && text(begin - 2) != "for") return false;
  // A declaration begins with a type and a name, side by side.
  bool is_declaration = false;
  std::size_t i = begin;
  for (; i < token && !is_declaration; ++i) {
    const bool is_name = tokens_[i].kind == TokenKind::kIdentifier && !precedes_expression(tokens_[i].text);
    const bool is_behind_type =
        i > begin &&
        ((tokens_[i - 1].kind == TokenKind::kIdentifier && !precedes_expression(tokens_[i - 1].text)) ||
         (is_one_of(tokens_[i - 1].text, {">", ">>"}) && is_template_bracket_[i - 1]) ||
         (is_one_of(tokens_[i - 1].text, {"*", "&"}) && i >= begin + 2 &&
          is_one_of(tokens_[begin].text, {"const", "volatile", "static", "__shared__", "extern", "constexpr", "int",
                                          "float", "double", "unsigned", "char", "bool", "auto"})));
    if (is_name && is_behind_type) is_declaration = true;
    if (!is_name && !is_one_of(tokens_[i].text, {"::", "<", ">", ",", "*", "&"}) &&
        tokens_[i].kind != TokenKind::kNumber)
      break;
  }
  if (!is_declaration) return false;
  // Up to its value, each name of a declaration is followed by extents only.
  for (; i < token; ++i) {
    const std::string_view t = tokens_[i].text;
    if (t == "=" || t == "(" || t == "{") {
      // A value; it ends with the next comma outside of brackets.
      while (i < token && tokens_[i].text != ",")
        i = is_one_of(tokens_[i].text, {"(", "[", "{"}) && partner(i) != kNone ? partner(i) + 1 : i + 1;
      if (i >= token) return false;
    } else if (t == "[") {
      if (partner(i) == kNone || partner(i) > token) return i == token;
      i = partner(i);
    }
  }
  return true;
}

std::vector<TokenRange> DeviceCode::arguments(std::size_t open) const {
  std::vector<TokenRange> result;
  const std::size_t close = partner(open);
  if (close == kNone || close == open + 1) return result;
  std::size_t begin = open + 1;
  int template_depth = 0;
  for (std::size_t i = begin; i <= close; ++i) {
    if (is_template_bracket_[i]) template_depth += text(i) == "<" ? 1 : -static_cast<int>(text(i).size());
    if (i == close || (text(i) == "," && template_depth == 0)) {
      result.emplace_back(begin, i);
      begin = i + 1;
    } else if (is_one_of(text(i), {"(", "[", "{"}) && partner(i) != kNone) {
      i = partner(i);
    }
  }
  return result;
}

std::vector<std::string_view> DeviceCode::shared_names(TokenRange range) const {
  std::vector<std::string_view> names;
  for (std::size_t i = range.first; i < range.second; ++i) {
    if (tokens_[i].text != "__shared__") continue;
    for (; i < range.second && tokens_[i].text != ";"; ++i) {
      if (tokens_[i].kind == TokenKind::kIdentifier && is_one_of(text(i + 1), {"[", ";", ","}))
        names.push_back(tokens_[i].text);
      if (text(i + 1) == "[" && partner(i + 1) != kNone) i = partner(i + 1);
    }
  }
  return names;
}

}  // namespace vgpu::sweep
