// Reads course.toml.
#include "grader/class/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/class/moment.h"
#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

constexpr double kSecondsADay = 86'400;
constexpr double kLongestExtension = 3650;  // days; anything more is a mistaken unit

double number_between(const TomlTable& table, const char* key, double otherwise, double least, double most) {
  const double value = table.number_or(key, otherwise);
  if (!(value >= least && value <= most))
    table.fail(key, fmt::format("the key '{}' must be a number from {:g} to {:g}", key, least, most));
  return value;
}

LatePolicy read_late_policy(const TomlTable& table) {
  table.allow_only({"grace_minutes", "percent_a_day", "most_percent", "last_day"});
  LatePolicy late;
  late.grace_minutes = number_between(table, "grace_minutes", late.grace_minutes, 0, 10'000);
  late.percent_a_day = number_between(table, "percent_a_day", late.percent_a_day, 0, 100);
  late.most_percent = number_between(table, "most_percent", late.most_percent, 0, 100);
  late.last_day = number_between(table, "last_day", late.last_day, 0, 3650);
  return late;
}

LabTerms read_lab_terms(const TomlTable& table) {
  table.allow_only({"due", "out_of", "extra_credit", "extra_points"});
  LabTerms terms;
  if (table.has("due")) terms.due = read_moment(table, "due");
  terms.out_of = number_between(table, "out_of", 0, 0, 1e6);
  terms.extra_credit = number_between(table, "extra_credit", 0, 0, 10);
  if (table.has("extra_points")) {
    const TomlTable points = table.table("extra_points");
    for (const auto& [key, node] : points.raw()) {
      const std::string student(key.str());
      terms.extra_points[student] = number_between(points, student.c_str(), 0, 0, 1e6);
    }
  }
  return terms;
}

ServerTerms read_server_terms(const TomlTable& table) {
  table.allow_only({"entries_a_day", "largest_upload_kb", "shows"});
  ServerTerms terms;
  terms.entries_a_day = static_cast<int>(number_between(table, "entries_a_day", terms.entries_a_day, 1, 10'000));
  terms.largest_upload = static_cast<std::size_t>(1024 * number_between(table, "largest_upload_kb", 256, 1, 16'384));
  if (!table.has("shows")) return terms;
  terms.shows_verdict = terms.shows_board = false;
  const std::pair<const char*, bool*> known[] = {
      {"verdict", &terms.shows_verdict}, {"hidden cases", &terms.shows_hidden_cases}, {"board", &terms.shows_board}};
  for (const std::string& name : table.texts_or_none("shows")) {
    const auto found =
        std::find_if(std::begin(known), std::end(known), [&](const auto& each) { return name == each.first; });
    if (found == std::end(known))
      table.fail("shows",
                 fmt::format("'{}' cannot be shown; the key 'shows' is a list of \"verdict\", \"hidden cases\" "
                             "and \"board\"",
                             name));
    *found->second = true;
  }
  return terms;
}

Course course_of(const TomlTable& root) {
  root.allow_only({"title", "count", "late", "lab", "extension_days", "server", "slurm"});  // slurm: grader/executors
  Course course;
  course.title = root.text_or("title", "");
  const std::string counted = root.text_or("count", "best");
  if (counted == "latest")
    course.counted = CountedAttempt::kLatest;
  else if (counted != "best")
    root.fail("count", fmt::format("'{}' cannot be counted; the key 'count' must be \"best\" or \"latest\"", counted));
  if (root.has("late")) course.late = read_late_policy(root.table("late"));
  if (root.has("server")) course.server = read_server_terms(root.table("server"));
  if (root.has("lab")) {
    const TomlTable labs = root.table("lab");
    for (const auto& [key, node] : labs.raw()) {
      const std::string lab(key.str());
      course.labs[lab] = read_lab_terms(labs.table(lab.c_str()));
    }
  }
  if (root.has("extension_days")) {
    const TomlTable days = root.table("extension_days");
    for (const auto& [key, node] : days.raw()) {
      const std::string whose(key.str());
      course.extensions[whose] =
          std::llround(kSecondsADay * number_between(days, whose.c_str(), 0, 0, kLongestExtension));
    }
  }
  return course;
}

}  // namespace

std::int64_t read_moment(const TomlTable& table, const char* key) {
  const auto value = table.raw().get(key)->value_exact<toml::date_time>();
  if (!value) {
    table.fail(key, fmt::format("the key '{}' must be a date with its time and offset, without quotes, such as "
                                "2026-11-22T23:59:00+01:00",
                                key));
  }
  const toml::date& date = value->date;
  const toml::time& time = value->time;
  if (date.year < 1) table.fail(key, fmt::format("the key '{}' has the year 0, which no calendar has", key));
  if (!value->offset) {
    const std::string written = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day,
                                            time.hour, time.minute, time.second);
    table.fail(key, fmt::format("the key '{}' has no time zone; write {}+01:00 (one hour ahead of UTC) or {}Z (UTC)",
                                key, written, written));
  }
  return days_since_1970(date.year, date.month, date.day) * 86'400 + 3600 * time.hour + 60 * time.minute + time.second -
         60 * value->offset->minutes;
}

Expected<Course> read_course(const std::filesystem::path& file) {
  try {
    const toml::table parsed = parse_toml_file(file);
    return course_of(TomlTable(parsed, file.string()));
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

std::vector<std::string> names_without_effect(const Course& course, const std::vector<std::string>& labs,
                                              const std::vector<std::string>& students) {
  std::vector<std::string> sentences;
  const auto require = [&](const std::vector<std::string>& known, const std::string& name, const char* what,
                           const char* key) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    sentences.push_back(fmt::format("{} names '{}', which is not a known {}; it has no effect", key, name, what));
  };
  for (const auto& [lab, terms] : course.labs) {
    require(labs, lab, "lab", "[lab]");
    for (const auto& [student, points] : terms.extra_points) require(students, student, "student", "extra_points");
  }
  for (const auto& [whose, seconds] : course.extensions) {
    const std::size_t slash = whose.find('/');
    require(students, whose.substr(0, slash), "student", "[extension_days]");
    if (slash != std::string::npos) require(labs, whose.substr(slash + 1), "lab", "[extension_days]");
  }
  return sentences;
}

}  // namespace lanewise
