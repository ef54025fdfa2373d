// Writes one file after the other.
#include "grader/exports/exports.h"

#include <fmt/format.h>

#include <chrono>

#include "grader/exports/ags.h"
#include "grader/exports/autograders.h"
#include "grader/exports/gradebooks.h"
#include "grader/exports/junit.h"
#include "grader/exports/student_page.h"
#include "grader/exports/student_results.h"
#include "grader/workplace/workplace.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Whoever made the ids has checked this; a mistake there must not make us write elsewhere.
bool names_a_file(const std::string& id) {
  return !id.empty() && id[0] != '.' && id.find('/') == std::string::npos && id.find('\0') == std::string::npos;
}

std::optional<Failure> check_ids(const GradedClass& graded) {
  const auto refuse = [](const char* whose, const std::string& id) {
    return Failure{fmt::format("a {}'s id is '{}', which cannot be a file name", whose, safe_line(id))};
  };
  for (const GradedLab& lab : graded.labs)
    if (!names_a_file(lab.id) || lab.id == "index") return refuse("lab", lab.id);
  for (const GradedStudent& student : graded.students)
    if (!names_a_file(student.student.id)) return refuse("student", student.student.id);
  return std::nullopt;
}

std::optional<Failure> write_student(const GradedClass& graded, const GradedStudent& student, const fs::path& folder) {
  // An earlier version wrote a page per lab, which would contradict this one.
  std::error_code error;
  for (const GradedLab& lab : graded.labs) fs::remove(folder / (lab.id + ".html"), error);
  if (auto failure = write_report(folder / "results.json", gradescope_results(graded, student))) return failure;
  if (auto failure = write_report(folder / "autolab.json", autolab_results(graded, student))) return failure;
  return write_report(folder / "index.html", student_page(graded, student));
}

}  // namespace

std::optional<Failure> write_exports(const GradedClass& graded, const fs::path& out) {
  if (auto failure = check_ids(graded)) return failure;
  for (const GradedStudent& student : graded.students)
    if (auto failure = write_student(graded, student, out / "students" / student.student.id)) return failure;
  if (auto failure = write_report(out / "grades.csv", grades_csv(graded))) return failure;
  if (auto failure = write_report(out / "canvas.csv", canvas_csv(graded))) return failure;
  if (auto failure = write_report(out / "moodle.csv", moodle_csv(graded))) return failure;
  if (auto failure = write_report(out / "junit.xml", junit_xml(graded))) return failure;
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  for (const GradedLab& lab : graded.labs)
    if (auto failure = write_report(out / "ags" / (lab.id + ".json"), ags_scores(graded, lab, now.count())))
      return failure;
  Autograder autograder{"gradescope", {}, graded.cases, graded.seed};
  for (const GradedLab& lab : graded.labs) autograder.labs.push_back(lab.id);
  return write_autograder(autograder, out / "gradescope");
}

}  // namespace lanewise
