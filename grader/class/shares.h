// Ownership: the top level of the submissions, assigned to students. By names only; nothing is opened.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grader/class/entries.h"
#include "grader/class/student.h"

namespace lanewise {

/// One file or folder of a share.
struct Part {
  std::size_t entry = 0;  ///< index into Listing::entries
  std::string inside;     ///< its path in the share; for loose files, the name without the student's part
};

/// Files that belong together: one student's folder, or the loose files that may be one attempt.
struct Share {
  std::size_t student = 0;  ///< index into Shares::students
  std::string came_from;    ///< as found
  std::vector<Part> parts;  ///< by path; folders too
  bool is_marked_late = false;
  bool has_times = true;  ///< false: the platform set the files' times on download
  int attempt = 0;        ///< as numbered by the student; 0: not numbered
  bool is_loose = false;  ///< files outside folders
};

struct Shares {
  std::vector<Student> students;  ///< the roster's in its order, then others as they occur
  std::vector<Share> shares;
  std::vector<SetAside> set_aside;
  std::string submission_times;  ///< path of a submissions.csv beside them; empty: none
};

/// `known_sources`: names of the labs' files ("scan.cu"). A single folder around everything is entered, and so are
/// folders named like a lab ("scan") that belong to no student. A file outside folders belongs to the student named at
/// the start of its name: somebody in the roster, else everything before a lab's name, else everything before the first
/// '_'.
Shares share_out(const std::vector<Entry>& entries, const std::vector<Student>& roster,
                 const std::vector<std::string>& known_sources);

}  // namespace lanewise
