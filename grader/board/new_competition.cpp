// The C library computes the dates, because it knows when the clocks change.
#include "grader/board/new_competition.h"

#include <fmt/chrono.h>

#include <ctime>

#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

constexpr int kDays = 20;  // from the first Monday to the third Sunday
constexpr int kFrozenDays = 3;
constexpr int kHourOfOpening = 8;
constexpr int kDaysInAWeek = 7;
constexpr int kCommentColumn = 36;

std::tm local(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  localtime_r(&time, &parts);
  return parts;
}

// The given number of days later, at this time of day, even if the clocks change in between.
std::int64_t days_on(std::int64_t from, int days, int hour, int minute) {
  std::tm parts = local(from);
  parts.tm_mday += days;
  parts.tm_hour = hour;
  parts.tm_min = minute;
  parts.tm_sec = 0;
  parts.tm_isdst = -1;
  return std::mktime(&parts);
}

// "2026-11-30T08:00:00+01:00"
std::string toml_moment(std::int64_t seconds) {
  const std::tm parts = local(seconds);
  const long offset = parts.tm_gmtoff / 60;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}{}{:02}:{:02}", parts, offset < 0 ? '-' : '+', std::abs(offset) / 60,
                     std::abs(offset) % 60);
}

}  // namespace

std::int64_t next_monday(std::int64_t now) {
  const int monday = 1;
  const int days = (kDaysInAWeek + monday - local(now).tm_wday - 1) % kDaysInAWeek + 1;
  return days_on(now, days, kHourOfOpening, 0);
}

std::string new_competition(const NewCompetition& request) {
  const std::int64_t ends = days_on(request.opens, kDays, 23, 59);
  const std::int64_t freeze = days_on(ends, -kFrozenDays, 23, 59);
  std::string cases;
  for (const TaskFile& task : request.lab->tasks)
    for (const CaseFile& each : task.cases)
      if (task.name == request.task && each.group == "race")
        cases += (cases.empty() ? "" : ", ") + toml_quoted(each.name);
  const std::string title = request.title.empty()
                                ? fmt::format("{}, {}", request.lab->title, 1900 + local(request.opens).tm_year)
                                : request.title;
  std::string text = "# Lines that begin with # show what else is possible. Every date needs its time zone.\n";
  const auto add = [&text](const std::string& line, const char* comment) {
    text += *comment == '\0' ? line + "\n" : fmt::format("{:<{}} # {}\n", line, kCommentColumn, comment);
  };
  add("title = " + toml_quoted(title), "");
  add("opens = " + toml_moment(request.opens), "earlier submissions do not race,");
  add("ends = " + toml_moment(ends), "nor do later ones");
  add("freeze = " + toml_moment(freeze), "from then on, the class sees no newer standings");
  add("reveal = " + toml_moment(ends), "until then, or until: lanewise board --reveal");
  add("entries_a_day = 3", "per student and lab; the first ones of a day count");
  add("count = \"latest\"", "which of a student's entries races; or \"best\", by points");
  add("final = 6", "on a GPU, the best six race once more, together");
  add("# device = \"NVIDIA H200\"", "race on this GPU only; or, with or without a GPU:");
  add("# profile = " + toml_quoted(request.lab->profile), "all times are modelled");
  add("# clarity = \"clarity.csv\"", "columns id and points, from 0 to 10; needed if clarity has a weight");
  text += "\n";
  add("[[task]]", "one for each task of the competition");
  add("lab = " + toml_quoted(request.lab->id), "");
  add("task = " + toml_quoted(request.task), "");
  if (!cases.empty()) add("# cases = [" + cases + "]", "on a GPU; if left out, all race cases");
  text += "\n";
  add("# [weights]", "if left out, only time counts");
  add("# time = 80", "");
  add("# correctness = 10", "an entry may then fail hidden cases, at the cost of their share");
  add("# clarity = 10", "points that you award, in the file 'clarity'");
  text += "\n";
  add("# [[ghost]]", "the winner of an earlier competition, as a reference mark");
  add("# name = \"last year\"", "");
  add("# file = \"last-year.json\"", "the standings.json of its board");
  return text;
}

}  // namespace lanewise
