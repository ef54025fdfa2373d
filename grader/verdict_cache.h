// Verdicts known from before: the same submission, lab, harness and options need not be graded twice.
#pragma once

#include <optional>
#include <string>

#include "grader/workplace.h"
#include "harness/lab/verdict.h"
#include "harness/runner/grade.h"

namespace lanewise {

struct KnownVerdict {
  Verdict verdict;
  std::string since;               ///< "14:02" today, else "3 March"
  std::filesystem::path pictures;  ///< folder of the pictures it names
};

class VerdictCache {
 public:
  explicit VerdictCache(const Workplace& workplace);

  /// Everything that decides a verdict, as text: what was built from the source, lab, questions, answers, tools,
  /// options. Nothing if a file cannot be read; then there is no use asking.
  std::optional<std::string> key_of(const GradeRequest& request, const Build& build) const;

  std::optional<KnownVerdict> find(const std::string& key) const;

  /// Keeps `verdict` and the pictures in request.pictures, in the place of any that was kept before; unless the same
  /// work may end otherwise next time (time limits, missing data): then nothing is kept.
  void keep(const std::string& key, const Verdict& verdict, const GradeRequest& request) const;

 private:
  bool may_end_otherwise(const Verdict& verdict, const GradeRequest& request) const;
  void forget(const std::string& key) const;

  const Workplace& workplace_;
  BuildCache cache_;
};

/// Grades and caches the verdict.
Expected<Verdict> grade_and_keep(const GradeRequest& request, const Workplace& workplace);

/// The cached verdict of the same submission, lab and options; graded now if there is none.
Expected<Verdict> kept_or_graded(const GradeRequest& request, const Workplace& workplace);

}  // namespace lanewise
