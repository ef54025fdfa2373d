// What one student gets to read: a page of their labs, and behind it a report for each.
#pragma once

#include <string>
#include <vector>

#include "grader/graded_class.h"

namespace lanewise {

/// students/<id>/index.html, which links to "<lab>.html" beside it. Names nobody but `student`, and no place on the
/// machine that graded.
std::string student_page(const GradedClass& graded, const GradedStudent& student);

/// students/<id>/<lab>.html: the report of the attempt that counts, with source and pictures.
std::string student_lab_page(const GradedAttempt& attempt);

}  // namespace lanewise
