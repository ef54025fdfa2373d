// One function per step, in the order in which commands call them.
#include "grader/grading/class_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/exports/exports.h"
#include "grader/grading/graded_files.h"
#include "grader/grading/student_confinement.h"
#include "grader/marks/marks_file.h"
#include "grader/marks/to_mark.h"
#include "grader/overview/class_summary.h"
#include "grader/overview/write_overview.h"
#include "grader/workplace/exit_codes.h"
#include "grader/workplace/grading_terms.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/questions.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kToMark = "to_mark.csv";

std::vector<Question> questions_of(const LabSelection& lab) {
  std::error_code error;
  const fs::path file = lab.file.folder / "questions.toml";
  if (!fs::exists(file, error)) return {};
  const auto questions = read_questions(file);
  return questions ? *questions : std::vector<Question>();
}

bool is_equal(const StoredMark& a, const StoredMark& b) {
  return a.points == b.points && a.out_of == b.out_of && a.remark == b.remark;
}

// The seed in the terms of a run that was given no --seed-file.
std::optional<std::uint64_t> seed_drawn_for(const std::string& terms) {
  const auto json = nlohmann::json::parse(terms, nullptr, false);
  if (!json.is_object() || !json.contains("seed") || !json["seed"].is_number_unsigned()) return std::nullopt;
  const auto options = json.find("options");
  if (options != json.end() && options->is_object() && !options->value("seed_file", "").empty()) return std::nullopt;
  return json["seed"].get<std::uint64_t>();
}

std::string absolute_or_nothing(const std::string& file) { return file.empty() ? "" : fs::absolute(file).string(); }

}  // namespace

ClassSession::ClassSession(const char* command, const ClassOptions& options)
    : command_(command),
      options_(options),
      style_(style_for(STDOUT_FILENO)),
      progress_(STDERR_FILENO, style_for(STDERR_FILENO).width),
      out_(fs::absolute(options.out).lexically_normal()),
      installation_(this_installation()) {}

int ClassSession::fail(int code, const std::string& sentence) {
  note(sentence);
  return code;
}

void ClassSession::note(const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "%s: %s\n", command_.c_str(), safe_line(sentence).c_str());
}

// Everything that can be wrong with the input is reported before anything is written.
int ClassSession::read_inputs() {
  const auto all = known_labs(installation_, options_.names, Oracles::kBegun);
  if (!all) return fail(kExitEnvironment, all.sentence());
  all_labs_ = *all;
  const auto named = select_labs(*all, options_.names);
  if (!named) return fail(kExitUsage, named.sentence());
  labs_ = *named;
  if (!options_.course.empty()) {
    auto course = read_course(options_.course);
    if (!course) return fail(kExitUsage, course.sentence());
    course_ = std::move(*course);
    const auto text = read_file(options_.course, kLargestKeptInput);
    if (!text) return fail(kExitUsage, text.sentence());
    course_text_ = *text;
    auto slurm = read_slurm_options(options_.course);
    if (!slurm) return fail(kExitUsage, slurm.sentence());
    slurm_ = std::move(*slurm);
  }
  std::error_code error;
  if (!options_.marks.empty() && !fs::exists(options_.marks, error))
    return fail(kExitUsage, options_.marks + ": there is no such file");
  if (!options_.seed_file.empty()) {
    const auto secrets = read_secrets(options_.seed_file, *all);
    if (!secrets) return fail(kExitUsage, secrets.sentence());
    secrets_ = *secrets;
    const auto text = read_file(options_.seed_file, kLargestKeptInput);
    if (!text) return fail(kExitUsage, text.sentence());
    seed_text_ = *text;
    add_hidden_cases(secrets_, labs_);
  }
  return kExitDone;
}

int ClassSession::open_workplace() {
  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, value] : class_backend_choices())
    if (name == options_.backend) choice = value;
  auto confinement = student_confinement(installation_, choice, options_.no_sandbox);
  if (!confinement) return fail(kExitEnvironment, confinement.sentence());
  auto workplace =
      lanewise::open_workplace(installation_, choice, std::move(*confinement), toolchain_choice(options_.toolchain));
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());
  workplace_ = std::make_unique<Workplace>(std::move(*workplace));
  for (const LabSelection& lab : labs_)
    if (const std::string trouble = lab.lab->trouble ? lab.lab->trouble() : ""; !trouble.empty())
      return fail(kExitEnvironment, trouble);
  return kExitDone;
}

int ClassSession::open_store() {
  // A new store beside old grades would look like a class without marks and history.
  std::error_code error;
  const fs::path file = out_ / "grades.db";
  if (fs::exists(file, error) && fs::file_size(file, error) == 0 && fs::exists(out_ / "students", error))
    return fail(
        kExitEnvironment,
        fmt::format("{} is empty, but there are grades beside it: restore it from a copy, or name another folder",
                    shown_path(file)));
  auto store = Store::open(out_);
  if (!store) return fail(kExitEnvironment, store.sentence());
  store_ = std::move(*store);
  return kExitDone;
}

void ClassSession::keep_labs(const std::vector<std::string>& handed_in) {
  if (!options_.names.empty() || handed_in.empty()) return;
  const auto is_missing = [&](const LabSelection& lab) {
    return std::find(handed_in.begin(), handed_in.end(), lab.file.id) == handed_in.end();
  };
  labs_.erase(std::remove_if(labs_.begin(), labs_.end(), is_missing), labs_.end());
}

void ClassSession::warn_of_course(const std::vector<Student>& students) {
  std::vector<std::string> labs;
  std::vector<std::string> ids;
  ids.reserve(students.size());
  for (const LabSelection& lab : all_labs_) labs.push_back(lab.file.id);
  for (const Student& student : students) ids.push_back(student.id);
  for (const std::string& sentence : names_without_effect(course_, labs, ids)) note(options_.course + ": " + sentence);
}

// Marks filled into our own file would be lost when it is rewritten. If both files mark an answer, the one named with
// --marks wins.
int ClassSession::read_given_marks(const std::vector<Student>& students) {
  std::error_code error;
  const fs::path own = out_ / kToMark;
  own_marks_ = content_with_size(own);
  const bool is_named = !options_.marks.empty() && fs::equivalent(own, options_.marks, error);
  if (!is_named && fs::exists(own, error))
    if (const int code = read_marks_of(own, students); code != kExitDone) return code;
  return options_.marks.empty() ? kExitDone : read_marks_of(options_.marks, students);
}

int ClassSession::read_marks_of(const fs::path& file, const std::vector<Student>& students) {
  MarkingScheme scheme;
  for (const Student& student : students) scheme.students.insert(student.id);
  for (const LabSelection& lab : all_labs_)
    for (const Question& question : questions_of(lab))
      if (question.kind == Question::Kind::kText) scheme.questions[{lab.file.id, question.id}] = question.points;
  const auto read = read_marks(file, scheme);
  if (!read) return fail(kExitUsage, read.sentence());
  for (const std::string& problem : read->problems) note(problem);
  if (!read->problems.empty()) return fail(kExitUsage, "no marks were accepted, and nothing was graded");
  for (const auto& [answer, mark] : marks_by_answer(read->marks)) given_[answer] = mark;
  return kExitDone;
}

Expected<KeptInputs> ClassSession::keep_inputs() const {
  KeptInputs inputs;
  for (const auto& [text, hash] :
       {std::pair(&seed_text_, &inputs.seed_file), std::pair(&course_text_, &inputs.course)}) {
    if (text->empty()) continue;
    const auto kept = keep_content(out_, *text);
    if (!kept) return kept.failure();
    *hash = *kept;
  }
  for (const LabSelection& lab : labs_)
    for (const auto& [path, file] : graded_files(workplace_->installation, lab.file, workplace_->has_clock())) {
      const auto kept = keep_content_of(out_, file);
      if (!kept) return kept.failure();
      inputs.labs[lab.file.id][path] = *kept;
    }
  inputs.versions = program_versions(*workplace_);
  inputs.versions["lanewise"] = LANEWISE_VERSION;
  return inputs;
}

// Earlier verdicts are of use only with the inputs that they are about; a seed from a file stays a secret of that file.
std::optional<Failure> ClassSession::choose_seed() {
  if (!options_.seed_file.empty()) return std::nullopt;
  const auto runs = store_->runs();
  if (!runs) return runs.failure();
  for (auto run = runs->rbegin(); run != runs->rend(); ++run)
    if (const auto seed = seed_drawn_for(run->terms)) {
      secrets_.seed = *seed;
      return std::nullopt;
    }
  secrets_.seed = drawn_seed();
  return std::nullopt;
}

Expected<std::int64_t> ClassSession::begin_run(bool is_preview) {
  if (auto failure = choose_seed()) return *failure;
  if (is_preview) return store_->begin_run(terms(nullptr));
  const auto inputs = keep_inputs();
  if (!inputs) return inputs.failure();
  return store_->begin_run(terms(&*inputs));
}

// Without inputs: for a preview.
std::string ClassSession::terms(const KeptInputs* inputs) const {
  nlohmann::json labs = nlohmann::json::array();
  for (const LabSelection& lab : labs_) labs.push_back(lab.file.id);
  nlohmann::json terms = {{"labs", labs},
                          {"cases", options_.cases},
                          {"seed", secrets_.seed},
                          {"backend", (workplace_->timed_on ? *workplace_->timed_on : workplace_->backend).device},
                          {"compiler", workplace_->builder.toolchain().description()},
                          {"verdict_schema", kVerdictSchemaVersion},
                          {"options",
                           {{"names", options_.names},
                            {"backend", options_.backend},
                            {"toolchain", options_.toolchain},
                            {"course", absolute_or_nothing(options_.course)},
                            {"seed_file", absolute_or_nothing(options_.seed_file)},
                            {"no_timing", options_.no_timing}}}};
  if (inputs != nullptr)
    terms["inputs"] = *inputs;
  else
    terms["preview"] = true;
  return terms.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<GradedClass> ClassSession::grade(const ClassRecord& record, std::int64_t run) {
  const auto kept = store_->marks(run);
  if (!kept) return kept.failure();
  GradingMeans means = means_of(*workplace_, labs_);
  means.seed_file = seed_text_;
  if (options_.cases == "grade") means.options.groups.insert("grade");
  means.options.seed = secrets_.seed;
  means.options.is_timed = !options_.no_timing;
  means.options.has_sandbox = !options_.no_sandbox;
  const std::unique_ptr<Executor> executor = choose_executor(means);
  ClassGradingOptions options;
  options.executor = executor.get();
  options.patience = std::chrono::seconds(options_.patience);
  options.marks = marks_by_answer(*kept);
  for (const auto& [answer, mark] : given_) options.marks[answer] = mark;
  options.is_fresh = options_.is_fresh;
  options.out = out_;
  if (!options_.work.empty()) options.work = fs::absolute(options_.work).lexically_normal();
  options.progress = [this](const std::string& text) { progress_.show(text); };
  return grade_class(record, labs_, course_, means, *store_, run, options);
}

std::unique_ptr<Executor> ClassSession::choose_executor(const GradingMeans& means) const {
  if (options_.executor == "slurm")
    return slurm_executor(installation_.programs / "lanewise", slurm_, std::chrono::seconds(options_.patience));
  if (options_.executor == "external") return external_executor(slurm_.chunk);
  // While a GPU times, its runner has processors of its own.
  const unsigned processors = std::max(3U, std::thread::hardware_concurrency());
  return local_grading(means, means.workplace.timed_on ? std::min(options_.jobs, processors - 2) : options_.jobs);
}

// The same file may be given with every run: only its changes are added.
std::optional<Failure> ClassSession::keep_marks(std::int64_t run) {
  const auto kept = store_->marks(run);
  if (!kept) return kept.failure();
  const Marks known = marks_by_answer(*kept);
  std::vector<StoredMark> fresh;
  for (const auto& [answer, mark] : given_) {
    const auto found = known.find(answer);
    if (found == known.end() || !is_equal(found->second, mark)) fresh.push_back(mark);
  }
  return fresh.empty() ? std::nullopt : store_->keep_marks(run, fresh);
}

std::optional<Failure> ClassSession::finish(ClassRecord record, const GradedClass& graded, std::int64_t run) {
  record.terms.clear();
  for (const GradedLab& lab : graded.labs) record.terms[lab.id] = lab.terms;
  if (auto failure = store_->keep_class(run, class_json(record))) return failure;
  return store_->finish_run(run, scores_of(graded));
}

// Marks filled in while the class was graded must not be lost.
std::optional<Failure> ClassSession::write_to_mark(const std::string& csv) {
  const fs::path own = out_ / kToMark;
  if (content_with_size(own) == own_marks_) return write_report(own, csv);
  note(shown_path(own) + " was changed in the meantime and is left as it is: grade once more to read it");
  return std::nullopt;
}

int ClassSession::write(const GradedClass& graded) {
  progress_.show("writing reports");
  if (const auto failure = write_exports(graded, out_)) return fail(kExitEnvironment, failure->sentence);
  std::map<std::string, Answers> keys;
  ClassComparison comparison;
  for (const LabSelection& lab : labs_) {
    if (const auto key = read_answers(installation_.solutions / lab.file.id / "answers.toml")) keys[lab.file.id] = *key;
    for (const std::string& name : {lab.file.skeleton, lab.file.contract, std::string("README.md")})
      comparison.handed_out[lab.file.id].push_back(lab.file.folder / name);
  }
  if (const auto failure = write_to_mark(to_mark_csv(graded, keys))) return fail(kExitEnvironment, failure->sentence);
  comparison.progress = [this](const std::string& text) { progress_.show(text); };
  const Similarity similarity = compare_class(graded, comparison);
  if (const auto failure = write_overview(graded, similarity, out_)) return fail(kExitEnvironment, failure->sentence);
  progress_.clear();
  std::fputs(class_summary(graded, style_, out_, similarity).c_str(), stdout);
  if (const std::size_t waiting = count_waiting(graded); waiting > 0)
    fmt::print("{} be marked by hand: fill in points and remarks in {}, and grade once more.\n",
               waiting == 1 ? "1 answer must" : fmt::format("{} answers must", waiting), shown_path(out_ / kToMark));
  return kExitDone;
}

std::string graded_text(const GradedClass& graded) {
  std::size_t now = 0;
  std::size_t known = 0;
  for (const GradedStudent& student : graded.students)
    for (const GradedAttempt& attempt : student.attempts)
      if (attempt.verdict) ++(attempt.was_known ? known : now);
  return fmt::format("Graded now: {}; from earlier runs: {}. The seed was {}.", now, known, graded.seed);
}

std::size_t count_ungraded(const GradedClass& graded) {
  std::size_t count = 0;
  for (const GradedStudent& student : graded.students)
    for (const GradedAttempt& attempt : student.attempts) count += attempt.verdict ? 0 : 1;
  return count;
}

}  // namespace lanewise
