// Reads the table strictly: a date read wrongly would cost a student points.
#include "grader/class/submission_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/class/file_names.h"
#include "grader/class/moment.h"
#include "grader/class/utf8.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

std::size_t column(const CsvRow& headings, const char* name) {
  for (std::size_t i = 0; i < headings.cells.size(); ++i)
    if (small_letters(headings.cells[i]) == name) return i;
  return kNoColumn;
}

std::string cell(const CsvRow& row, std::size_t column) {
  return column < row.cells.size() ? row.cells[column] : std::string();
}

}  // namespace

Expected<std::vector<SubmissionTime>> submission_times_of(const CsvTable& table, const std::string& name) {
  std::vector<SubmissionTime> times;
  if (table.rows.empty()) return times;
  const CsvRow& headings = table.rows.front();
  const std::size_t student = column(headings, "student");
  const std::size_t submitted = column(headings, "submitted");
  const std::size_t file = std::min(column(headings, "file"), column(headings, "attempt"));
  if (student == kNoColumn || submitted == kNoColumn)
    return Failure{fmt::format("{}:{}: there is no column \"{}\"; the columns are student, file or attempt, submitted",
                               name, headings.line, student == kNoColumn ? "student" : "submitted")};
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    const std::string written = cell(row, submitted);
    const auto moment = parse_iso_moment(written);
    if (!moment)
      return Failure{fmt::format("{}:{}: '{}' is not a date with a time; write it like 2026-11-22T23:59:00+01:00", name,
                                 row.line, safe_line(written))};
    if (!moment->has_offset)
      return Failure{fmt::format("{}:{}: '{}' has no time zone; write {}+01:00 (one hour ahead of UTC) or {}Z (UTC)",
                                 name, row.line, written, written, written)};
    times.push_back({row.line, cell(row, student), cell(row, file), moment->seconds});
  }
  return times;
}

bool is_meant(const std::string& which, const std::string& came_from, int number) {
  const std::string key = small_letters(which);
  if (key.empty()) return true;
  const std::string path = small_letters(came_from);
  const std::string last = path.substr(path.rfind('/') + 1);
  return key == path || key == last || key == name_parts(last).stem || (number > 0 && key == std::to_string(number)) ||
         (number > 0 && attempt_number(which) == number);
}

}  // namespace lanewise
