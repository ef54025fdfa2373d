#include "harness/vgpu/sweep/markers.h"

#include <algorithm>
#include <charconv>

namespace vgpu::sweep {
namespace {

constexpr std::string_view kMark = "sweep:";

void skip_blanks(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  text.remove_prefix(std::min(first, text.size()));
}

std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const std::size_t end = std::min(text.find_first_of(" \t:,"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// The line of code that a comment belongs to: its own, or else the next that has any; 0 if there is none.
std::uint32_t code_line(const std::vector<Token>& tokens, std::uint32_t comment_line) {
  const auto token = std::lower_bound(tokens.begin(), tokens.end(), comment_line,
                                      [](const Token& t, std::uint32_t line) { return t.line < line; });
  return token == tokens.end() ? 0 : token->line;
}

}  // namespace

std::variant<std::vector<Marker>, MarkerProblem> read_markers(const SourceText& text,
                                                              const std::vector<Mutation>& mutations) {
  std::vector<Marker> result;
  for (const Comment& comment : text.comments) {
    std::string_view rest = comment.text;
    skip_blanks(rest);
    if (rest.substr(0, kMark.size()) != kMark) continue;
    rest.remove_prefix(kMark.size());
    const auto problem = [&](const std::string& sentence) { return MarkerProblem{comment.line, sentence}; };
    const std::string_view word = take_word(rest);
    if (word != "equivalent" && word != "missed")
      return problem("a marker reads 'sweep: equivalent OPERATOR NUMBER: REASON', or missed in place of equivalent");
    const std::string_view op_name = take_word(rest);
    const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                                 [&](Operator candidate) { return op_name == name_of(candidate); });
    if (op == kOperators.end()) return problem("there is no operator '" + std::string(op_name) + "'");

    const std::uint32_t line = code_line(text.tokens, comment.line);
    std::vector<std::size_t> indices;
    do {
      if (!rest.empty() && rest.front() == ',') rest.remove_prefix(1);
      const std::string_view digits = take_word(rest);
      std::uint32_t number = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (error != std::errc{} || end != digits.data() + digits.size())
        return problem("'" + std::string(digits) + "' does not identify a mutation of the line");
      const auto found = std::find_if(mutations.begin(), mutations.end(), [&](const Mutation& m) {
        return m.line == line && m.op == *op && m.number == number;
      });
      if (found == mutations.end())
        return problem("line " + std::to_string(line) + " has no mutation '" + std::string(op_name) + " " +
                       std::to_string(number) + "': the marker is stale");
      indices.push_back(static_cast<std::size_t>(found - mutations.begin()));
      skip_blanks(rest);
    } while (!rest.empty() && rest.front() == ',');

    if (rest.empty() || rest.front() != ':') return problem("a colon and the reason are missing");
    rest.remove_prefix(1);
    skip_blanks(rest);
    if (rest.empty()) return problem("the reason is missing");
    for (const std::size_t index : indices)
      result.push_back({comment.line, index, word == "equivalent", std::string(rest)});
  }
  return result;
}

}  // namespace vgpu::sweep
