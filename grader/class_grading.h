// Grades what a class handed in: each piece of work once, several at a time, and what the store knows not again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "grader/class_record.h"
#include "grader/graded_class.h"
#include "grader/marks/merge_marks.h"
#include "grader/store/store.h"
#include "grader/workplace.h"
#include "harness/runner/find.h"

namespace lanewise {

struct ClassGradingOptions {
  std::set<std::string> groups = {"check"};
  std::uint64_t seed = 1;
  std::string secret_terms;  ///< whatever else decides a verdict: the content of a file with hidden cases
  unsigned jobs = 1;         ///< pieces of work graded at a time; on a GPU one, and so many are compiled
  bool is_timed = true;      ///< on a GPU: what is right is timed
  bool is_fresh = false;     ///< grade again what the store knows
  Marks marks;               ///< given by hand; in the scores, not in what the store keeps
  std::filesystem::path out;
  std::function<void(const std::string&)> progress;
};

/// Grades what is recorded as run number `run` of `store`. Under `options.out` sources lie in their source_folder(),
/// pictures below pictures/. What could not be graded says why in its GradedAttempt. A failure means that nothing more
/// could be kept or written: what was graded until then is in the store.
Expected<GradedClass> grade_class(const ClassRecord& record, const std::vector<LabSelection>& labs,
                                  const Course& course, const Workplace& workplace, Store& store, std::int64_t run,
                                  const ClassGradingOptions& options);

/// The scores of all attempts that were graded, for the store.
std::vector<StoredScore> scores_of(const GradedClass& graded);

}  // namespace lanewise
