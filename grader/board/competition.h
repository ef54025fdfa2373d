// competition.toml: what a class competes in, and what determines the standings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/board/standings.h"
#include "grader/class/course.h"
#include "harness/runner/find.h"

namespace lanewise {

/// A task of the competition.
struct CompetitionTask {
  std::string lab;
  std::string task;
  std::vector<std::string> race_cases;  ///< for a GPU; empty if the lab has none
  std::string modelled_case;            ///< for the virtual GPU; empty: the lab's times cannot be modelled
};

/// An earlier competition whose winner is shown as a reference mark.
struct GhostFile {
  std::string name;            ///< as shown: "last year"
  std::filesystem::path file;  ///< its standings.json
};

/// Moments are seconds since 1970 in UTC.
struct Competition {
  std::string title;
  CountedAttempt counted = CountedAttempt::kLatest;
  std::int64_t opens = 0;        ///< earlier submissions do not race; 0: it has always been open
  std::int64_t ends = 0;         ///< later submissions do not race; 0: no end
  int entries_a_day = 0;         ///< per student and lab: the first ones of a day count; 0: no limit
  std::int64_t day_begins = 0;   ///< seconds from midnight in UTC to midnight where the competition takes place
  std::int64_t freeze = 0;       ///< from then on, the class sees no newer standings; 0: no freeze
  std::int64_t reveal = 0;       ///< the end of the freeze; 0: by hand
  std::string device;            ///< the GPU to race on; empty: any
  std::string profile;           ///< times are modelled on this profile; empty: only if there is no GPU
  std::optional<int> finalists;  ///< how many of the best race again, together; by default, as many as a group holds
  std::vector<GhostFile> ghosts;
  Weights weights;
  std::vector<CompetitionTask> tasks;     ///< at least one, each once
  std::map<std::string, double> clarity;  ///< shares, 0 to 1, by Student::id
};

/// Points for clarity are given from 0 to this.
inline constexpr double kMostClarity = 10;

/// The file:
///
///     title = "Prefix sum, autumn"
///     count = "latest"              # which attempt of a student; or "best", by points
///     opens = 2026-11-30T08:00:00+01:00  # with its offset; earlier submissions do not race
///     ends = 2026-12-20T23:59:00+01:00   # later submissions do not race
///     entries_a_day = 3             # the first of a day count; days have the offset of `ends`, or of `opens`
///     freeze = 2026-12-17T23:59:00+01:00 # from then on, the class sees no newer standings
///     reveal = 2026-12-21T10:00:00+01:00 # if left out, `ends`; without either, by hand
///     device = "NVIDIA H200"        # race on this GPU only; or profile = "h200": times are modelled in any case
///     final = 6                     # the best ones, raced again together
///     clarity = "clarity.csv"       # beside this file, with columns id and points (0 to 10)
///     [weights]                     # if left out, only time counts
///     time = 80
///     correctness = 10
///     clarity = 10
///     [[task]]
///     lab = "scan"
///     task = "inclusive_scan"       # may be left out if the lab has one
///     cases = ["race"]              # of the group race; if left out, all of them
///     [[ghost]]                     # the winner of an earlier competition, as a reference mark
///     name = "last year"
///     file = "last-year.json"       # its standings.json, beside this file
///
/// The failure names file, line and what is allowed there.
Expected<Competition> read_competition(const std::filesystem::path& file, const std::vector<LabSelection>& labs);

}  // namespace lanewise
