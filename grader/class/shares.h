// Whose is what: the top of what was handed in, shared out among students. Names only; nothing is opened.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "grader/class/entries.h"
#include "grader/class/student.h"

namespace lanewise {

/// One file or folder of a share.
struct Part {
  std::size_t entry = 0;  ///< place in Listing::entries
  std::string inside;     ///< its path in the share; of loose files the name without whom it is by
};

/// What belongs together: one student's folder, or the loose files that may be one attempt.
struct Share {
  std::size_t student = 0;  ///< place in Shares::students
  std::string came_from;    ///< as found
  std::vector<Part> parts;  ///< by path; folders too
  bool is_marked_late = false;
  bool has_times = true;  ///< false: the platform set the files' times when it was downloaded from
  int attempt = 0;        ///< as numbered by whoever handed in; 0: not numbered
  bool is_loose = false;  ///< files that lay outside of folders
};

struct Shares {
  std::vector<Student> students;  ///< the roster's in its order, then others as they were met
  std::vector<Share> shares;
  std::vector<SetAside> set_aside;
  std::string submission_times;  ///< path of a submissions.csv that lies beside; empty: there is none
};

/// `known_sources`: names of the labs' files ("scan.cu"). A lone folder around everything is looked through, and so are
/// folders named like a lab ("scan") that are no student's. Outside of folders a file is its student's by what its name
/// begins with: by somebody in the roster, else by all before the name of a lab, else by all before the first '_'.
Shares share_out(const std::vector<Entry>& entries, const std::vector<Student>& roster,
                 const std::vector<std::string>& known_sources);

}  // namespace lanewise
