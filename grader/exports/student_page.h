// What one student receives: a page with the whole report on each of their labs.
#pragma once

#include <string>
#include <vector>

#include "grader/class/graded_class.h"

namespace lanewise {

/// students/<id>/index.html: a section per lab, with its id as anchor. It holds what html_report shows of the attempt
/// that counts, with source lines and pictures. Mentions nobody but `student`, and no path on the grading machine.
std::string student_page(const GradedClass& graded, const GradedStudent& student);

}  // namespace lanewise
