// Grades as tables: ours with every attempt, and those that Canvas and Moodle import.
#pragma once

#include <string>

#include "grader/class/graded_class.h"

namespace lanewise {

/// grades.csv: a row for every attempt, and one for every student and lab without any. With a byte order mark, since
/// people open it.
std::string grades_csv(const GradedClass& graded);

/// For "Import" in Canvas's gradebook (https://community.canvaslms.com, "How do I import grades in the Gradebook?"):
/// one column per lab, and the row of points possible. Canvas finds a person by "ID", then "SIS User ID", then "SIS
/// Login ID", and asks about people it does not find. A cell without a grade is empty, and Canvas leaves that grade
/// unchanged: what could not be graded is never a zero.
std::string canvas_csv(const GradedClass& graded);

/// For "Import" → "CSV file" in Moodle (https://docs.moodle.org/en/Grade_import): map from one of "Email address", "ID
/// number" and "Username", and each lab with the feedback comments beside it; Moodle drops the grades of a lab that is
/// mapped without them. The ID number is the id in the roster, if Moodle's own list has it. Moodle rejects a whole file
/// that contains somebody it does not know, so students without any of these identifiers are only in grades.csv.
std::string moodle_csv(const GradedClass& graded);

}  // namespace lanewise
