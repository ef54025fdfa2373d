// CSV according to RFC 4180, in which nothing that a student wrote can become a formula.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// A cell's content. Cells are made only by csv_text and csv_number, so that none stays unprotected.
struct CsvCell {
  std::string text;  ///< defused, not yet quoted
};

/// Text from outside. It goes through safe_text: bytes that are not UTF-8, control characters and invisible marks are
/// written out. If a spreadsheet would take it for a formula (it begins with = + - @, also after blanks, or as a
/// full-width character; or with a TAB), an apostrophe is put before it. The same applies after a semicolon, a TAB or a
/// line break inside the text: a spreadsheet that separates cells by those would find a cell there, and ignore our
/// quotes.
CsvCell csv_text(std::string_view text);

/// A number as points_text writes it: "54.67". Empty if it is not finite.
CsvCell csv_number(double number);

/// One record, quoted where necessary, with CR LF.
std::string csv_row(const std::vector<CsvCell>& cells);

/// For files that people open: without it, Excel reads UTF-8 as its local code page. Files that only a learning
/// platform reads have none: all platforms expect UTF-8, and not all of them skip the mark.
inline constexpr const char* kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace lanewise
