// Dates by the C library, which knows when the clocks change.
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

std::tm local(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  localtime_r(&time, &parts);
  return parts;
}

// So many days on, at this time of day, whatever the clocks did meanwhile.
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
  return fmt::format(
      R"toml(# A competition: lanewise board --competition THIS-FILE --submissions DIR --out board/
# Lines that begin with # say what may be added. Dates need their time zone.
title = {}
opens  = {}     # what is submitted earlier does not race
ends   = {}     # nor what is submitted later
freeze = {}     # from then on, the class sees no newer standings ...
reveal = {}     # ... until here, or until you run: lanewise board --reveal --out board/
entries_a_day = 3                       # in each lab; the first ones of a day count
count = "latest"                        # which of a student's entries races; or "best", by points
final = 6                               # the best ones are raced once more, together

# device = "NVIDIA H200"                # race on no other GPU
# profile = {:24} # or: no GPU, all times are modelled
# clarity = "clarity.csv"               # columns id and points, from 0 to 10, which you award

[[task]]                                # one for each task of the competition
lab = {}
task = {}
{}

# [weights]                             # if left out, only time counts
# time = 80
# correctness = 10                      # an entry may then fail hidden cases, at the cost of their share
# clarity = 10

# [[ghost]]                             # the winner of an earlier competition, beside the reference
# name = "last year"
# file = "last-year.json"               # its standings.json
)toml",
      toml_quoted(title), toml_moment(request.opens), toml_moment(ends), toml_moment(freeze), toml_moment(ends),
      toml_quoted(request.lab->profile), toml_quoted(request.lab->id), toml_quoted(request.task),
      cases.empty() ? "# this task has no race cases: it races only where times are modelled"
                    : fmt::format("# cases = [{}]   # if left out, all race cases", cases));
}

}  // namespace lanewise
