// Parts side by side; differences are explained as in `lanewise regrade`.
#include "grader/bundle/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/exports/csv.h"
#include "grader/marks/merge_marks.h"
#include "grader/regrade/change_tables.h"
#include "harness/report/safe_text.h"
#include "harness/runner/verdict/score.h"

namespace lanewise {
namespace {

constexpr double kHalfAPercent = 1.005;
constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kShownDigits = 12;

std::string of_text(double points, double max_points) {
  return fmt::format("{}/{}", csv_number(points).text, csv_number(max_points).text);
}

std::string part_text(const PartScore* part) {
  if (part == nullptr) return "none";
  return part->scored ? of_text(part->points, part->max_points) : "not scored";
}

bool is_equal(double a, double b) { return !is_moved(a - b); }

bool is_equal(const PartScore* was, const PartScore* is) {
  if (was == nullptr || is == nullptr) return was == is;
  if (was->scored != is->scored) return false;
  return !was->scored || (is_equal(was->points, is->points) && is_equal(was->max_points, is->max_points));
}

const PartScore* find_part(const TaskVerdict& task, const std::string& name) {
  const auto found =
      std::find_if(task.parts.begin(), task.parts.end(), [&](const PartScore& part) { return part.name == name; });
  return found == task.parts.end() ? nullptr : &*found;
}

const TaskVerdict* find_task(const Verdict& verdict, const std::string& name) {
  const auto found = std::find_if(verdict.tasks.begin(), verdict.tasks.end(),
                                  [&](const TaskVerdict& task) { return task.task == name; });
  return found == verdict.tasks.end() ? nullptr : &*found;
}

bool is_measured(const SpeedVerdict& speed) { return speed.is_known && !speed.is_modelled; }

// The board's rule: times whose intervals are less than half a percent apart count as equal.
bool is_noise(const SpeedVerdict& was, const SpeedVerdict& is) {
  return is_measured(was) && is_measured(is) && was.review.empty() && is.review.empty() &&
         was.ratio.low <= is.ratio.high * kHalfAPercent && is.ratio.low <= was.ratio.high * kHalfAPercent;
}

class Comparing {
 public:
  Comparing(const Manifest& manifest, Verdict again) : manifest_(manifest), again_(std::move(again)) {}

  Comparison run();

 private:
  void compare_task(const TaskVerdict& was, TaskVerdict& is);
  void add(std::string what, std::string was, std::string is, bool is_same, std::string note = "");
  void compare_totals();

  const Manifest& manifest_;
  Verdict again_;
  Comparison comparison_;
};

void Comparing::add(std::string what, std::string was, std::string is, bool is_same, std::string note) {
  comparison_.lines.push_back({std::move(what), std::move(was), std::move(is),
                               is_same ? Agreement::kSame : Agreement::kDiffers, std::move(note)});
}

void Comparing::compare_task(const TaskVerdict& was, TaskVerdict& is) {
  std::vector<std::string> names;
  for (const TaskVerdict* task : std::array<const TaskVerdict*, 2>{&was, &is})
    for (const PartScore& part : task->parts)
      if (std::find(names.begin(), names.end(), part.name) == names.end()) names.push_back(part.name);
  for (const std::string& name : names) {
    const PartScore* const before = find_part(was, name);
    const PartScore* const now = find_part(is, name);
    add(fmt::format("{} · {}", was.task, name), part_text(before), part_text(now), is_equal(before, now));
    if (name != "fast" || before == nullptr || now == nullptr || !is_measured(is.speed)) continue;
    ComparedLine& line = comparison_.lines.back();
    line.note = "measured: no two runs take exactly the same time";
    if (line.agreement == Agreement::kSame || !is_noise(was.speed, is.speed)) continue;
    line.agreement = Agreement::kNoise;
    line.note = "measured: the two times cannot be told apart";
    std::replace_if(
        is.parts.begin(), is.parts.end(), [&](const PartScore& part) { return part.name == name; }, *before);
    sum_parts(is);
    sum_tasks(again_);
  }
}

void Comparing::compare_totals() {
  const Verdict& was = manifest_.verdict;
  add("total", of_text(was.points, was.max_points), of_text(again_.points, again_.max_points),
      is_equal(was.points, again_.points) && is_equal(was.max_points, again_.max_points));
  const BundledAttempt& attempt = attempt_that_counts(manifest_);
  const CourseScore score = course_score(manifest_.course, manifest_.student, manifest_.lab, again_.points,
                                         again_.max_points, attempt.submitted, manifest_.is_marked_late);
  const bool is_same = is_equal(attempt.points, score.points) && is_equal(attempt.out_of, score.out_of);
  add("grade", of_text(attempt.points, attempt.out_of), of_text(score.points, score.out_of), is_same,
      score.explanation);
}

Comparison Comparing::run() {
  merge_marks(marks_by_answer(manifest_.marks), manifest_.student, again_);
  for (const TaskVerdict& was : manifest_.verdict.tasks) {
    const auto is = std::find_if(again_.tasks.begin(), again_.tasks.end(),
                                 [&](const TaskVerdict& task) { return task.task == was.task; });
    if (is == again_.tasks.end())
      add(was.task, of_text(was.points, was.max_points), "none", false);
    else
      compare_task(was, *is);
  }
  for (const TaskVerdict& is : again_.tasks)
    if (find_task(manifest_.verdict, is.task) == nullptr)
      add(is.task, "none", of_text(is.points, is.max_points), false);
  compare_totals();
  comparison_.changes = verdict_changes(manifest_.verdict, again_);
  comparison_.is_same = comparison_.changes.empty() &&
                        std::all_of(comparison_.lines.begin(), comparison_.lines.end(),
                                    [](const ComparedLine& line) { return line.agreement != Agreement::kDiffers; });
  return std::move(comparison_);
}

const char* mark_of(Agreement agreement) {
  if (agreement == Agreement::kSame) return "✓";
  return agreement == Agreement::kNoise ? "≈" : "✗";
}

std::string shown(const std::string& value) {
  const bool is_hash = value.size() == kHashDigits && value.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hash ? value.substr(0, kShownDigits) : value;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  return text + std::string(columns < width ? width - columns : 0, ' ');
}

}  // namespace

Comparison compare_grades(const Manifest& manifest, Verdict again) {
  return Comparing(manifest, std::move(again)).run();
}

std::vector<Difference> differences(const std::map<std::string, std::string>& was,
                                    const std::map<std::string, std::string>& is) {
  std::vector<Difference> all;
  for (const auto& [what, value] : was) {
    const auto now = is.find(what);
    if (now == is.end() || now->second != value) all.push_back({what, value, now == is.end() ? "none" : now->second});
  }
  for (const auto& [what, value] : is)
    if (was.count(what) == 0) all.push_back({what, "none", value});
  return all;
}

std::map<std::string, std::string> all_versions(std::map<std::string, std::string> programs, const Verdict& verdict) {
  const Environment& where = verdict.environment;
  for (const auto& [what, value] : {std::pair("device", where.device), std::pair("driver", where.driver_version),
                                    std::pair("CUDA runtime, version", where.runtime_version)})
    if (!value.empty()) programs[what] = value;
  return programs;
}

std::string comparison_text(const Comparison& comparison, const TextStyle& style) {
  std::size_t what = 0;
  std::size_t was = 3;
  std::size_t is = 2;
  for (const ComparedLine& line : comparison.lines) {
    what = std::max(what, columns_of(safe_line(line.what)));
    was = std::max(was, line.was.size());
    is = std::max(is, line.is.size());
  }
  std::string text = fmt::format("    {}  {}  is\n", std::string(what, ' '), padded("was", was));
  for (const ComparedLine& line : comparison.lines) {
    std::string row = fmt::format("  {} {}  {}  {}", mark_of(line.agreement), padded(safe_line(line.what), what),
                                  padded(line.was, was), padded(line.is, is));
    if (!line.note.empty()) row += "  " + safe_line(line.note);
    row.erase(row.find_last_not_of(' ') + 1);
    text += (style.utf8 ? row : ascii_text(row)) + "\n";
  }
  return text + reasons_text(comparison.changes, style);
}

std::string differences_text(const std::vector<Difference>& all, const TextStyle& style) {
  std::size_t what = 0;
  for (const Difference& each : all) what = std::max(what, columns_of(safe_line(each.what)));
  std::string text;
  for (const Difference& each : all) {
    const std::string row = safe_line(
        fmt::format("  {}  was {}, is {}", padded(safe_line(each.what), what), shown(each.was), shown(each.is)));
    text += (style.utf8 ? row : ascii_text(row)) + "\n";
  }
  return text;
}

}  // namespace lanewise
