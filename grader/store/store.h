// grades.db: every run, submission, verdict and mark of an output folder; rows are added and never changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// What was graded, and under which terms.
struct StoredKey {
  std::string lab;
  std::string content;  ///< hash of the source and the answers
  std::string terms;  ///< hashes of everything else that determines a verdict: lab, cases, seed, tools, backend, points
};

/// The result of grading.
struct StoredVerdict {
  std::string json;     ///< json_report of one verdict; empty if there is none
  std::string trouble;  ///< a sentence: why it could not be graded
};

/// The score of a student's attempt in one run.
struct StoredScore {
  std::string student;
  std::string lab;
  std::string content;
  std::string came_from;  ///< any bytes
  std::int64_t submitted = 0;
  double points = 0;
  double out_of = 0;
  bool is_counted = false;
  std::string explanation;
};

struct StoredRun {
  std::int64_t number = 0;  ///< from 1
  std::string started;      ///< "2026-11-22T19:40:00Z"
  std::string finished;     ///< empty: it was interrupted
  std::string terms;        ///< JSON: labs, cases, seed, versions, backend
};

/// Points that a human gave for one free-text answer.
struct StoredMark {
  std::string student;
  std::string lab;
  std::string question;
  std::string answer;  ///< hash of the answer
  double points = 0;
  double out_of = 0;
  std::string remark;
};

/// Who was in the class and what was submitted, as seen by a completed run.
struct StoredClass {
  StoredRun run;
  std::string json;  ///< empty: the run is from a lanewise that stored none
};

/// An open store. One process at a time: the file is locked from open() until this object is destroyed, and the system
/// releases the lock however the process ends. Safe to use from several threads.
class Store {
 public:
  /// Opens or creates `folder`/grades.db (WAL). Fails if another process has it ("... is in use by another lanewise
  /// grade (process 1234)"), or if it is from a newer version, damaged, or not writable.
  static Expected<std::unique_ptr<Store>> open(const std::filesystem::path& folder);

  virtual ~Store() = default;

  /// Begins a run; `terms` as in StoredRun.
  virtual Expected<std::int64_t> begin_run(const std::string& terms) = 0;
  /// Stores the scores of a run, all of them or none, and that it is complete.
  virtual std::optional<Failure> finish_run(std::int64_t run, const std::vector<StoredScore>& scores) = 0;

  /// The newest verdict with that key and without trouble.
  virtual Expected<std::optional<StoredVerdict>> find(const StoredKey& key) = 0;
  /// The same, among those stored in this run and earlier ones.
  virtual Expected<std::optional<StoredVerdict>> find_as_of(std::int64_t run, const StoredKey& key) = 0;
  /// The newest verdict on a submission whose terms begin with `start`, likewise.
  virtual Expected<std::optional<StoredVerdict>> find_under(const std::string& lab, const std::string& content,
                                                            const std::string& start) = 0;
  /// Once this returns without a failure, the verdict survives a power cut.
  virtual std::optional<Failure> keep(std::int64_t run, const StoredKey& key, const StoredVerdict& verdict) = 0;

  /// Adds marks to an open run, all of them or none. A later mark for the same answer replaces an earlier one.
  virtual std::optional<Failure> keep_marks(std::int64_t run, const std::vector<StoredMark>& marks) = 0;
  /// The newest mark for each answer in runs up to `run`.
  virtual Expected<std::vector<StoredMark>> marks(std::int64_t run) = 0;

  /// Adds the class that an open run sees, unless it equals the newest one.
  virtual std::optional<Failure> keep_class(std::int64_t run, const std::string& json) = 0;
  /// The class of the newest completed run; nothing if there is no such run.
  virtual Expected<std::optional<StoredClass>> finished_class() = 0;

  virtual Expected<std::vector<StoredRun>> runs() = 0;
  virtual Expected<std::vector<StoredScore>> scores(std::int64_t run) = 0;
};

}  // namespace lanewise
