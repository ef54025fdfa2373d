// CSV as RFC 4180 has it, in which no text of a student's can become a formula.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// A cell's content. Cells are made by csv_text and csv_number, so that none is forgotten.
struct CsvCell {
  std::string text;  ///< defused, not yet quoted
};

/// Text from outside. It goes through safe_text: what is no UTF-8, a control character or an invisible mark is written
/// out. Where a spreadsheet would take it for a formula (it begins with = + - @, also behind blanks, or as a full-width
/// character; or with a TAB) an apostrophe stands before it. So it does behind a semicolon, a TAB or a line's end
/// inside the text: a spreadsheet that separates cells by those would find a cell there, and not know our quotes.
CsvCell csv_text(std::string_view text);

/// A number of ours, with at most two decimals: "54.67". Empty if it is not finite.
CsvCell csv_number(double number);

/// One record, quoted where it has to be, and its CR LF.
std::string csv_row(const std::vector<CsvCell>& cells);

/// For files that people open: without it Excel takes UTF-8 for the code page of its country. Files that only a
/// learning platform reads have none: all of them expect UTF-8, and not all of them skip the mark.
inline constexpr const char* kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace lanewise
