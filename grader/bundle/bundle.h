// One grade with everything needed to reproduce it, as plain data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "grader/class/course.h"
#include "grader/store/store.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// An attempt by the student at the lab, and its score.
struct BundledAttempt {
  std::string came_from;       ///< as in HandIn, with replacement characters for bytes that are not UTF-8
  std::int64_t submitted = 0;  ///< as in HandIn
  double points = 0;
  double out_of = 0;
  std::string explanation;  ///< as in CourseScore
  bool is_counted = false;
};

/// Everything but the files themselves.
struct Manifest {
  std::string student;  ///< Student::id
  std::string name;     ///< for people; may be empty
  std::string lab;
  std::string content;                   ///< as in RecordedAttempt
  bool is_marked_late = false;           ///< the attempt that counts, as in HandIn
  std::vector<BundledAttempt> attempts;  ///< one of them counts
  Course course;                         ///< the part about this student and lab
  std::vector<std::string> tasks;        ///< that were graded
  std::string cases;                     ///< "check" or "grade"
  std::string backend;                   ///< "gpu", "vgpu" or "both"
  std::uint64_t seed = 0;
  bool is_timed = true;                         ///< on a GPU: correct submissions are timed
  std::vector<StoredMark> marks;                ///< of this student and lab
  std::map<std::string, std::string> versions;  ///< of programs and devices, by their names
  std::map<std::string, std::string> files;     ///< SHA-256 of each, by path in the bundle
  Verdict verdict;                              ///< marks included
};

/// The attempt that counts.
const BundledAttempt& attempt_that_counts(const Manifest& manifest);

// Paths in a bundle. The lab's files have those of graded_files().
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kBundleReadme = "README.txt";
inline constexpr const char* kSeedFile = "seed.toml";  ///< the secret seed, and the lab's hidden cases
inline constexpr const char* kHandInFolder = "hand-in/";

}  // namespace lanewise
