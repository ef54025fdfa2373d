// Grades a class's submissions: each piece of work once, several at a time, and none that the store already knows.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/class/graded_class.h"
#include "grader/executors/executor.h"
#include "grader/grading/class_record.h"
#include "grader/grading/submission_grader.h"
#include "grader/marks/merge_marks.h"
#include "grader/store/store.h"
#include "harness/runner/find.h"

namespace lanewise {

struct ClassGradingOptions {
  Executor* executor = nullptr;  ///< required
  std::chrono::milliseconds patience = kPatience;
  bool is_fresh = false;  ///< grade again what the store knows
  Marks marks;            ///< given by hand; in the scores, not in what the store keeps
  std::filesystem::path out;
  std::filesystem::path work;  ///< where chunks are; empty: out/work
  std::function<void(const std::string&)> progress;
};

/// Grades the recorded class as run number `run` of `store`. Under `options.out`, sources are in their source_folder(),
/// pictures below pictures/; until all is graded, chunks are in work/. The GradedAttempt of what could not be graded
/// says why. A failure means that nothing more could be stored or written: what was graded until then is in the store.
Expected<GradedClass> grade_class(const ClassRecord& record, const std::vector<LabSelection>& labs,
                                  const Course& course, const GradingMeans& means, Store& store, std::int64_t run,
                                  const ClassGradingOptions& options);

/// The scores of all attempts that were graded, for the store.
std::vector<StoredScore> scores_of(const GradedClass& graded);

}  // namespace lanewise
