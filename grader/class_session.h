// What `lanewise grade` and `lanewise regrade` do alike: read the terms, grade a class as it is recorded, keep and
// write what came out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grader/class/course.h"
#include "grader/class_grading.h"
#include "grader/class_record.h"
#include "grader/kept_inputs.h"
#include "grader/marks/merge_marks.h"
#include "grader/secrets.h"
#include "grader/store/store.h"
#include "grader/workplace.h"
#include "harness/report/progress.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// As given on the command line.
struct ClassOptions {
  std::vector<std::string> names;
  std::string out;
  std::string course;
  std::string seed_file;
  std::string marks;
  std::string backend = "auto";
  std::string cases = "grade";
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool is_fresh = false;
  bool no_sandbox = false;
  bool no_timing = false;
};

/// Functions that return an int return an exit code; if it is not kExitDone, a sentence has been said.
class ClassSession {
 public:
  /// `command` is what sentences begin with. `options` must outlive the session, and may change until they are read.
  ClassSession(const char* command, const ClassOptions& options);

  int fail(int code, const std::string& sentence);
  void show(const std::string& text) { progress_.show(text); }
  void clear_progress() { progress_.clear(); }
  /// A sentence that stops nothing.
  void note(const std::string& sentence);

  int read_inputs();
  int open_workplace();
  int open_store();
  /// Those of --marks and those filled into to_mark.csv, of people who are in `students`.
  int read_given_marks(const std::vector<Student>& students);
  /// A misspelt name in course.toml would otherwise be without effect in silence.
  void warn_of_course(const std::vector<Student>& students);
  /// Keeps labs that something is recorded for, where none was named.
  void keep_labs(const std::vector<std::string>& handed_in);

  /// Keeps what grades depend on beside the hand-ins (kept_inputs.h), unless it is a preview, and begins a run of the
  /// store.
  Expected<std::int64_t> begin_run(bool is_preview);
  Expected<GradedClass> grade(const ClassRecord& record, std::int64_t run);
  std::optional<Failure> keep_marks(std::int64_t run);
  /// The class and the scores: the run has come to its end.
  std::optional<Failure> finish(ClassRecord record, const GradedClass& graded, std::int64_t run);
  /// All files and the summary.
  int write(const GradedClass& graded);

  const std::filesystem::path& out() const { return out_; }
  const std::vector<LabSelection>& labs() const { return labs_; }
  const TextStyle& style() const { return style_; }
  Store& store() { return *store_; }

 private:
  std::optional<Failure> write_to_mark(const std::string& csv);
  int read_marks_of(const std::filesystem::path& file, const std::vector<Student>& students);
  Expected<KeptInputs> keep_inputs() const;
  std::string terms(const KeptInputs* inputs) const;

  std::string command_;
  const ClassOptions& options_;
  TextStyle style_;
  Progress progress_;
  std::filesystem::path out_;
  Installation installation_;
  std::vector<LabSelection> all_labs_;
  std::vector<LabSelection> labs_;
  Course course_;
  Secrets secrets_;
  std::string secret_text_;
  std::string seed_text_;    // the file of --seed-file, as it was read
  std::string course_text_;  // likewise
  std::unique_ptr<Workplace> workplace_;
  std::unique_ptr<Store> store_;
  Marks given_;
  std::string own_marks_;  // to_mark.csv as it was read
};

/// "Graded now: 3; known from before: 0. The seed was 1."
std::string graded_text(const GradedClass& graded);

/// How many attempts could not be graded.
std::size_t count_ungraded(const GradedClass& graded);

}  // namespace lanewise
