// Who is enrolled: a CSV of our own, or the gradebook that Canvas or Moodle export.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grader/class/csv.h"
#include "grader/class/student.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// As Student::id must be.
bool is_safe_id(std::string_view id);

/// The students by id. Columns are found by their headings, in any case and order; others are not looked at:
///   id          "id", "student id", "SIS User ID", "ID number"
///   name        "name", "full name", "student", or "first name" and "last name"
///   login       "login", "username", "SIS Login ID"
///   number      "number", "Identifier" ("Participant 123" is 123), and "ID" where there is a "SIS ..." column (Canvas)
///   email       "email", "email address"
///   section     "section", "group"
///   nickname    "nickname"
/// A student without an id gets the first of login, number and email's local part that can be one. Canvas's row of
/// possible points and rows without anything that identifies a student are skipped. Fails, with the line, on an id that
/// cannot be one, on two students with the same one and where nothing can be one.
Expected<std::vector<Student>> roster_of(const CsvTable& table, const std::string& name);

Expected<std::vector<Student>> read_roster(const std::filesystem::path& file);

}  // namespace lanewise
