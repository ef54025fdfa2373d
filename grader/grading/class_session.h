// What `lanewise grade` and `lanewise regrade` have in common: read the terms, grade a class as recorded, store and
// write the results.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grader/class/course.h"
#include "grader/executors/slurm.h"
#include "grader/grading/class_grading.h"
#include "grader/grading/class_record.h"
#include "grader/grading/kept_inputs.h"
#include "grader/grading/secrets.h"
#include "grader/marks/merge_marks.h"
#include "grader/store/store.h"
#include "grader/workplace/workplace.h"
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
  std::string toolchain = "auto";
  std::string cases = "grade";
  std::string executor = "local";  ///< or "slurm", "external"
  std::string work;                ///< where chunks are; empty: out/work
  unsigned patience = static_cast<unsigned>(std::chrono::duration_cast<std::chrono::seconds>(kPatience).count());
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool is_fresh = false;
  bool no_sandbox = false;
  bool no_timing = false;
};

/// Functions that return an int return an exit code; if it is not kExitDone, an error has been printed.
class ClassSession {
 public:
  /// Messages begin with `command`. `options` must outlive the session, and may change until they are read.
  ClassSession(const char* command, const ClassOptions& options);

  int fail(int code, const std::string& sentence);
  void show(const std::string& text) { progress_.show(text); }
  void clear_progress() { progress_.clear(); }
  /// Prints a message and goes on.
  void note(const std::string& sentence);

  int read_inputs();
  int open_workplace();
  int open_store();
  /// The marks in --marks and those filled into to_mark.csv, for people in `students`.
  int read_given_marks(const std::vector<Student>& students);
  /// Otherwise a misspelt name in course.toml would silently have no effect.
  void warn_of_course(const std::vector<Student>& students);
  /// If no lab was named, keeps the labs that have recorded submissions.
  void keep_labs(const std::vector<std::string>& handed_in);

  /// Keeps everything else that grades depend on (kept_inputs.h), unless this is a preview, and begins a run in the
  /// store. Without --seed-file, the seed is that of earlier runs there, or a new one that nobody can know.
  Expected<std::int64_t> begin_run(bool is_preview);
  Expected<GradedClass> grade(const ClassRecord& record, std::int64_t run);
  std::optional<Failure> keep_marks(std::int64_t run);
  /// Stores the class and the scores, which completes the run.
  std::optional<Failure> finish(ClassRecord record, const GradedClass& graded, std::int64_t run);
  /// Writes all files and prints the summary.
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
  std::optional<Failure> choose_seed();
  std::unique_ptr<Executor> choose_executor(const GradingMeans& means) const;

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
  std::string seed_text_;    // the file of --seed-file, as it was read
  std::string course_text_;  // likewise
  SlurmOptions slurm_;
  std::unique_ptr<Workplace> workplace_;
  std::unique_ptr<Store> store_;
  Marks given_;
  std::string own_marks_;  // to_mark.csv as it was read
};

/// "Graded now: 3; from earlier runs: 0. The seed was 1."
std::string graded_text(const GradedClass& graded);

/// How many attempts could not be graded.
std::size_t count_ungraded(const GradedClass& graded);

}  // namespace lanewise
