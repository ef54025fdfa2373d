// grades.db: every run, hand-in, verdict and mark of an output folder; rows are added and never changed.
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
  std::string terms;    ///< hashes of all else that decides a verdict: lab, cases, seed, tools, backend, points
};

/// What grading gave.
struct StoredVerdict {
  std::string json;     ///< json_report of one verdict; empty if there is none
  std::string trouble;  ///< a sentence: why it could not be graded
};

/// What a student's attempt came to in one run.
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
  std::string finished;     ///< empty: it was cut off
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

/// Who was in the class and what was handed in, as a run that came to its end saw it.
struct StoredClass {
  StoredRun run;
  std::string json;  ///< empty: the run is of a lanewise that kept none
};

/// An open store. One process at a time: the file is locked from open() to the end of this object, and the system lets
/// go of the lock however the process ends. Safe to use from several threads.
class Store {
 public:
  /// Opens or makes `folder`/grades.db (WAL). Fails if another process has it ("... is in use by another lanewise grade
  /// (process 1234)"), if it is of a newer version, damaged, or cannot be written.
  static Expected<std::unique_ptr<Store>> open(const std::filesystem::path& folder);

  virtual ~Store() = default;

  /// Begins a run; `terms` as in StoredRun.
  virtual Expected<std::int64_t> begin_run(const std::string& terms) = 0;
  /// The scores of a run, all of them or none, and that it came to its end.
  virtual std::optional<Failure> finish_run(std::int64_t run, const std::vector<StoredScore>& scores) = 0;

  /// The newest verdict of that key that is a verdict and no trouble.
  virtual Expected<std::optional<StoredVerdict>> find(const StoredKey& key) = 0;
  /// The same, of what was kept in this run and those before it.
  virtual Expected<std::optional<StoredVerdict>> find_as_of(std::int64_t run, const StoredKey& key) = 0;
  /// The newest verdict of a hand-in whose terms begin with `start`, likewise.
  virtual Expected<std::optional<StoredVerdict>> find_under(const std::string& lab, const std::string& content,
                                                            const std::string& start) = 0;
  /// Once this returns without a failure the verdict outlives a power cut.
  virtual std::optional<Failure> keep(std::int64_t run, const StoredKey& key, const StoredVerdict& verdict) = 0;

  /// Adds marks to an open run, all of them or none. A later mark of the same answer takes the place of an earlier one.
  virtual std::optional<Failure> keep_marks(std::int64_t run, const std::vector<StoredMark>& marks) = 0;
  /// The newest mark of each answer among those of runs up to `run`.
  virtual Expected<std::vector<StoredMark>> marks(std::int64_t run) = 0;

  /// Adds the class that an open run sees. What equals the newest one is not kept twice.
  virtual std::optional<Failure> keep_class(std::int64_t run, const std::string& json) = 0;
  /// That of the newest run that came to its end; nothing if there is no such run.
  virtual Expected<std::optional<StoredClass>> finished_class() = 0;

  virtual Expected<std::vector<StoredRun>> runs() = 0;
  virtual Expected<std::vector<StoredScore>> scores(std::int64_t run) = 0;
};

}  // namespace lanewise
