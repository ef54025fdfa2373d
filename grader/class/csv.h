// Tables of a spreadsheet, as RFC 4180 has them and as spreadsheets really write them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

struct CsvRow {
  int line = 0;  ///< of the file, from 1, where the row begins
  std::vector<std::string> cells;
};

/// Rows as they stand, the headings first; blank lines are not among them. Cells are valid UTF-8 with neither blanks
/// nor quotes taken away from inside them.
struct CsvTable {
  std::vector<CsvRow> rows;
  char separator = ',';
};

/// `name` is what the sentence of a failure calls the file. The separator is that of ',', ';' and tab which stands most
/// often in the first row outside quotes. Lines end in LF, CRLF or CR; a byte order mark is skipped. Fails, with the
/// line, on quotes that are not closed, on text after a closing quote, on bytes that are not UTF-8 and on UTF-16.
Expected<CsvTable> parse_csv(const std::string& text, const std::string& name);

/// The same of a regular file of at most 16 MiB.
Expected<CsvTable> read_csv(const std::filesystem::path& file);

}  // namespace lanewise
