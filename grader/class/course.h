// course.toml: when labs are due, what being late costs, which attempt counts. A pure function makes scores of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

enum class CountedAttempt : std::uint8_t { kBest, kLatest };

struct LatePolicy {
  double grace_minutes = 0;   ///< after the due date within which it is in time; later, days count from the due date
  double percent_a_day = 0;   ///< of the points reached, for each day begun
  double most_percent = 100;  ///< that being late takes
  double last_day = 0;        ///< days after which nothing counts; 0: there is no such day
};

struct LabTerms {
  std::int64_t due = 0;                        ///< seconds since 1970 in UTC; 0: it has no date
  double out_of = 0;                           ///< points the lab is worth in the course; 0: as many as it has
  double extra_credit = 0;                     ///< share of full marks that may be reached beyond them: 0.1 is 10 %
  std::map<std::string, double> extra_points;  ///< by student: given by hand, with no questions asked
};

struct Course {
  std::string title;
  CountedAttempt counted = CountedAttempt::kBest;
  LatePolicy late;
  std::map<std::string, LabTerms> labs;            ///< by id; others have the default terms
  std::map<std::string, std::int64_t> extensions;  ///< seconds more, by "student" or "student/lab"
};

/// The file, all of whose keys may be left out:
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
///     alice = 2                            # at every lab
///     "bob/scan" = 0.5                     # at this one, instead of what "bob" has
///
/// Fails with file, line and what may stand there.
Expected<Course> read_course(const std::filesystem::path& file);

/// What course.toml says of labs and students that are neither in `labs` nor in `students`, by their ids: a sentence
/// each. A misspelt name would be without effect in silence.
std::vector<std::string> names_without_effect(const Course& course, const std::vector<std::string>& labs,
                                              const std::vector<std::string>& students);

/// What an attempt counts for.
struct CourseScore {
  double points = 0;
  double out_of = 0;
  double days_late = 0;     ///< begun; 0: in time
  double lost = 0;          ///< points that being late took
  std::string explanation;  ///< one line, "41 of 75 become 54.7 of 100; 2 days late: -10.9"; empty if nothing changed
};

/// `points` of `max_points` as graded; `submitted` as in HandIn. A hand-in without a time is in time, unless it was
/// marked late: then it counts as one day late. In this order: the points are scaled to `out_of`; being late takes its
/// share of them; extra points are added, of which being late takes none; more than `out_of` and the extra credit that
/// is allowed does not count.
CourseScore course_score(const Course& course, const std::string& student, const std::string& lab, double points,
                         double max_points, std::int64_t submitted, bool is_marked_late);

}  // namespace lanewise
