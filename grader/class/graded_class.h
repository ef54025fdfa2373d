// A whole class as graded: what the exports and the overview read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/class/course.h"
#include "grader/class/hand_ins.h"
#include "grader/class/student.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// One attempt by one student at one lab.
struct GradedAttempt {
  std::string lab;
  std::filesystem::path source;    ///< our copy of the .cu that was graded
  std::filesystem::path pictures;  ///< folder of the verdict's pictures; need not exist
  std::string came_from;           ///< as in HandIn
  std::int64_t submitted = 0;      ///< as in HandIn
  std::optional<Verdict> verdict;
  std::string trouble;  ///< a sentence: why there is no verdict
  CourseScore score;    ///< meaningless without a verdict
  bool is_counted = false;
  bool was_known = false;  ///< graded in an earlier run, from the store
};

struct GradedStudent {
  Student student;
  std::vector<GradedAttempt> attempts;  ///< by lab, then by time; the counted one of a lab last. May be empty
};

struct GradedLab {
  std::string id;
  std::string title;
  double max_points = 0;  ///< points that can be scored in this run
  std::string terms{};    ///< StoredKey::terms of its verdicts; empty if there is nothing to grade
};

struct GradedClass {
  std::string title;  ///< of the course; may be empty
  std::vector<GradedLab> labs;
  std::vector<GradedStudent> students;  ///< by id
  std::vector<SetAside> set_aside;
  std::uint64_t seed = 0;
  std::string cases;    ///< "check" or "grade"
  std::string backend;  ///< as shown to people: "virtual GPU (NVIDIA H200 profile)"
};

}  // namespace lanewise
