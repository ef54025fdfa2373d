// submissions.csv: times of submission, for cases where the files' own times are not reliable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/class/csv.h"
#include "harness/lab/failure.h"

namespace lanewise {

struct SubmissionTime {
  int line = 0;
  std::string student;         ///< as written: an id, a login, a name, ...
  std::string which;           ///< a submitted file or folder, or an attempt's number; empty: all of the student's
  std::int64_t submitted = 0;  ///< seconds since 1970 in UTC
};

/// Columns "student", "submitted" (ISO 8601 with offset) and, optionally, "file" or "attempt". `name` is what messages
/// call the file.
Expected<std::vector<SubmissionTime>> submission_times_of(const CsvTable& table, const std::string& name);

/// Whether `which` means the attempt of that number from `came_from`: the whole path or its last part, with or without
/// its ending, or the number. Case is ignored.
bool is_meant(const std::string& which, const std::string& came_from, int number);

}  // namespace lanewise
