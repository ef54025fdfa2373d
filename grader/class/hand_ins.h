// What a class handed in, however it comes: a folder a student, loose files, archives, what Canvas or Moodle download.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/class/student.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// One attempt of one student, of as many labs as it has files for.
struct HandIn {
  std::string student;  ///< Student::id
  /// A copy: regular files only, with safe names, none beyond its limit. Only *.cu and answers.toml are in it, in the
  /// folders in which they lay. Their times of last change are when each was handed in, 0 if nothing tells.
  std::filesystem::path folder;
  std::int64_t submitted = 0;   ///< the newest of these times: seconds since 1970 in UTC; 0: nothing tells
  bool is_marked_late = false;  ///< by the platform that it was downloaded from
  std::string came_from;        ///< where it lay in what was handed in, as found: any bytes but 0
};

/// What was not taken, and why. Nothing is left out in silence.
struct SetAside {
  std::string what;  ///< as found: any bytes but 0
  std::string why;   ///< a sentence
};

struct HandIns {
  std::vector<Student> students;  ///< the roster's, then those who are not in it; by id
  std::vector<HandIn> hand_ins;   ///< by student, then by time, then by where they came from
  std::vector<SetAside> set_aside;
};

/// What one attempt may hold. More is set aside, with a sentence that says which limit and how much there was.
struct HandInLimits {
  std::uint64_t file_bytes = 1 << 20;       ///< as kLargestSource
  std::uint64_t unpacked_bytes = 16 << 20;  ///< of an archive, also of what its headers do not admit to
  std::uint64_t files = 200;                ///< of one attempt
  std::uint64_t entries = 100'000;          ///< that are looked at in all
  std::uint64_t entries_each = 20'000;      ///< in one archive, or in one of several folders side by side
  std::uint64_t attempts = 100;             ///< of one student
};

struct CollectOptions {
  std::filesystem::path input;             ///< a folder, or one archive of it
  std::filesystem::path roster;            ///< CSV; empty: none
  std::filesystem::path into;              ///< a folder of ours, made if it is not there; the copies lie in it
  std::vector<std::string> known_sources;  ///< names of the files that labs ask for: "scan.cu"
  HandInLimits limits;
  std::function<void(const std::string&)> progress;  ///< "unpacking 40 of 120"; may be empty
};

/// Fails if the input, the roster or submissions.csv cannot be read at all, or nothing can be written. Follows no
/// symbolic link, opens no pipe or device, and writes nowhere but below `into`, where an earlier run's copies are
/// replaced.
///
/// When something was handed in is, the best first, what submissions.csv beside it says (submission_times.h); nothing,
/// if its name is one of Canvas's, which marks what is late; else the time of the file, of a student's archive that of
/// the archive: what an archive says of its inside is up to whoever packed it. Times that contradict the numbers of a
/// student's attempts tell nothing. Files of macOS's and Windows' file managers are left out without a word.
Expected<HandIns> collect_hand_ins(const CollectOptions& options);

}  // namespace lanewise
