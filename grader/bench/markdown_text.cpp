// Rows, rules and paragraphs.
#include "grader/bench/markdown_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/report/safe_text.h"

namespace lanewise {

std::string markdown_cell(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown_heads(const std::vector<std::string>& heads, std::size_t first_number) {
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < heads.size(); ++i) rules.emplace_back(i < first_number ? "---" : "---:");
  return markdown_row(heads) + fmt::format("|{}|\n", fmt::join(rules, "|"));
}

std::string markdown_wrapped(const std::string& text) {
  constexpr std::size_t kColumns = 120;
  std::string result;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t width = columns_of(word);
    if (column > 0 && column + 1 + width > kColumns) {
      result += '\n';
      column = 0;
    }
    result += (column > 0 ? " " : "") + word;
    column += width + (column > 0 ? 1 : 0);
    at = end + 1;
  }
  return result + "\n";
}

}  // namespace lanewise
