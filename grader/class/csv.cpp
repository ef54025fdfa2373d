// One pass over the bytes, a state for inside and outside quotes.
#include "grader/class/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "grader/class/utf8.h"
#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

constexpr std::uintmax_t kLargestTable = 16 << 20;

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

char separator_of(std::string_view text) {
  constexpr std::array<char, 3> kSeparators = {',', ';', '\t'};
  std::array<std::size_t, 3> counts = {};
  bool in_quotes = false;
  for (const char c : text) {
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (c == '\n' || c == '\r') break;
    for (std::size_t i = 0; i < kSeparators.size(); ++i) counts[i] += c == kSeparators[i] ? 1 : 0;
  }
  return kSeparators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())];
}

bool is_blank(const CsvRow& row) { return row.cells.size() == 1 && row.cells.front().empty(); }

// Reads cell by cell; `at` is always the first byte not yet consumed.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  Expected<CsvTable> read() {
    CsvTable table;
    table.separator = separator_of(text_);
    while (at_ < text_.size()) {
      CsvRow row;
      row.line = line_;
      do {
        std::string cell;
        if (auto failure = take_cell(table.separator, cell)) return *std::move(failure);
        if (!is_utf8(cell))
          return Failure{fmt::format("{}:{}: this is not UTF-8 text; save the table as \"CSV UTF-8\"", name_, line_)};
        row.cells.push_back(std::move(cell));
      } while (take_separator(table.separator));
      take_line_end();
      if (!is_blank(row)) table.rows.push_back(std::move(row));
    }
    return table;
  }

 private:
  bool is_at_end_of_cell(char separator) const {
    return at_ == text_.size() || text_[at_] == separator || text_[at_] == '\n' || text_[at_] == '\r';
  }

  std::optional<Failure> take_cell(char separator, std::string& cell) {
    if (at_ == text_.size() || text_[at_] != '"') {
      while (!is_at_end_of_cell(separator)) cell += text_[at_++];
      return std::nullopt;
    }
    const int opened = line_;
    for (++at_;; ++at_) {
      if (at_ == text_.size())
        return Failure{fmt::format("{}:{}: a cell's quotes are not closed; a '\"' inside quotes is written '\"\"'",
                                   name_, opened)};
      if (text_[at_] == '"') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      cell += text_[at_];
    }
    ++at_;
    if (is_at_end_of_cell(separator)) return std::nullopt;
    return Failure{
        fmt::format("{}:{}: there is text after a cell's closing quotes; a '\"' inside quotes is written "
                    "'\"\"'",
                    name_, line_)};
  }

  bool take_separator(char separator) {
    if (at_ == text_.size() || text_[at_] != separator) return false;
    ++at_;
    return true;
  }

  void take_line_end() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Expected<CsvTable> parse_csv(const std::string& text, const std::string& name) {
  std::string_view content = text;
  if (starts_with(content, "\xff\xfe") || starts_with(content, "\xfe\xff"))
    return Failure{fmt::format("{}: this is UTF-16 text; save the table as \"CSV UTF-8\"", name)};
  if (starts_with(content, "\xef\xbb\xbf")) content.remove_prefix(3);
  return CsvReader(content, name).read();
}

Expected<CsvTable> read_csv(const std::filesystem::path& file) {
  const auto text = read_file(file, kLargestTable);
  if (!text) return text.failure();
  return parse_csv(*text, file.string());
}

}  // namespace lanewise
