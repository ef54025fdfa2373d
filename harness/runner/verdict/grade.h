// Grades one submission: build, audit, run, score. Everything the command line, `lanewise verify` and the grader do
// goes through here.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"
#include "harness/runner/build/builder.h"
#include "harness/runner/session/backend.h"
#include "harness/runner/timing/timing.h"
#include "harness/runner/verdict/instances.h"

namespace lanewise {

/// One submission for one lab.
struct GradeRequest {
  const Lab* lab = nullptr;
  const LabFile* file = nullptr;
  std::filesystem::path source;   ///< the .cu
  std::filesystem::path answers;  ///< the student's answers.toml; need not exist
  std::filesystem::path key;      ///< the right answers; need not exist
  std::set<std::string> tasks;    ///< empty: all of the lab's
  std::set<std::string> groups = {"check"};
  std::set<std::string> cases;    ///< of these, the ones to run, by name; empty: all. Without all there are no points
  bool stops_at_failure = false;  ///< after the first case that fails, likewise
  std::uint64_t seed = 0;
  /// Times right submissions on a GPU for the points of "fast": time_entries. Empty: they are not timed.
  std::function<Expected<TimingResult>(const TimingRequest&)> timer;
  /// With a virtual GPU as the backend: right submissions are timed on this one. Null: their time is modelled.
  const Backend* timed_on = nullptr;
  bool may_use_libraries = false;  ///< for peers: nothing is forbidden
  std::filesystem::path pictures;  ///< folder for pictures of wrong cases; empty: none
  Instances* instances = nullptr;  ///< shares cases with other submissions; null: not shared
  std::function<void(const std::string&)> progress;
  std::function<void(const std::string&)> lab_failed;  ///< told where the lab's own code failed
};

/// Builds in advance what grade() will grade. A failure is that of Builder::build.
Expected<Build> build_submission(const GradeRequest& request, const Builder& builder, const Backend& backend);

/// Grades. A failure means that the submission could not be graded through no fault of its own, or could not be read.
Expected<Verdict> grade(const GradeRequest& request, const Installation& installation, const Builder& builder,
                        const Backend& backend);

}  // namespace lanewise
