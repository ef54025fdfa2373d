// Collects what counts and passes it to json_report; writes Autolab's line.
#include "grader/exports/student_results.h"

#include <nlohmann/json.hpp>

#include "grader/exports/counted.h"
#include "harness/report/json_report.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string gradescope_results(const GradedClass& graded, const GradedStudent& student) {
  std::vector<Verdict> verdicts;
  std::vector<Ungraded> ungraded;
  std::vector<CourseLine> course;
  for (const GradedLab& lab : graded.labs) {
    const GradedAttempt* const counted = counted_attempt(student, lab.id);
    if (counted == nullptr) {
      ungraded.push_back({lab.id, why_not_counted(student, lab.id)});
      continue;
    }
    Verdict& verdict = verdicts.emplace_back(*counted->verdict);
    verdict.submission = counted->source.filename().string();
    const CourseScore& score = counted->score;
    course.push_back({lab.id, rounded_points(score.points), rounded_points(score.out_of), score.explanation});
  }
  return json_report(verdicts, ungraded, course);
}

std::string autolab_results(const GradedClass& graded, const GradedStudent& student) {
  Json scores = Json::object();
  Json board = Json::array();
  double total = 0;
  for (const GradedLab& lab : graded.labs) {
    const GradedAttempt* const counted = counted_attempt(student, lab.id);
    if (counted == nullptr) {
      board.push_back("-");
      continue;
    }
    const double points = rounded_points(counted->score.points);
    scores[lab.id] = points;
    board.push_back(points);
    total += points;
  }
  board.insert(board.begin(), rounded_points(total));
  const Json line = {{"scores", std::move(scores)}, {"scoreboard", std::move(board)}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lanewise
