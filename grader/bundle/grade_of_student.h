// Finds one grade in a class's folder of grades, and everything behind it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/bundle/bundle.h"
#include "grader/grading/earlier_run.h"
#include "grader/store/store.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// Which grade is meant.
struct ChosenGrade {
  Student student;
  RecordedAttempt attempt;  ///< the one that counts
  StoredScore score;
  std::vector<BundledAttempt> attempts;  ///< all of the student's attempts at the lab
};

/// If there is no such student, lab or grade, the failure lists those that exist. `scores`: of that run.
Expected<ChosenGrade> choose_grade(const EarlierRun& run, const std::vector<StoredScore>& scores,
                                   const std::string& student, const std::string& lab);

/// What packed_bundle takes.
struct GradeOfStudent {
  Manifest manifest;
  std::map<std::string, std::string> files;
};

/// The failure says what is missing, was changed, or was not kept. `out` is the folder of grades, `store` its store.
Expected<GradeOfStudent> collect_grade(Store& store, const std::filesystem::path& out, const EarlierRun& run,
                                       const ChosenGrade& chosen);

}  // namespace lanewise
