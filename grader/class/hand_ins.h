// A class's submissions in any form: one folder per student, loose files, archives, downloads from Canvas or Moodle.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/class/student.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// One attempt by one student, at all labs that it has files for.
struct HandIn {
  std::string student;  ///< Student::id
  /// A copy: only regular files, with safe names, within the limits. It contains only *.cu and answers.toml, in their
  /// original folders. Their modification times are when each was submitted, 0 if unknown.
  std::filesystem::path folder;
  std::int64_t submitted = 0;   ///< the newest of these times: seconds since 1970 in UTC; 0: unknown
  bool is_marked_late = false;  ///< by the platform that it was downloaded from
  std::string came_from;        ///< its path among the submissions, as found: any bytes but 0
};

/// What was not accepted, and why. Nothing is left out silently.
struct SetAside {
  std::string what;  ///< as found: any bytes but 0
  std::string why;   ///< a sentence
};

struct HandIns {
  std::vector<Student> students;  ///< the roster's, then those who are not in it; by id
  std::vector<HandIn> hand_ins;   ///< by student, then by time, then by origin
  std::vector<SetAside> set_aside;
};

/// Limits on one attempt. Anything beyond is set aside, with a sentence that names the limit and the actual amount.
struct HandInLimits {
  std::uint64_t file_bytes = 1 << 20;       ///< as kLargestSource
  std::uint64_t unpacked_bytes = 16 << 20;  ///< of an archive, whatever its headers claim
  std::uint64_t files = 200;                ///< of one attempt
  std::uint64_t entries = 100'000;          ///< that are read in total
  std::uint64_t entries_each = 20'000;      ///< in one archive, or in one of several folders side by side
  std::uint64_t attempts = 100;             ///< of one student
};

struct CollectOptions {
  std::filesystem::path input;             ///< a folder, or one archive of it
  std::filesystem::path roster;            ///< CSV; empty: none
  std::filesystem::path into;              ///< our own folder for the copies, created if missing
  std::vector<std::string> known_sources;  ///< names of the files that labs ask for: "scan.cu"
  HandInLimits limits;
  std::function<void(const std::string&)> progress;  ///< "unpacking 40 of 120"; may be empty
};

/// Fails if the input, the roster or submissions.csv cannot be read at all, or nothing can be written. Follows no
/// symbolic link, opens no pipe or device, and writes only below `into`, where an earlier run's copies are replaced.
///
/// The time of a submission is, in order of preference: what submissions.csv beside it says (submission_times.h);
/// unknown, if its name is from Canvas, which marks late work; otherwise the file's time, or that of a student's
/// archive, since times inside an archive are up to whoever packed it. Times that contradict the numbers of a student's
/// attempts are ignored. Files of the macOS and Windows file managers are left out silently.
Expected<HandIns> collect_hand_ins(const CollectOptions& options);

}  // namespace lanewise
