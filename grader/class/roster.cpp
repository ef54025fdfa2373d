// Finds the columns, then makes a student of each row.
#include "grader/class/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include "grader/class/utf8.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kLongestId = 64;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The columns of one table; a missing column gives empty cells.
class Columns {
 public:
  explicit Columns(const CsvRow& headings) {
    for (const std::string& cell : headings.cells) headings_.push_back(small_letters(trimmed(cell)));
  }

  bool has(std::initializer_list<const char*> names) const { return find(names).has_value(); }

  std::string cell(const CsvRow& row, std::initializer_list<const char*> names) const {
    const auto column = find(names);
    return column && *column < row.cells.size() ? trimmed(row.cells[*column]) : "";
  }

 private:
  // Names are tried in order: "sis user id" takes precedence over "id" if both exist.
  std::optional<std::size_t> find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto found = std::find(headings_.begin(), headings_.end(), name);
      if (found != headings_.end()) return static_cast<std::size_t>(found - headings_.begin());
    }
    return std::nullopt;
  }

  std::vector<std::string> headings_;
};

std::string without_start(const std::string& text, const std::string& start) {
  return small_letters(text.substr(0, start.size())) == start ? trimmed(text.substr(start.size())) : text;
}

Student student_of(const CsvRow& row, const Columns& columns) {
  const bool is_canvas = columns.has({"sis user id", "sis login id"});
  Student student;
  student.is_enrolled = true;
  student.id = is_canvas ? columns.cell(row, {"sis user id"}) : columns.cell(row, {"id", "student id", "id number"});
  student.name = columns.cell(row, {"name", "full name", "student"});
  if (student.name.empty())
    student.name = trimmed(columns.cell(row, {"first name"}) + " " + columns.cell(row, {"last name"}));
  student.login = columns.cell(row, {"sis login id", "login", "username"});
  student.number =
      is_canvas ? columns.cell(row, {"id"}) : without_start(columns.cell(row, {"number", "identifier"}), "participant");
  student.email = columns.cell(row, {"email", "email address"});
  student.section = columns.cell(row, {"section", "group"});
  student.nickname = columns.cell(row, {"nickname"});
  return student;
}

bool is_somebody(const Student& student) {
  const bool has_mark = !student.id.empty() || !student.login.empty() || !student.number.empty();
  if (student.name.empty() && student.email.empty() && !has_mark) return false;
  return has_mark || small_letters(student.name) != "points possible";
}

std::string id_from_the_rest(const Student& student) {
  for (const std::string& id : {student.login, student.number, student.email.substr(0, student.email.find('@'))})
    if (is_safe_id(id)) return id;
  return "";
}

}  // namespace

bool is_safe_id(std::string_view id) {
  if (id.empty() || id.size() > kLongestId || id.front() == '.' || id.front() == '-') return false;
  return std::all_of(id.begin(), id.end(), [](char c) {
    return is_letter_or_digit(c) || std::string_view("._@+-").find(c) != std::string_view::npos;
  });
}

Expected<std::vector<Student>> roster_of(const CsvTable& table, const std::string& name) {
  if (table.rows.empty()) return Failure{fmt::format("{}: the roster is empty; its first row names the columns", name)};
  const Columns columns(table.rows.front());
  if (!columns.has({"id", "student id", "id number", "sis user id", "sis login id", "login", "username", "number",
                    "identifier", "email", "email address"})) {
    return Failure{
        fmt::format("{}:{}: no column identifies students; the first row names the columns, and one of them must be "
                    "\"id\", \"login\", \"number\" or \"email\"",
                    name, table.rows.front().line)};
  }
  std::vector<Student> students;
  std::map<std::string, int> line_of;  // by the id in small letters: files of ours are named after it
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    Student student = student_of(row, columns);
    if (!is_somebody(student)) continue;
    if (student.id.empty()) {
      student.id = id_from_the_rest(student);
      if (student.id.empty())
        return Failure{fmt::format("{}:{}: {} has no id; fill in the column \"id\"", name, row.line,
                                   student.name.empty() ? "this student" : safe_line(student.name))};
    } else if (!is_safe_id(student.id)) {
      return Failure{
          fmt::format("{}:{}: '{}' cannot be an id; an id has only letters, digits and ._@+-, begins with neither . "
                      "nor -, and is at most {} characters long",
                      name, row.line, safe_line(student.id), kLongestId)};
    }
    const auto [known, is_new] = line_of.emplace(small_letters(student.id), row.line);
    if (!is_new)
      return Failure{fmt::format("{}:{}: the id '{}' is already used in line {}; every student needs a unique one",
                                 name, row.line, student.id, known->second)};
    students.push_back(std::move(student));
  }
  if (students.empty()) return Failure{fmt::format("{}: the roster has headings but no students below them", name)};
  std::sort(students.begin(), students.end(), [](const Student& a, const Student& b) { return a.id < b.id; });
  return students;
}

Expected<std::vector<Student>> read_roster(const std::filesystem::path& file) {
  const auto table = read_csv(file);
  if (!table) return table.failure();
  return roster_of(*table, file.string());
}

}  // namespace lanewise
