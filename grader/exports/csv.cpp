// Defuses formulas, quotes cells.
#include "grader/exports/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

bool begins_with_any(std::string_view text, const std::vector<std::string_view>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [text](std::string_view beginning) { return text.substr(0, beginning.size()) == beginning; });
}

// ASCII, full-width and small forms, and the minus sign: some spreadsheets treat them alike.
bool begins_formula(std::string_view text) {
  static const std::vector<std::string_view> kSigns = {"=",  "+",  "-",  "@",  "＝", "＋", "－",
                                                       "＠", "﹦", "﹢", "﹣", "﹫", "−"};
  return begins_with_any(text, kSigns);
}

// The length of a blank or quotation mark at the start of `text`: a cell is still a formula after them.
std::size_t skipped(std::string_view text) {
  // No-break space, ideographic space, and the widths of blank from U+2000 to U+200A.
  if (text.empty()) return 0;
  if (text[0] == ' ' || text[0] == '"') return 1;
  if (text.substr(0, 2) == "\xC2\xA0") return 2;
  if (text.substr(0, 3) == "\xE3\x80\x80" || text.substr(0, 3) == "\xE2\x80\xAF") return 3;
  const bool is_width =
      text.size() > 2 && text.substr(0, 2) == "\xE2\x80" && static_cast<unsigned char>(text[2]) <= 0x8A;
  return is_width ? 3 : 0;
}

bool is_formula(std::string_view text) {
  while (const std::size_t bytes = skipped(text)) text.remove_prefix(bytes);
  return begins_formula(text);
}

bool may_end_a_cell(char c) { return c == ';' || c == '\t' || c == '\n'; }

}  // namespace

CsvCell csv_text(std::string_view text) {
  const std::string safe = safe_text(text);
  CsvCell cell;
  cell.text.reserve(safe.size() + 1);
  bool is_beginning = true;
  for (std::size_t at = 0; at < safe.size(); ++at) {
    const bool is_dangerous = is_beginning && is_formula(std::string_view(safe).substr(at));
    const bool begins_with_space = at == 0 && (safe[at] == '\t' || safe[at] == '\n');
    if (is_dangerous || begins_with_space) cell.text += '\'';
    cell.text += safe[at];
    is_beginning = may_end_a_cell(safe[at]);
  }
  return cell;
}

CsvCell csv_number(double number) {
  if (!std::isfinite(number)) return {};
  return {points_text(number)};
}

std::string csv_row(const std::vector<CsvCell>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& text = cells[i].text;
    if (i > 0) row += ',';
    // Blanks at the edges are part of the cell, but some readers keep them only inside quotes.
    const bool is_plain = text.find_first_of(",;\"\t\r\n") == std::string::npos &&
                          (text.empty() || (text.front() != ' ' && text.back() != ' '));
    if (is_plain) {
      row += text;
      continue;
    }
    row += '"';
    for (const char c : text) row += c == '"' ? std::string("\"\"") : std::string(1, c);
    row += '"';
  }
  return row + "\r\n";
}

}  // namespace lanewise
