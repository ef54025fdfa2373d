// Grades a class's submissions: each piece of work once, several at a time, and none that the store already knows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "grader/class/graded_class.h"
#include "grader/grading/class_record.h"
#include "grader/marks/merge_marks.h"
#include "grader/store/store.h"
#include "grader/workplace/workplace.h"
#include "harness/runner/find.h"

namespace lanewise {

struct ClassGradingOptions {
  std::set<std::string> groups = {"check"};
  std::uint64_t seed = 1;
  std::string secret_terms;  ///< whatever else determines a verdict: the content of a file with hidden cases
  unsigned jobs = 1;         ///< submissions graded at a time; on a GPU one, and this many are compiled
  bool is_timed = true;      ///< on a GPU: correct submissions are timed
  bool is_fresh = false;     ///< grade again what the store knows
  Marks marks;               ///< given by hand; in the scores, not in what the store keeps
  std::filesystem::path out;
  std::function<void(const std::string&)> progress;
};

/// Grades the recorded class as run number `run` of `store`. Under `options.out`, sources are in their source_folder(),
/// pictures below pictures/. The GradedAttempt of what could not be graded says why. A failure means that nothing more
/// could be stored or written: what was graded until then is in the store.
Expected<GradedClass> grade_class(const ClassRecord& record, const std::vector<LabSelection>& labs,
                                  const Course& course, const Workplace& workplace, Store& store, std::int64_t run,
                                  const ClassGradingOptions& options);

/// The scores of all attempts that were graded, for the store.
std::vector<StoredScore> scores_of(const GradedClass& graded);

}  // namespace lanewise
