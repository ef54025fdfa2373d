// One object per student; everything else is the same for all.
#include "grader/exports/ags.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/exports/counted.h"
#include "harness/report/safe_text.h"

namespace lanewise {

std::string ags_scores(const GradedClass& graded, const GradedLab& lab, std::int64_t now) {
  using Json = nlohmann::ordered_json;
  const std::string time =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(now / 1000)), now % 1000);
  Json scores = Json::array();
  std::size_t without_number = 0;
  for (const GradedStudent& student : graded.students) {
    const GradedAttempt* const counted = counted_attempt(student, lab.id);
    if (counted == nullptr) continue;
    if (student.student.number.empty()) {
      ++without_number;
      continue;
    }
    Json score = {{"userId", student.student.number},
                  {"scoreGiven", rounded_points(counted->score.points)},
                  {"scoreMaximum", rounded_points(counted->score.out_of)},
                  {"timestamp", time},
                  {"activityProgress", "Completed"},
                  {"gradingProgress", "FullyGraded"}};
    if (!counted->score.explanation.empty()) score["comment"] = safe_line(counted->score.explanation);
    scores.push_back(std::move(score));
  }
  const Json file = {
      {"lab", lab.id}, {"label", lab_heading(lab)}, {"without_number", without_number}, {"scores", std::move(scores)}};
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::size_t count_without_number(const GradedClass& graded) {
  const auto is_left_out = [&graded](const GradedStudent& student) {
    const auto is_graded = [&student](const GradedLab& lab) { return counted_attempt(student, lab.id) != nullptr; };
    return student.student.number.empty() && std::any_of(graded.labs.begin(), graded.labs.end(), is_graded);
  };
  return static_cast<std::size_t>(std::count_if(graded.students.begin(), graded.students.end(), is_left_out));
}

}  // namespace lanewise
