// Grades the submissions of a class's chunks, in this process or in any other that works on them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grader/executors/executor.h"
#include "grader/workplace/workplace.h"
#include "harness/runner/find.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {

/// Two digests of a lab's terms, which together are StoredKey::terms: points do not affect what is observed.
struct StoredTerms {
  std::string seen;  ///< ends in a full stop
  std::string scored;
};

/// What a class is graded with. `seed_file` is the content of the file with hidden cases, which `labs` already have.
struct GradingMeans {
  const Workplace& workplace;
  const std::vector<LabSelection>& labs;
  ChunkOptions options;
  std::string seed_file;
};

/// With the options that follow from the workplace, and defaults for the others.
GradingMeans means_of(const Workplace& workplace, const std::vector<LabSelection>& labs);

StoredTerms stored_terms(const GradingMeans& means, const LabSelection& lab);

/// Pictures are left to the caller. `folder` holds the submission's source and answers.
GradeRequest request_for(const GradingMeans& means, const LabSelection& lab, const std::filesystem::path& folder);

/// Grades in this process, `jobs` submissions at a time. `means` must outlive it.
std::unique_ptr<Executor> local_grading(const GradingMeans& means, unsigned jobs);

/// For other processes: opens what a chunk needs, and keeps it for chunks that need the same. The failure says why this
/// machine cannot grade the chunk, or would grade it on other terms.
MakeGrader grader_of_chunks();

}  // namespace lanewise
