// Cached verdicts: the same submission, lab, harness and options need not be graded twice.
#pragma once

#include <optional>
#include <string>

#include "grader/workplace/workplace.h"
#include "harness/lab/verdict.h"
#include "harness/runner/verdict/grade.h"

namespace lanewise {

struct KnownVerdict {
  Verdict verdict;
  std::string since;               ///< "14:02" if today, otherwise "3 March"
  std::filesystem::path pictures;  ///< folder of the pictures it names
};

class VerdictCache {
 public:
  explicit VerdictCache(const Workplace& workplace);

  /// Everything that determines a verdict, as text: what was built from the source, lab, questions, answers, tools,
  /// options. Nothing if a file cannot be read; the cache is then of no use.
  std::optional<std::string> key_of(const GradeRequest& request, const Build& build) const;

  std::optional<KnownVerdict> find(const std::string& key) const;

  /// Keeps `verdict` and the pictures in request.pictures, replacing an earlier entry; keeps nothing if the same work
  /// may get a different verdict next time (time limits, missing data).
  void keep(const std::string& key, const Verdict& verdict, const GradeRequest& request) const;

  /// The verdict on the same file as it was when it was last checked with the same cases on the same backend.
  std::optional<KnownVerdict> last(const GradeRequest& request) const;
  void keep_last(const GradeRequest& request, const Verdict& verdict) const;

 private:
  std::optional<KnownVerdict> find(const char* kind, const std::string& key) const;
  bool may_end_otherwise(const Verdict& verdict, const GradeRequest& request) const;
  void forget(const char* kind, const std::string& key) const;
  std::string name_of(const GradeRequest& request) const;

  const Workplace& workplace_;
  BuildCache cache_;
};

/// Grades and caches the verdict.
Expected<Verdict> grade_and_keep(const GradeRequest& request, const Workplace& workplace);

/// The cached verdict of the same submission, lab and options; graded now if there is none.
Expected<Verdict> kept_or_graded(const GradeRequest& request, const Workplace& workplace);

}  // namespace lanewise
