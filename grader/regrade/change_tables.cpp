// Numbers in a column of their own, words after them.
#include "grader/regrade/change_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/exports/csv.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

// "+4.5", "-0.25"; two decimals, since hundredths are reported.
std::string signed_text(double points) {
  const std::string text = csv_number(std::abs(points)).text;
  return text == "0" ? "0" : (points > 0 ? "+" : "-") + text;
}

std::string points_of(const std::optional<CoursePoints>& points) {
  return points ? fmt::format("{}/{}", csv_number(points->points).text, csv_number(points->out_of).text) : "no score";
}

std::string where(const PointChange& line) {
  std::string text = line.task.empty() ? line.part : line.task + " · " + line.part;
  return line.what.empty() ? text : text + " · " + line.what;
}

std::string styled(const std::string& text, const TextStyle& style) {
  return (style.utf8 ? text : ascii_text(text)) + "\n";
}

// The words beside the number, on as many lines as they need.
std::string reason_text(const PointChange& line, const TextStyle& style) {
  constexpr std::size_t kColumn = 14;
  constexpr std::size_t kLeastWidth = 20;
  const std::string words = safe_line(where(line) + ": " + line.why);
  std::string start = fmt::format("{:>12}  ", signed_text(line.moved));
  std::string text;
  for (const std::string& piece : wrap_line(words, std::max(style.width, kColumn + kLeastWidth) - kColumn)) {
    text += styled(start + piece, style);
    start.assign(kColumn, ' ');
  }
  return text;
}

}  // namespace

std::string reasons_text(const std::vector<PointChange>& changes, const TextStyle& style) {
  std::string text;
  for (const PointChange& line : changes) text += reason_text(line, style);
  return text;
}

std::string changes_text(const std::vector<ScoreChange>& changes, std::size_t scores, const TextStyle& style) {
  if (changes.empty()) return fmt::format("None of {} scores changes.\n", scores);
  std::string text;
  for (const ScoreChange& change : changes) {
    text += styled(safe_line(fmt::format("{:>8}  {} · {}  {} → {}", signed_text(change.moved()), change.student.id,
                                         change.lab, points_of(change.before), points_of(change.after))),
                   style);
    text += reasons_text(change.lines, style);
  }
  const auto down =
      std::count_if(changes.begin(), changes.end(), [](const ScoreChange& change) { return change.moved() < 0; });
  const auto up =
      std::count_if(changes.begin(), changes.end(), [](const ScoreChange& change) { return change.moved() > 0; });
  text += fmt::format("{} of {} scores change: {} up, {} down.\n", changes.size(), scores, up, down);
  return text;
}

std::string changes_csv(const std::vector<ScoreChange>& changes) {
  std::vector<CsvCell> headings;
  for (const char* const heading : {"student", "name", "lab", "points before", "out of before", "points now",
                                    "out of now", "task", "part", "what", "why", "moved"})
    headings.push_back(csv_text(heading));
  std::string csv = kByteOrderMark + csv_row(headings);
  for (const ScoreChange& change : changes)
    for (const PointChange& line : change.lines)
      csv += csv_row({csv_text(change.student.id), csv_text(change.student.name), csv_text(change.lab),
                      change.before ? csv_number(change.before->points) : CsvCell{},
                      change.before ? csv_number(change.before->out_of) : CsvCell{},
                      change.after ? csv_number(change.after->points) : CsvCell{},
                      change.after ? csv_number(change.after->out_of) : CsvCell{}, csv_text(line.task),
                      csv_text(line.part), csv_text(line.what), csv_text(line.why), csv_number(line.moved)});
  return csv;
}

}  // namespace lanewise
