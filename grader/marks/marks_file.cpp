// Row by row; problems in all rows are reported before anything counts.
#include "grader/marks/marks_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "grader/class/utf8.h"
#include "grader/exports/csv.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kAnswerIdSize = 17;
constexpr std::size_t kLongestRemark = 4000;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<double> number_of(std::string text) {
  std::replace(text.begin(), text.end(), ',', '.');
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool is_answer_id(const std::string& text) {
  return text.size() == kAnswerIdSize && text[0] == 'a' &&
         text.find_first_not_of("0123456789abcdef", 1) == std::string::npos;
}

class Reader {
 public:
  Reader(const CsvTable& table, const std::string& name, const MarkingScheme& scheme)
      : table_(table), name_(name), scheme_(scheme) {}

  MarksFile read();

 private:
  bool find_columns();
  std::string cell(const CsvRow& row, const char* heading) const;
  std::string student_in(const CsvRow& row) const;
  std::string problem_with(const CsvRow& row, StoredMark& mark) const;
  void add(const CsvRow& row, const StoredMark& mark);
  void complain(int line, const std::string& sentence) {
    found_.problems.push_back(fmt::format("{}:{}: {}", name_, line, sentence));
  }

  const CsvTable& table_;
  const std::string& name_;
  const MarkingScheme& scheme_;
  std::map<std::string, std::size_t> columns_;
  std::map<std::string, std::pair<int, StoredMark>> seen_;  // by everything that identifies an answer
  MarksFile found_;
};

MarksFile Reader::read() {
  if (table_.rows.empty()) {
    found_.problems.push_back(fmt::format("{}: the file is empty; its first row names the columns", name_));
    return found_;
  }
  if (!find_columns()) return found_;
  for (std::size_t i = 1; i < table_.rows.size(); ++i) {
    const CsvRow& row = table_.rows[i];
    if (cell(row, "points").empty()) continue;  // not marked yet
    StoredMark mark;
    const std::string problem = problem_with(row, mark);
    if (problem.empty())
      add(row, mark);
    else
      complain(row.line, problem);
  }
  return found_;
}

bool Reader::find_columns() {
  const CsvRow& headings = table_.rows.front();
  for (std::size_t i = 0; i < headings.cells.size(); ++i)
    columns_.emplace(small_letters(trimmed(headings.cells[i])), i);
  for (const char* const needed : {"student", "lab", "question", "answer id", "points"})
    if (columns_.count(needed) == 0)
      complain(headings.line,
               fmt::format("there is no column \"{}\"; fill in the file to_mark.csv as it was written", needed));
  return found_.problems.empty();
}

std::string Reader::cell(const CsvRow& row, const char* heading) const {
  const auto column = columns_.find(heading);
  return column == columns_.end() || column->second >= row.cells.size() ? "" : trimmed(row.cells[column->second]);
}

// We wrote an apostrophe before an id that a spreadsheet would take for a formula; from an id that it takes for a
// number, it drops leading zeros.
std::string Reader::student_in(const CsvRow& row) const {
  std::string text = cell(row, "student");
  if (scheme_.students.count(text) > 0) return text;
  const bool is_defused = text.size() > 1 && text[0] == '\'' && csv_text(text.substr(1)).text == text;
  if (is_defused) return text.substr(1);
  std::vector<std::string> meant;
  for (const std::string& id : scheme_.students)
    if (id.size() > text.size() && id.find_first_not_of("0123456789") == std::string::npos &&
        id == std::string(id.size() - text.size(), '0') + text)
      meant.push_back(id);
  return meant.size() == 1 ? meant[0] : text;
}

std::string Reader::problem_with(const CsvRow& row, StoredMark& mark) const {
  mark.student = student_in(row);
  mark.lab = cell(row, "lab");
  mark.question = cell(row, "question");
  mark.answer = cell(row, "answer id");
  mark.remark = cell(row, "remark");
  if (scheme_.students.count(mark.student) == 0)
    return fmt::format("nobody in the class has the id '{}'", safe_line(mark.student));
  const auto question = scheme_.questions.find({mark.lab, mark.question});
  if (question == scheme_.questions.end())
    return fmt::format("the lab '{}' has no free-text question '{}'", safe_line(mark.lab), safe_line(mark.question));
  if (!is_answer_id(mark.answer))
    return fmt::format("'{}' is not an answer id; leave that column as it was written", safe_line(mark.answer));
  const std::string points = cell(row, "points");
  const auto number = number_of(points);
  if (!number) return fmt::format("the points '{}' are not a number", safe_line(points));
  if (*number < 0 || *number > question->second)
    return fmt::format("{} points are out of range: the question '{}' is worth {}", points, mark.question,
                       points_text(question->second));
  if (mark.remark.size() > kLongestRemark)
    return fmt::format("the remark has {} bytes, and at most {} are kept", mark.remark.size(), kLongestRemark);
  mark.points = *number;
  mark.out_of = question->second;
  return "";
}

void Reader::add(const CsvRow& row, const StoredMark& mark) {
  const std::string key = fmt::format("{}\n{}\n{}\n{}", mark.student, mark.lab, mark.question, mark.answer);
  const auto [earlier, is_new] = seen_.emplace(key, std::make_pair(row.line, mark));
  if (is_new)
    found_.marks.push_back(mark);
  else if (earlier->second.second.points != mark.points || earlier->second.second.remark != mark.remark)
    complain(row.line, fmt::format("the same answer is marked differently in line {}", earlier->second.first));
}

}  // namespace

MarksFile marks_of(const CsvTable& table, const std::string& name, const MarkingScheme& scheme) {
  return Reader(table, name, scheme).read();
}

Expected<MarksFile> read_marks(const std::filesystem::path& file, const MarkingScheme& scheme) {
  const auto table = read_csv(file);
  if (!table) return table.failure();
  return marks_of(*table, file.string(), scheme);
}

}  // namespace lanewise
