// Rows of cells, one table after the other.
#include "grader/exports/gradebooks.h"

#include <fmt/format.h>

#include "grader/exports/counted.h"
#include "grader/exports/csv.h"

namespace lanewise {
namespace {

using Row = std::vector<CsvCell>;

Row texts(const std::vector<std::string>& texts) {
  Row row;
  for (const std::string& text : texts) row.push_back(csv_text(text));
  return row;
}

Row of_attempt(const Student& student, const GradedAttempt& attempt) {
  Row row = texts({student.id, student.name, attempt.lab});
  const bool is_graded = attempt.verdict.has_value();
  row.push_back(is_graded ? csv_number(attempt.score.points) : CsvCell{});
  row.push_back(is_graded ? csv_number(attempt.score.out_of) : CsvCell{});
  row.push_back(is_graded ? csv_number(attempt.score.days_late) : CsvCell{});
  row.push_back(csv_text(attempt.is_counted ? "yes" : "no"));
  row.push_back(csv_text(submitted_text(attempt.submitted)));
  row.push_back(csv_text(is_graded ? attempt.score.explanation : ""));
  row.push_back(csv_text(attempt.trouble));
  row.push_back(csv_text(attempt.came_from));
  return row;
}

Row of_nothing(const Student& student, const std::string& lab) {
  Row row = texts({student.id, student.name, lab, "", "", "", "no", "", "", "nothing was submitted", ""});
  return row;
}

bool has_attempt(const GradedStudent& student, const std::string& lab) {
  for (const GradedAttempt& attempt : student.attempts)
    if (attempt.lab == lab) return true;
  return false;
}

CsvCell points_cell(const GradedStudent& student, const std::string& lab) {
  const GradedAttempt* const counted = counted_attempt(student, lab);
  return counted == nullptr ? CsvCell{} : csv_number(counted->score.points);
}

// What Moodle shows beside a grade.
CsvCell feedback_cell(const GradedStudent& student, const std::string& lab) {
  const GradedAttempt* const counted = counted_attempt(student, lab);
  return csv_text(counted == nullptr ? why_not_counted(student, lab) : counted->score.explanation);
}

}  // namespace

std::string grades_csv(const GradedClass& graded) {
  std::string csv = kByteOrderMark + csv_row(texts({"student", "name", "lab", "points", "out of", "days late",
                                                    "counted", "submitted", "explanation", "trouble", "came from"}));
  for (const GradedStudent& student : graded.students) {
    for (const GradedAttempt& attempt : student.attempts) csv += csv_row(of_attempt(student.student, attempt));
    for (const GradedLab& lab : graded.labs)
      if (!has_attempt(student, lab.id)) csv += csv_row(of_nothing(student.student, lab.id));
  }
  return csv;
}

std::string canvas_csv(const GradedClass& graded) {
  Row headings = texts({"Student", "ID", "SIS User ID", "SIS Login ID", "Section"});
  // Canvas recognises the row by these words, and writes the blanks itself.
  Row possible = texts({"    Points Possible", "", "", "", ""});
  for (const GradedLab& lab : graded.labs) {
    headings.push_back(csv_text(lab_heading(lab)));
    possible.push_back(csv_number(points_possible(graded, lab)));
  }
  std::string csv = csv_row(headings) + csv_row(possible);
  for (const GradedStudent& student : graded.students) {
    const Student& person = student.student;
    // Canvas only knows ids from the roster.
    // A student with the name of Canvas's own row would be taken for it.
    const bool has_name = !person.name.empty() && person.name.find("Points Possible") == std::string::npos;
    Row row = texts({has_name ? person.name : person.id, person.number, person.is_enrolled ? person.id : "",
                     person.login, person.section});
    for (const GradedLab& lab : graded.labs) row.push_back(points_cell(student, lab.id));
    csv += csv_row(row);
  }
  return csv;
}

std::string moodle_csv(const GradedClass& graded) {
  Row headings = texts({"Email address", "ID number", "Username"});
  for (const GradedLab& lab : graded.labs) {
    headings.push_back(csv_text(lab_heading(lab)));
    // Moodle has feedback for each grade, so with several labs each has its own.
    headings.push_back(
        csv_text(graded.labs.size() == 1 ? "Feedback comments" : fmt::format("Feedback comments ({})", lab.id)));
  }
  std::string csv = csv_row(headings);
  for (const GradedStudent& student : graded.students) {
    const Student& person = student.student;
    const std::string number = person.is_enrolled ? person.id : "";
    if (person.email.empty() && number.empty() && person.login.empty()) continue;
    Row row = texts({person.email, number, person.login});
    for (const GradedLab& lab : graded.labs) {
      row.push_back(points_cell(student, lab.id));
      row.push_back(feedback_cell(student, lab.id));
    }
    csv += csv_row(row);
  }
  return csv;
}

}  // namespace lanewise
