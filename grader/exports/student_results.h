// One student's results for programs: Gradescope's results.json and Autolab's line.
#pragma once

#include <string>

#include "grader/class/graded_class.h"

namespace lanewise {

/// students/<id>/results.json: json_report of the attempts that count, with the course's score. `student` is one of
/// `graded`. Contains nothing about anybody else, and no path on the grading machine.
std::string gradescope_results(const GradedClass& graded, const GradedStudent& student);

/// students/<id>/autolab.json: the line that Autolab expects an autograder to print last
/// (https://docs.autolabproject.com/lab/#autograders): a problem for each lab, named by its id, and a scoreboard with
/// the total and each lab. A lab without a grade is not among the scores, so Autolab leaves it open; on the scoreboard
/// it is "-".
std::string autolab_results(const GradedClass& graded, const GradedStudent& student);

}  // namespace lanewise
