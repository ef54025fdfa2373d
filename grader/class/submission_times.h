// submissions.csv: when things were handed in, from whoever knows better than the files do.
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
  std::string which;           ///< a file or folder as it was handed in, an attempt's number; empty: all of the student
  std::int64_t submitted = 0;  ///< seconds since 1970 in UTC
};

/// Columns "student", "submitted" (ISO 8601 with its offset) and, if wanted, "file" or "attempt". `name` is what the
/// sentence of a failure calls the file.
Expected<std::vector<SubmissionTime>> submission_times_of(const CsvTable& table, const std::string& name);

/// Whether `which` means what came from `came_from` as the attempt of that number: the whole path or its last part,
/// with or without its ending, or the number. Upper and lower case are the same.
bool is_meant(const std::string& which, const std::string& came_from, int number);

}  // namespace lanewise
