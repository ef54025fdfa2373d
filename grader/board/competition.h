// competition.toml: what a class competes in, and what determines the standings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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

struct Competition {
  std::string title;
  CountedAttempt counted = CountedAttempt::kLatest;
  std::int64_t ends = 0;  ///< seconds since 1970 in UTC; what is submitted later does not race; 0: no end
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
///     ends = 2026-12-18T23:59:00+01:00   # with its offset; what is submitted later does not race
///     clarity = "clarity.csv"       # beside this file, with columns id and points (0 to 10)
///     [weights]                     # if left out, only time counts
///     time = 80
///     correctness = 10
///     clarity = 10
///     [[task]]
///     lab = "scan"
///     task = "inclusive_scan"       # may be left out if the lab has one
///     cases = ["race"]              # of the group race; if left out, all of them
///
/// The failure names file, line and what is allowed there.
Expected<Competition> read_competition(const std::filesystem::path& file, const std::vector<LabSelection>& labs);

}  // namespace lanewise
