// `lanewise check` and `watch`: grade the user's own work and say what is wrong and where.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "grader/commands/check_options.h"
#include "grader/commands/commands.h"
#include "grader/workplace/foreground.h"
#include "grader/workplace/saved_files.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/verdict_cache.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/declared/sums.h"
#include "harness/lab/nearest_name.h"
#include "harness/report/editor_lines.h"
#include "harness/report/html_report.h"
#include "harness/report/json_report.h"
#include "harness/report/platform_results.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_report.h"
#include "harness/runner/content_hash.h"
#include "harness/runner/interruption.h"
#include "harness/runner/parallel.h"
#include "harness/runner/verdict/grade.h"
#include "harness/runner/verdict/task_run.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::set<std::string> groups_of(const std::string& cases) {
  if (cases == "grade") return {"check", "grade"};
  return {cases};
}

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// A submission that was found, or why there is none.
struct Subject {
  const LabSelection* lab = nullptr;
  GradeRequest request;
  std::string failure;
};

class Check {
 public:
  explicit Check(const CheckOptions& options)
      : options_(options), style_(style_for(STDOUT_FILENO)), progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {
    style_.details = options.details;
  }

  int run();
  /// With `watch`: whether a file was saved, so that everything begins anew.
  bool is_outdated() const { return is_outdated_; }

 private:
  int fail(int code, const std::string& sentence);
  int select(const Installation& installation);
  int select_cases();
  int check_all(const Installation& installation, const fs::path& scratch);
  int stop_early();
  void watch_files();
  int wait_for_saving(int exit_code);
  void find_subjects(const Installation& installation, const fs::path& scratch);
  void build_ahead(const Workplace& workplace);
  void check(const Workplace& workplace, const VerdictCache& cache, const Subject& subject);
  void show(const Verdict& verdict, const std::string& since, const std::optional<KnownVerdict>& earlier);
  void list_problems(const Subject& subject, const Verdict& verdict);
  void write_html(const Subject& subject, const Verdict& verdict, const fs::path& pictures);
  void could_not(const Subject& subject, const std::string& sentence);
  bool has_oracle(const Subject& subject);
  void note_sums(const Subject& subject);
  bool is_below_full(const Verdict& verdict) const;
  fs::path html_folder(const Subject& subject) const;

  const CheckOptions& options_;
  TextStyle style_;
  Progress progress_;
  std::vector<LabSelection> labs_;
  std::vector<Subject> subjects_;
  std::vector<Verdict> verdicts_;
  std::vector<Ungraded> ungraded_;
  std::size_t checked_ = 0;  // subjects
  fs::path html_root_;
  int exit_code_ = kExitDone;
  bool has_printed_ = false;
  std::string next_;                   ///< the one thing to do next, of the first lab that has one
  bool has_failed_ = false;            // with --fail-fast
  std::unique_ptr<SavedFiles> saved_;  // with `watch`
  bool is_outdated_ = false;
};

int Check::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise %s: %s\n", options_.watches ? "watch" : "check", safe_line(sentence).c_str());
  return code;
}

void Check::could_not(const Subject& subject, const std::string& sentence) {
  exit_code_ = std::max(exit_code_, fail(kExitNotGraded, sentence));
  ungraded_.push_back({subject.lab->file.id, sentence});
}

// What is wrong with it is the lab's author's.
bool Check::has_oracle(const Subject& subject) {
  const auto& trouble = subject.lab->lab->trouble;
  const std::string sentence = trouble ? trouble() : "";
  if (sentence.empty()) return true;
  exit_code_ = fail(kExitEnvironment, sentence);
  ungraded_.push_back({subject.lab->file.id, sentence});
  return false;
}

// For the author of a declared lab, who begins with `lanewise check`. What the oracle itself does wrong is told with
// each case.
void Check::note_sums(const Subject& subject) {
  if (subject.lab->file.oracle.empty()) return;
  for (const TaskFile& task : subject.lab->file.tasks) try {
      const std::string name =
          order_dependent_sum(subject.lab->file.id, *find_task(*subject.lab->lab, task.name), task);
      if (name.empty()) continue;
      progress_.clear();
      fmt::print(stderr, "lanewise check: note on {} · {}: {}\n", subject.lab->file.id, task.name,
                 sum_note(task, name));
    } catch (const std::invalid_argument&) {
    }
}

int Check::run() {
  const Installation installation = this_installation();
  if (const int code = select(installation); code != kExitDone) return code;
  if (const int code = select_cases(); code != kExitDone) return code;
  note_interruption();
  html_root_ = options_.html.empty() ? installation.reports / "check" : fs::path(options_.html);
  const auto scratch = TemporaryFolder::create();
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  find_subjects(installation, scratch->path());
  if (!options_.watches) return check_all(installation, scratch->path());
  watch_files();
  return wait_for_saving(check_all(installation, scratch->path()));
}

int Check::check_all(const Installation& installation, const fs::path& scratch) {
  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, value] : backend_choices())
    if (name == options_.backend) choice = value;
  const auto workplace = open_workplace(installation, choice, nullptr, toolchain_choice(options_.toolchain));
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());
  const VerdictCache cache(*workplace);
  build_ahead(*workplace);
  while (checked_ < subjects_.size() && !is_interrupted() && !has_failed_) {
    check(*workplace, cache, subjects_[checked_]);
    if (!is_interrupted()) ++checked_;
  }
  if (is_interrupted() || has_failed_) return stop_early();
  std::fputs(next_.c_str(), stdout);

  const std::string report = json_report(verdicts_, ungraded_);
  if (!options_.json.empty())
    if (const auto failure = write_report(options_.json, report)) return fail(kExitEnvironment, failure->sentence);
  for (const std::string& results : options_.results) {
    const std::size_t colon = results.find(':');
    const std::string text = platform_format(results.substr(0, colon))->write(report, scratch, variable);
    if (const auto failure = write_report(results.substr(colon + 1), text))
      return fail(kExitEnvironment, failure->sentence);
  }
  return exit_code_;
}

// After Ctrl-C or with --fail-fast. What is left is named, and no results.json is written, for it would be incomplete.
int Check::stop_early() {
  progress_.clear();
  if (saved_ && saved_->have_interrupted()) return kExitDone;
  std::vector<std::string> rest;
  for (std::size_t i = checked_; i < subjects_.size(); ++i) rest.push_back(subjects_[i].lab->file.id);
  if (is_interrupted()) {
    const std::string about = rest.empty() ? "" : fmt::format("; not finished: {}", fmt::join(rest, ", "));
    return fail(kExitInterrupted, "interrupted" + about);
  }
  if (!rest.empty())
    std::printf("\nnot checked, because of --fail-fast: %s\n", fmt::format("{}", fmt::join(rest, ", ")).c_str());
  return exit_code_;
}

// On an empty screen, if there is one.
void Check::watch_files() {
  if (style_.colour) std::fputs("\x1b[H\x1b[2J", stdout);
  std::vector<fs::path> files;
  for (const Subject& subject : subjects_)
    if (subject.failure.empty()) files.insert(files.end(), {subject.request.source, subject.request.answers});
  if (options_.problems) std::puts("checking");  // an editor forgets the problems it knows
  std::fflush(stdout);
  saved_ = std::make_unique<SavedFiles>(std::move(files));
  saved_->interrupt_when_saved();
}

// Unless something is missing, as it will be again. The last line has no end: the cursor takes no line of the screen.
int Check::wait_for_saving(int exit_code) {
  saved_->end_interrupting();
  if (exit_code == kExitEnvironment || (is_interrupted() && !saved_->have_interrupted())) return exit_code;
  is_outdated_ = saved_->have_interrupted() && saved_->wait();
  if (is_outdated_) return kExitDone;
  std::vector<std::string> names;
  for (const Subject& subject : subjects_)
    if (subject.failure.empty()) names.push_back(shown_path(subject.request.source));
  if (names.empty()) return exit_code;
  if (names.size() > 3) names = {fmt::format("{} files", names.size())};
  std::printf("watching %s: save to check again, Ctrl-C ends%s", fmt::format("{}", fmt::join(names, ", ")).c_str(),
              options_.problems ? "\n" : "");
  std::fflush(stdout);
  is_outdated_ = saved_->wait();
  std::fputs("\n", stdout);
  return kExitDone;
}

// Only tasks that have one of the cases are left.
int Check::select_cases() {
  const std::set<std::string> groups = groups_of(options_.cases);
  std::vector<std::string> known;
  std::set<std::string> missing(options_.only.begin(), options_.only.end());
  std::vector<LabSelection> labs;
  for (LabSelection lab : labs_) {
    std::set<std::string> tasks;
    for (const TaskFile& task : lab.file.tasks) {
      if (!lab.tasks.empty() && lab.tasks.count(task.name) == 0) continue;
      for (const CaseFile& each : task.cases) {
        if (groups.count(each.group) == 0) continue;
        known.push_back(each.name);
        if (std::find(options_.only.begin(), options_.only.end(), each.name) == options_.only.end()) continue;
        missing.erase(each.name);
        tasks.insert(task.name);
      }
    }
    if (tasks.empty()) continue;
    lab.tasks = tasks;
    labs.push_back(std::move(lab));
  }
  if (options_.only.empty()) return kExitDone;
  if (missing.empty()) {
    labs_ = std::move(labs);
    return kExitDone;
  }
  const std::string group = options_.cases == "check" ? "; --cases grade and --cases race add others" : "";
  const std::string all = fmt::format("the cases are {}{}", fmt::join(known, ", "), group);
  return fail(kExitUsage, unknown_name("case", *missing.begin(), known, all));
}

int Check::select(const Installation& installation) {
  const auto all = known_labs(installation, options_.names, Oracles::kBegun);
  if (!all) return fail(kExitEnvironment, all.sentence());
  const auto named = select_labs(*all, options_.names);
  if (!named) return fail(kExitUsage, named.sentence());
  labs_ = *named;
  if (options_.submission.empty()) {
    if (const auto here = lab_around(labs_, fs::path(".")); here && options_.names.empty()) labs_ = {*here};
    return kExitDone;
  }
  std::error_code error;
  const fs::file_status status = fs::status(options_.submission, error);
  if (status.type() == fs::file_type::not_found)
    return fail(kExitUsage, options_.submission + ": there is no such file or folder");
  if (!fs::status_known(status))
    return fail(kExitUsage, fmt::format("{}: cannot be accessed ({})", options_.submission, error.message()));
  if (!options_.names.empty()) return kExitDone;
  const auto meant = labs_of_submission(labs_, options_.submission);
  if (!meant) return fail(kExitUsage, meant.sentence());
  labs_ = *meant;
  return kExitDone;
}

// Pictures of wrong cases go into `scratch`, so that they are not mixed with those of another check or with someone's
// own files.
void Check::find_subjects(const Installation& installation, const fs::path& scratch) {
  const std::optional<fs::path> submission =
      options_.submission.empty() ? std::nullopt : std::optional<fs::path>(options_.submission);
  for (const LabSelection& lab : labs_) {
    Subject& subject = subjects_.emplace_back();
    subject.lab = &lab;
    const auto source = find_source(lab.file, submission);
    if (!source) {
      subject.failure = source.sentence();
      continue;
    }
    GradeRequest& request = subject.request;
    request.lab = lab.lab;
    request.file = &lab.file;
    request.source = *source;
    request.answers = source->parent_path() / "answers.toml";
    request.key = installation.solutions / lab.file.id / "answers.toml";
    request.tasks = lab.tasks;
    request.groups = groups_of(options_.cases);
    request.cases = {options_.only.begin(), options_.only.end()};
    request.stops_at_failure = options_.fail_fast;
    request.seed = options_.seed;
    if (!options_.no_timing) request.timer = time_entries;
    request.pictures = scratch / lab.file.id;
    request.progress = [this](const std::string& text) { progress_.show(text); };
    request.lab_failed = [this](const std::string& sentence) {
      exit_code_ = std::max(exit_code_, fail(kExitNotGraded, sentence));
    };
  }
}

// Compiling takes seconds per file, in any order: all files at once, so that grading finds everything built.
void Check::build_ahead(const Workplace& workplace) {
  if (subjects_.size() < 2) return;
  run_in_parallel(subjects_.size(), options_.jobs, [&](std::size_t i) {
    if (!subjects_[i].failure.empty()) return;
    // A failure here occurs again, and is reported, when the submission is graded.
    static_cast<void>(build_submission(subjects_[i].request, workplace.builder, workplace.backend));
  });
}

void Check::check(const Workplace& workplace, const VerdictCache& cache, const Subject& subject) {
  if (!subject.failure.empty()) return could_not(subject, subject.failure);
  const auto build = build_submission(subject.request, workplace.builder, workplace.backend);
  if (is_interrupted()) return;
  if (!build) return could_not(subject, build.sentence());
  if (!has_oracle(subject)) return;
  const auto key = cache.key_of(subject.request, *build);
  if (key && !options_.fresh && options_.only.empty()) {
    if (const auto known = cache.find(*key)) {
      verdicts_.push_back(known->verdict);
      show(known->verdict, known->since, std::nullopt);
      list_problems(subject, known->verdict);
      cache.keep_last(subject.request, known->verdict);
      write_html(subject, known->verdict, known->pictures);
      return;
    }
  }
  note_sums(subject);
  const auto verdict = grade(subject.request, workplace.installation, workplace.builder, workplace.backend);
  if (is_interrupted() && (!verdict || verdict->tasks.empty())) return;
  if (!verdict) return could_not(subject, verdict.sentence());
  const auto is_any = [&verdict](const auto& is_it) {
    return std::any_of(verdict->tasks.begin(), verdict->tasks.end(), is_it);
  };
  has_failed_ = options_.fail_fast && is_any([](const TaskVerdict& task) { return has_failed_case(task.cases); });
  if (is_interrupted() || has_failed_ || is_any([](const TaskVerdict& task) { return !task.partial.empty(); })) {
    show(*verdict, "", std::nullopt);
    list_problems(subject, *verdict);
    return;
  }
  if (key) cache.keep(*key, *verdict, subject.request);
  verdicts_.push_back(*verdict);
  show(*verdict, "", cache.last(subject.request));
  list_problems(subject, *verdict);
  cache.keep_last(subject.request, *verdict);
  write_html(subject, *verdict, subject.request.pictures);
}

bool Check::is_below_full(const Verdict& verdict) const {
  return std::any_of(verdict.tasks.begin(), verdict.tasks.end(), [](const TaskVerdict& task) {
    return task.state != TaskState::kGraded || task.max_points <= 0 || task.points < task.max_points;
  });
}

void Check::show(const Verdict& verdict, const std::string& since, const std::optional<KnownVerdict>& earlier) {
  progress_.clear();
  const bool is_full = !is_below_full(verdict);
  if (options_.require_full && !is_full) exit_code_ = std::max(exit_code_, kExitNotGraded);
  std::string text;
  if (!since.empty() && is_full) {
    for (const TaskVerdict& task : verdict.tasks) text += unchanged_line(task, since, style_);
  } else {
    const EarlierVerdict before = earlier ? EarlierVerdict{earlier->verdict, earlier->since} : EarlierVerdict{};
    text = text_report(verdict, style_, earlier ? &before : nullptr);
    if (next_.empty()) next_ = next_line(verdict, style_);
    const bool is_started = std::any_of(verdict.tasks.begin(), verdict.tasks.end(),
                                        [](const TaskVerdict& task) { return task.state != TaskState::kNotStarted; });
    if (!since.empty() && is_started) text += fmt::format("  unchanged since {}; --fresh runs it again\n", since);
  }
  if (has_printed_) std::fputs("\n", stdout);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  has_printed_ = true;
}

void Check::list_problems(const Subject& subject, const Verdict& verdict) {
  if (!options_.problems) return;
  const auto source = read_file(subject.request.source, kLargestSource);
  std::fputs(editor_lines(verdict, shown_path(subject.request.source), source ? *source : "").c_str(), stdout);
}

// A file from elsewhere has its own page beside that of labs/; in a folder given by --html it is the page.
fs::path Check::html_folder(const Subject& subject) const {
  fs::path folder = html_root_ / subject.lab->file.id;
  if (options_.submission.empty() || !options_.html.empty()) return folder;
  const fs::path& source = subject.request.source;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(source, error);
  const std::string place = content_hash((error ? source : real).string());
  return folder / fmt::format("{}-{}", source.stem().string(), place.substr(0, 8));
}

void Check::write_html(const Subject& subject, const Verdict& verdict, const fs::path& pictures) {
  const auto is_graded = [](const TaskVerdict& task) { return task.state != TaskState::kNotStarted; };
  if (std::none_of(verdict.tasks.begin(), verdict.tasks.end(), is_graded)) return;
  const auto source = read_file(subject.request.source, kLargestSource);
  const HtmlSources sources{pictures, source ? *source : "", subject.request.source.filename().string()};
  const fs::path page = html_folder(subject) / "report.html";
  if (const auto failure = write_report(page, html_report(verdict, sources))) {
    exit_code_ = fail(kExitEnvironment, failure->sentence);
    return;
  }
  if (options_.html.empty() && !is_below_full(verdict)) return;
  std::printf("  report     %s\n", shown_path(page).c_str());
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  for (const bool watches : {false, true}) {
    const auto options = std::make_shared<CheckOptions>();
    CLI::App* const command = watches ? add_watch_options(app, *options) : add_check_options(app, *options);
    command->callback([options, &exit_code] {
      Check check(*options);
      exit_code = check.run();
      if (!check.is_outdated()) return;
      std::fprintf(stderr, "lanewise watch: %s\n", safe_line(start_again().sentence).c_str());
      exit_code = kExitEnvironment;
    });
  }
}

}  // namespace lanewise
