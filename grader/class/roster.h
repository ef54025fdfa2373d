// Who is enrolled: our own CSV format, or a gradebook exported from Canvas or Moodle.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grader/class/csv.h"
#include "grader/class/student.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// Whether a Student::id is valid.
bool is_safe_id(std::string_view id);

/// The students by id. Columns are found by their headings, in any case and order; others are ignored:
///   id          "id", "student id", "SIS User ID", "ID number"
///   name        "name", "full name", "student", or "first name" and "last name"
///   login       "login", "username", "SIS Login ID"
///   number      "number", "Identifier" ("Participant 123" is 123), and "ID" where there is a "SIS ..." column (Canvas)
///   email       "email", "email address"
///   section     "section", "group"
///   nickname    "nickname"
/// A student without an id gets the first of login, number and the email's local part that is a valid one. Canvas's row
/// of possible points and rows that identify no student are skipped. Fails, naming the line, on an invalid id, on two
/// students with the same id and if nothing can serve as an id.
Expected<std::vector<Student>> roster_of(const CsvTable& table, const std::string& name);

Expected<std::vector<Student>> read_roster(const std::filesystem::path& file);

}  // namespace lanewise
