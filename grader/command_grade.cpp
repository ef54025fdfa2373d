// `lanewise grade`: what a class handed in goes in, grades and evidence come out.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "grader/class/course.h"
#include "grader/class/hand_ins.h"
#include "grader/class_grading.h"
#include "grader/commands.h"
#include "grader/exit_codes.h"
#include "grader/exports/exports.h"
#include "grader/grading_terms.h"
#include "grader/lab_sources.h"
#include "grader/option_checks.h"
#include "grader/output_folder.h"
#include "grader/overview/class_summary.h"
#include "grader/overview/write_overview.h"
#include "grader/secrets.h"
#include "grader/store/store.h"
#include "grader/student_confinement.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_style.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct GradeOptions {
  std::vector<std::string> names;
  std::string submissions;
  std::string out;
  std::string roster;
  std::string course;
  std::string seed_file;
  std::string backend = "auto";
  std::string cases = "grade";
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool is_resumed = false;
  bool is_fresh = false;
  bool no_sandbox = false;
  bool no_timing = false;
};

constexpr const char* kExamples = R"(
Examples:
  lanewise grade scan --submissions handed-in/ --out grades/       a folder a student, files, zips, Canvas, Moodle
  lanewise grade --submissions submissions.zip --out grades/       every lab that anything was handed in for
  lanewise grade scan merge --submissions handed-in/ --out grades/ --roster roster.csv --course course.toml
  lanewise grade scan --submissions handed-in/ --out grades/ --seed-file secret.toml

In the folder of --out: index.html, a page and results.json a student, grades.csv, canvas.csv, moodle.csv, junit.xml,
and grades.db, which keeps every verdict. A run that was cut off goes on where it was when it is given again, and what
has not changed is not graded again.

The file of --seed-file holds `seed = NUMBER`, which decides all random inputs, and cases that nobody has seen:
  [[case]]
  lab = "scan"
  task = "inclusive_scan"
  name = "a prime beyond three blocks"
  make = { kind = "uniform", n = 3079, low = 0, high = 3 }
  points = 4
  why = "no block size divides it"

What students wrote is compiled and run where it sees nothing but itself and reaches nothing (bubblewrap). On a machine
where that cannot be had nothing is graded, unless --no-sandbox is given.

Exit codes: 0 graded, 1 something could not be graded, 2 the command line makes no sense, 3 something that lanewise
needs is missing, or the output folder is in use.)";

class GradeCommand {
 public:
  explicit GradeCommand(const GradeOptions& options)
      : options_(options), style_(style_for(STDOUT_FILENO)), progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {}

  int run();

 private:
  int fail(int code, const std::string& sentence);
  int read_inputs(const Installation& installation);
  int open_out();
  Expected<HandIns> collect();
  std::string terms(const Workplace& workplace) const;
  void keep_labs_of(const HandIns& hand_ins);
  void warn_of_course(const HandIns& hand_ins);
  int grade(const Workplace& workplace);
  int write(const GradedClass& graded);

  const GradeOptions& options_;
  TextStyle style_;
  Progress progress_;
  fs::path out_;
  std::vector<LabSelection> labs_;
  Course course_;
  Secrets secrets_;
  std::string secret_text_;
  std::unique_ptr<Store> store_;
};

int GradeCommand::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise grade: %s\n", safe_line(sentence).c_str());
  return code;
}

int GradeCommand::run() {
  const Installation installation = this_installation();
  if (const int code = read_inputs(installation); code != kExitDone) return code;
  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, value] : backend_choices())
    if (name == options_.backend) choice = value;
  auto confinement = student_confinement(installation, choice, options_.no_sandbox);
  if (!confinement) return fail(kExitEnvironment, confinement.sentence());
  const auto workplace = open_workplace(installation, choice, std::move(*confinement));
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());
  if (const int code = open_out(); code != kExitDone) return code;
  return grade(*workplace);
}

// Everything that can be wrong with what was given is said before anything is written.
int GradeCommand::read_inputs(const Installation& installation) {
  static const std::vector<Lab> kLabs = all_labs();
  const auto all = read_labs(kLabs, installation.labs);
  if (!all) return fail(kExitEnvironment, all.sentence());
  const auto named = select_labs(*all, options_.names);
  if (!named) return fail(kExitUsage, named.sentence());
  labs_ = *named;
  std::error_code error;
  if (!fs::exists(options_.submissions, error))
    return fail(kExitUsage, options_.submissions + ": there is no such file or folder");
  if (!options_.course.empty()) {
    auto course = read_course(options_.course);
    if (!course) return fail(kExitUsage, course.sentence());
    course_ = std::move(*course);
  }
  secrets_.seed = 1;
  if (!options_.seed_file.empty()) {
    const auto secrets = read_secrets(options_.seed_file, *all);
    if (!secrets) return fail(kExitUsage, secrets.sentence());
    secrets_ = *secrets;
    secret_text_ = content_with_size(options_.seed_file);
    add_hidden_cases(secrets_, labs_);
  }
  return kExitDone;
}

// Some of what lies in the folder is replaced: it has to be one of ours, or a new one.
int GradeCommand::open_out() {
  out_ = fs::absolute(options_.out).lexically_normal();
  std::error_code error;
  const bool has_grades = fs::exists(out_ / "grades.db", error);
  if (options_.is_resumed && !has_grades)
    return fail(kExitUsage, shown_path(out_) + ": there is no earlier run to resume; leave out --resume");
  if (!has_grades && fs::exists(out_, error) && !fs::is_empty(out_, error))
    return fail(kExitUsage, shown_path(out_) + ": the folder holds something else; name a new or an empty one");
  if (do_overlap(options_.submissions, out_))
    return fail(kExitUsage, "the folders of --submissions and --out must not lie in each other");
  fs::create_directories(out_, error);
  if (error)
    return fail(kExitEnvironment, fmt::format("{}: it cannot be made ({})", shown_path(out_), error.message()));
  auto store = Store::open(out_);
  if (!store) return fail(kExitEnvironment, store.sentence());
  store_ = std::move(*store);
  return kExitDone;
}

Expected<HandIns> GradeCommand::collect() {
  CollectOptions options;
  options.input = options_.submissions;
  options.roster = options_.roster;
  options.into = out_ / "hand-ins";
  for (const LabSelection& lab : labs_) options.known_sources.push_back(lab.file.skeleton);
  options.progress = [this](const std::string& text) { progress_.show(text); };
  return collect_hand_ins(options);
}

// Where no lab was named: those that anything was handed in for.
void GradeCommand::keep_labs_of(const HandIns& hand_ins) {
  if (!options_.names.empty()) return;
  std::set<std::string> handed_in;
  for (const HandIn& hand_in : hand_ins.hand_ins)
    for (const LabSource& source : find_lab_sources(labs_, hand_in.folder).sources)
      handed_in.insert(source.lab->file.id);
  if (handed_in.empty()) return;
  const auto is_missing = [&](const LabSelection& lab) { return handed_in.count(lab.file.id) == 0; };
  labs_.erase(std::remove_if(labs_.begin(), labs_.end(), is_missing), labs_.end());
}

// A misspelt name in course.toml would otherwise be without effect in silence.
void GradeCommand::warn_of_course(const HandIns& hand_ins) {
  std::vector<std::string> labs;
  std::vector<std::string> students;
  for (const Lab& lab : all_labs()) labs.push_back(lab.id);
  for (const Student& student : hand_ins.students) students.push_back(student.id);
  progress_.clear();
  for (const std::string& sentence : names_without_effect(course_, labs, students))
    std::fprintf(stderr, "lanewise grade: %s: %s\n", safe_line(options_.course).c_str(), safe_line(sentence).c_str());
}

std::string GradeCommand::terms(const Workplace& workplace) const {
  nlohmann::json labs = nlohmann::json::array();
  for (const LabSelection& lab : labs_) labs.push_back(lab.file.id);
  return nlohmann::json{{"labs", labs},
                        {"cases", options_.cases},
                        {"seed", secrets_.seed},
                        {"backend", workplace.backend.device},
                        {"compiler", workplace.builder.compiler_version()},
                        {"verdict_schema", kVerdictSchemaVersion}}
      .dump();
}

int GradeCommand::grade(const Workplace& workplace) {
  const auto hand_ins = collect();
  if (!hand_ins) return fail(kExitEnvironment, hand_ins.sentence());
  warn_of_course(*hand_ins);
  keep_labs_of(*hand_ins);
  const auto run = store_->begin_run(terms(workplace));
  if (!run) return fail(kExitEnvironment, run.sentence());

  ClassGradingOptions options;
  if (options_.cases == "grade") options.groups.insert("grade");
  options.seed = secrets_.seed;
  options.secret_terms = secret_text_;
  options.jobs = options_.jobs;
  options.is_timed = !options_.no_timing;
  options.is_fresh = options_.is_fresh;
  options.out = out_;
  options.progress = [this](const std::string& text) { progress_.show(text); };
  const auto graded = grade_class(*hand_ins, labs_, course_, workplace, *store_, *run, options);
  if (!graded) return fail(kExitEnvironment, graded.sentence());
  if (const auto failure = store_->finish_run(*run, scores_of(*graded)))
    return fail(kExitEnvironment, failure->sentence);
  return write(*graded);
}

int GradeCommand::write(const GradedClass& graded) {
  progress_.show("writing reports");
  if (const auto failure = write_exports(graded, out_)) return fail(kExitEnvironment, failure->sentence);
  ClassComparison comparison;
  for (const LabSelection& lab : labs_)
    for (const std::string& name : {lab.file.skeleton, lab.file.contract, std::string("README.md")})
      comparison.handed_out[lab.file.id].push_back(lab.file.folder / name);
  comparison.progress = [this](const std::string& text) { progress_.show(text); };
  const Similarity similarity = compare_class(graded, comparison);
  if (const auto failure = write_overview(graded, similarity, out_)) return fail(kExitEnvironment, failure->sentence);
  progress_.clear();
  std::size_t now = 0;
  std::size_t known = 0;
  std::size_t troubled = 0;
  for (const GradedStudent& student : graded.students)
    for (const GradedAttempt& attempt : student.attempts)
      ++(!attempt.verdict ? troubled : attempt.was_known ? known : now);
  std::fputs(class_summary(graded, style_, out_, similarity).c_str(), stdout);
  fmt::print("Graded now: {}; known from before: {}. The seed was {}.\n", now, known, graded.seed);
  return troubled == 0 ? kExitDone : kExitNotGraded;
}

}  // namespace

void add_grade_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GradeOptions>();
  CLI::App* command = app.add_subcommand("grade", "Grade a class: a folder of submissions in, grades and evidence out");
  command->footer(kExamples);
  command->add_option("names", options->names, "Labs or tasks; those that were handed in if none is named")
      ->type_name("LAB|TASK");
  command->add_option("--submissions", options->submissions, "What was handed in: a folder, or an archive of one")
      ->type_name("DIR|FILE")
      ->required();
  command->add_option("--out", options->out, "Folder for grades and reports: new, empty, or of an earlier run")
      ->type_name("DIR")
      ->required();
  command->add_option("--roster", options->roster, "Who is in the class: CSV, also as Canvas or Moodle write it")
      ->type_name("CSV");
  command->add_option("--course", options->course, "Dates, late policy and which attempt counts")->type_name("TOML");
  command->add_option("--seed-file", options->seed_file, "A secret seed, and hidden cases")->type_name("TOML");
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command->add_option("--backend", options->backend, "What to run on: a GPU if there is one, or the virtual GPU")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  command->add_option("--cases", options->cases, "check, or grade: check and more")
      ->check(CLI::IsMember({"check", "grade"}))
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "Pieces of work graded at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--resume", options->is_resumed,
                    "Insist that --out holds an earlier run (it is always gone on with)");
  command->add_flag("--fresh", options->is_fresh, "Grade again what has not changed");
  command->add_flag("--no-timing", options->no_timing, "On a GPU: do not time what is right");
  command->add_flag("--no-sandbox", options->no_sandbox, "Compile and run what students wrote as yourself");
  command->callback([options, &exit_code] { exit_code = GradeCommand(*options).run(); });
}

}  // namespace lanewise
