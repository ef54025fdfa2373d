// What one student receives: a page for their labs, and a report for each.
#pragma once

#include <string>
#include <vector>

#include "grader/class/graded_class.h"

namespace lanewise {

/// students/<id>/index.html, which links to "<lab>.html" beside it. Mentions nobody but `student`, and no path on the
/// grading machine.
std::string student_page(const GradedClass& graded, const GradedStudent& student);

/// students/<id>/<lab>.html: the report of the attempt that counts, with source and pictures.
std::string student_lab_page(const GradedAttempt& attempt);

}  // namespace lanewise
