// course.toml: when labs are due, what lateness costs, which attempt counts. A pure function computes scores from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

class TomlTable;

enum class CountedAttempt : std::uint8_t { kBest, kLatest };

struct LatePolicy {
  double grace_minutes = 0;   ///< after the due date that still count as on time; later, days count from the due date
  double percent_a_day = 0;   ///< of the points earned, for each day or part of a day
  double most_percent = 100;  ///< that lateness can cost
  double last_day = 0;        ///< days after which nothing counts; 0: no limit
};

struct LabTerms {
  std::int64_t due = 0;                        ///< seconds since 1970 in UTC; 0: no due date
  double out_of = 0;                           ///< points the lab is worth in the course; 0: its own
  double extra_credit = 0;                     ///< fraction by which a score may exceed full marks: 0.1 is 10 %
  std::map<std::string, double> extra_points;  ///< by student: awarded by hand
};

/// What a class server allows and shows.
struct ServerTerms {
  int entries_a_day = 20;               ///< per student and lab, in any 24 hours
  std::size_t largest_upload = 262144;  ///< bytes of a submission: source and answers together
  bool shows_verdict = true;            ///< points, cases, findings; otherwise only that the submission was graded
  bool shows_hidden_cases = false;      ///< details of the cases in secret.toml
  bool shows_board = true;
};

struct Course {
  std::string title;
  CountedAttempt counted = CountedAttempt::kBest;
  LatePolicy late;
  std::map<std::string, LabTerms> labs;            ///< by id; others have the default terms
  std::map<std::string, std::int64_t> extensions;  ///< extra seconds, by "student" or "student/lab"
  ServerTerms server;
};

/// The file, in which all keys are optional:
///
///     title = "GPU programming"
///     count = "best"                       # or "latest"
///     [late]
///     grace_minutes = 15
///     percent_a_day = 10
///     most_percent = 50
///     last_day = 7
///     [lab.scan]
///     due = 2026-11-22T23:59:00+01:00      # with its offset
///     out_of = 100
///     extra_credit = 0.1
///     extra_points = { alice = 5 }
///     [extension_days]
///     alice = 2                            # for every lab
///     "bob/scan" = 0.5                     # for this one, in place of bob's general extension
///     [server]
///     entries_a_day = 20                   # per student and lab
///     largest_upload_kb = 256
///     shows = ["verdict", "board"]         # and "hidden cases"
///
/// The failure names file, line and what is allowed there.
Expected<Course> read_course(const std::filesystem::path& file);

/// A date with its time and offset, as `due` above: seconds since 1970 in UTC. Throws TomlMistake.
std::int64_t read_moment(const TomlTable& table, const char* key);

/// A sentence for each id in course.toml that is neither in `labs` nor in `students`: a misspelt name would silently
/// have no effect.
std::vector<std::string> names_without_effect(const Course& course, const std::vector<std::string>& labs,
                                              const std::vector<std::string>& students);

/// An attempt's score in the course.
struct CourseScore {
  double points = 0;  ///< to the hundredth, as all pages show them and all files hold them
  double out_of = 0;
  double days_late = 0;     ///< including part of a day; 0: on time
  double lost = 0;          ///< points lost to lateness
  std::string explanation;  ///< one line, "41 of 75 become 54.67 of 100; 2 days late: -10.93"; empty if nothing changed
};

/// `points` of `max_points` as graded; `submitted` as in HandIn. A submission without a time is on time, unless it was
/// marked late: then it counts as submitted one day after the due date, so that it is one day late, or on time for a
/// student whose extension covers that day. In this order: the points are scaled to `out_of`; the late penalty is
/// subtracted; extra points are added, which lateness does not reduce; the result is limited to `out_of` plus the extra
/// credit that is allowed.
CourseScore course_score(const Course& course, const std::string& student, const std::string& lab, double points,
                         double max_points, std::int64_t submitted, bool is_marked_late);

}  // namespace lanewise
