// Spreadsheet tables, as RFC 4180 defines them and as spreadsheets actually write them.
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

/// Rows in file order, the headings first, without blank lines. Cells are valid UTF-8, with all blanks and quotes
/// inside them.
struct CsvTable {
  std::vector<CsvRow> rows;
  char separator = ',';
};

/// `name` is what messages call the file. The separator is whichever of ',', ';' and tab occurs most often in the first
/// row outside quotes. Lines end in LF, CRLF or CR; a byte order mark is skipped. Fails, with the line, on quotes that
/// are not closed, on text after a closing quote, on bytes that are not UTF-8 and on UTF-16.
Expected<CsvTable> parse_csv(const std::string& text, const std::string& name);

/// The same for a regular file of at most 16 MiB.
Expected<CsvTable> read_csv(const std::filesystem::path& file);

}  // namespace lanewise
