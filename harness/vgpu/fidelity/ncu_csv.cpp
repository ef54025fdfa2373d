#include "harness/vgpu/fidelity/ncu_csv.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace vgpu::fidelity {
namespace {

using Record = std::vector<std::string>;

/// Splits comma-separated values. Fields in quotes may hold commas, line ends, and quotes written twice.
class Records {
 public:
  explicit Records(std::string_view text) : text_(text) {}

  /// The line on which the last record began, from 1.
  std::size_t line() const { return record_line_; }

  std::optional<Record> next() {
    if (at_ >= text_.size()) return std::nullopt;
    record_line_ = line_;
    Record record(1);
    bool is_quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      line_ += c == '\n' ? 1 : 0;
      if (is_quoted) {
        const bool is_twice = c == '"' && at_ + 1 < text_.size() && text_[at_ + 1] == '"';
        if (c == '"' && !is_twice) {
          is_quoted = false;
        } else {
          record.back() += c;
          at_ += is_twice ? 1 : 0;
        }
      } else if (c == '"') {
        is_quoted = true;
      } else if (c == ',') {
        record.emplace_back();
      } else if (c == '\n') {
        ++at_;
        break;
      } else if (c != '\r') {
        record.back() += c;
      }
    }
    return record;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 1;
};

/// "1,234,567" and "12.5"; nothing for "n/a" and the like.
std::optional<double> number_in(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') return std::nullopt;
  return value;
}

bool is_metric(const std::string& column) { return column.find("__") != std::string::npos; }

}  // namespace

std::variant<std::vector<Profile>, std::string> read_ncu_csv(std::string_view text) {
  std::vector<Profile> rows;
  Record columns;
  Records records(text);
  while (const auto record = records.next()) {
    if (record->front() == "ID") {
      columns = *record;
      for (const char* needed : {kProgramColumn, kKernelColumn})
        if (std::find(columns.begin(), columns.end(), needed) == columns.end())
          return "line " + std::to_string(records.line()) + " has no column \"" + needed + "\"";
      continue;
    }
    const bool is_remark = record->size() == 1 || record->front().rfind("==", 0) == 0;
    if (columns.empty() || is_remark || record->front().empty()) continue;  // an empty ID: the row of units
    if (record->size() != columns.size())
      return "line " + std::to_string(records.line()) + " has " + std::to_string(record->size()) + " fields where " +
             std::to_string(columns.size()) + " columns are: is the file whole?";
    Profile row;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] == kProgramColumn) row.program = (*record)[c];
      if (columns[c] == kKernelColumn) row.kernel = (*record)[c];
      const auto value = number_in((*record)[c]);
      if (!value) continue;
      if (columns[c] == kLaunchesColumn) row.launches = *value;
      if (is_metric(columns[c])) row.metrics[columns[c]] = *value;
    }
    rows.push_back(std::move(row));
  }
  if (columns.empty()) return std::string("there is no table in it: no line begins with \"ID\"");
  return rows;
}

}  // namespace vgpu::fidelity
