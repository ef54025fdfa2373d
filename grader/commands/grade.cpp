// `lanewise grade`: a class's submissions go in, grades and evidence come out.
#include <fmt/format.h>

#include <algorithm>

#include "grader/class/hand_ins.h"
#include "grader/class/roster.h"
#include "grader/commands/class_options.h"
#include "grader/commands/commands.h"
#include "grader/exports/ags.h"
#include "grader/grading/class_session.h"
#include "grader/grading/lab_sources.h"
#include "grader/grading/output_folder.h"
#include "grader/workplace/exit_codes.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct GradeOptions : ClassOptions {
  std::string submissions;
  std::string roster;
  bool is_resumed = false;
};

constexpr const char* kGradeExamples = R"(
Examples:
  lanewise grade scan --submissions submitted/ --out grades/       folders, files, zips, Canvas, Moodle
  lanewise grade --submissions submissions.zip --out grades/       every lab with submissions
  lanewise grade scan merge --submissions submitted/ --out grades/ --roster roster.csv --course course.toml
  lanewise grade scan --submissions submitted/ --out grades/ --seed-file secret.toml
  lanewise grade scan --submissions submitted/ --out grades/ --marks filled-in.csv

In the --out folder: index.html, a page and results.json per student, grades.csv, canvas.csv, moodle.csv, junit.xml,
ags/ for lanewise push, and grades.db, which keeps every verdict. To resume an interrupted run, run the same command
again; whatever has not changed is not graded again. to_mark.csv has the answers in the students' own words, which you
mark: fill in points and remarks and grade once more, or name a copy with --marks.

All random inputs depend on a seed. The first run draws it and prints it, and later runs with the same --out use it
again. The file for --seed-file sets it with `seed = NUMBER`, and adds cases that nobody has seen:
  [[case]]
  lab = "scan"
  task = "inclusive_scan"
  name = "a prime beyond three blocks"
  make = { kind = "uniform", n = 3079, low = 0, high = 3 }
  points = 4
  why = "no block size divides it"

Students' code is compiled and run in a sandbox (bubblewrap), where it sees nothing but itself and reaches nothing. On a
machine where the sandbox cannot be set up, nothing is graded unless --no-sandbox is given.

Exit codes: 0 graded, 1 something could not be graded, 2 the command line makes no sense, 3 something that lanewise
needs is missing, or the output folder is in use.)";

class GradeCommand {
 public:
  explicit GradeCommand(const GradeOptions& options) : options_(options), session_("lanewise grade", options) {}

  int run();

 private:
  int check_folders();
  Expected<HandIns> collect();
  int grade();
  void keep_labs_of(const HandIns& hand_ins);
  static void note_missing_numbers(const GradedClass& graded);

  const GradeOptions& options_;
  ClassSession session_;
};

int GradeCommand::run() {
  if (const int code = session_.read_inputs(); code != kExitDone) return code;
  std::error_code error;
  if (!fs::exists(options_.submissions, error))
    return session_.fail(kExitUsage, options_.submissions + ": there is no such file or folder");
  if (!options_.roster.empty())
    if (const auto roster = read_roster(options_.roster); !roster) return session_.fail(kExitUsage, roster.sentence());
  if (const int code = session_.open_workplace(); code != kExitDone) return code;
  if (const int code = check_folders(); code != kExitDone) return code;
  fs::create_directories(session_.out(), error);
  if (error)
    return session_.fail(kExitEnvironment,
                         fmt::format("{}: cannot be created ({})", shown_path(session_.out()), error.message()));
  if (const int code = session_.open_store(); code != kExitDone) return code;
  return grade();
}

// Some files in the folder are replaced: it must be one of ours, or a new one.
int GradeCommand::check_folders() {
  const fs::path& out = session_.out();
  std::error_code error;
  const bool has_grades = fs::exists(out / "grades.db", error);
  if (options_.is_resumed && !has_grades)
    return session_.fail(kExitUsage, shown_path(out) + ": there is no earlier run to resume; leave out --resume");
  if (!has_grades && fs::exists(out, error) && !fs::is_empty(out, error))
    return session_.fail(kExitUsage, shown_path(out) + ": the folder holds something else; name a new or an empty one");
  if (do_overlap(options_.submissions, out))
    return session_.fail(kExitUsage, "the --submissions and --out folders must not contain each other");
  return kExitDone;
}

Expected<HandIns> GradeCommand::collect() {
  CollectOptions options;
  options.input = options_.submissions;
  options.roster = options_.roster;
  options.into = session_.out() / "hand-ins";
  for (const LabSelection& lab : session_.labs()) options.known_sources.push_back(lab.file.skeleton);
  options.progress = [this](const std::string& text) { session_.show(text); };
  return collect_hand_ins(options);
}

// If no lab was named: those with submissions.
void GradeCommand::keep_labs_of(const HandIns& hand_ins) {
  std::vector<std::string> handed_in;
  for (const HandIn& hand_in : hand_ins.hand_ins)
    for (const LabSource& source : find_lab_sources(session_.labs(), hand_in.folder).sources)
      handed_in.push_back(source.lab->file.id);
  session_.keep_labs(handed_in);
}

// In a class in which nobody has a number, nobody means to push.
void GradeCommand::note_missing_numbers(const GradedClass& graded) {
  const std::size_t count = count_without_number(graded);
  const bool has_numbers = std::any_of(graded.students.begin(), graded.students.end(),
                                       [](const GradedStudent& each) { return !each.student.number.empty(); });
  if (count > 0 && has_numbers)
    fmt::print("ags/ leaves out {} student{} without a number in the roster.\n", count, count == 1 ? "" : "s");
}

int GradeCommand::grade() {
  const auto hand_ins = collect();
  if (!hand_ins) return session_.fail(kExitEnvironment, hand_ins.sentence());
  if (const int code = session_.read_given_marks(hand_ins->students); code != kExitDone) return code;
  session_.warn_of_course(hand_ins->students);
  keep_labs_of(*hand_ins);
  const auto run = session_.begin_run(false);
  if (!run) return session_.fail(kExitEnvironment, run.sentence());
  if (const auto failure = session_.keep_marks(*run)) return session_.fail(kExitEnvironment, failure->sentence);
  const auto record = record_class(*hand_ins, session_.labs(), session_.out());
  if (!record) return session_.fail(kExitEnvironment, record.sentence());
  const auto graded = session_.grade(*record, *run);
  if (!graded) return session_.fail(kExitEnvironment, graded.sentence());
  if (const auto failure = session_.finish(*record, *graded, *run))
    return session_.fail(kExitEnvironment, failure->sentence);
  if (const int code = session_.write(*graded); code != kExitDone) return code;
  note_missing_numbers(*graded);
  fmt::print("{}\n", graded_text(*graded));
  return count_ungraded(*graded) == 0 ? kExitDone : kExitNotGraded;
}

}  // namespace

void add_grade_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GradeOptions>();
  CLI::App* command = app.add_subcommand("grade", "Grade a class: a folder of submissions in, grades and evidence out");
  command->footer(kGradeExamples);
  add_class_options(*command, *options, "Folder for grades and reports: new, empty, or from an earlier run");
  command->add_option("--submissions", options->submissions, "The submissions: a folder, or an archive of one")
      ->type_name("DIR|FILE")
      ->required();
  command
      ->add_option("--roster", options->roster, "Who is in the class: a CSV file, or a gradebook from Canvas or Moodle")
      ->type_name("CSV");
  command->add_flag("--resume", options->is_resumed,
                    "Require that --out holds an earlier run (which is resumed in any case)");
  command->callback([options, &exit_code] { exit_code = GradeCommand(*options).run(); });
}

}  // namespace lanewise
