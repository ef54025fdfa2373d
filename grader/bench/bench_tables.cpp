// Judges and counts every step, then writes the tables that have changed.
#include "grader/bench/bench_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

#include "grader/bench/ladder_table.h"
#include "grader/bench/marked_section.h"
#include "grader/bench/speed_times.h"
#include "grader/workplace/exit_codes.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/modelled.h"
#include "harness/lab/read_file.h"
#include "harness/report/text_report.h"
#include "harness/runner/parallel.h"
#include "harness/runner/session/explain.h"
#include "harness/runner/session/problem_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestReadme = 4 << 20;

class TableMaker {
 public:
  explicit TableMaker(const BenchTablesRequest& request) : request_(request) {}

  int run();

 private:
  /// One ladder with the case that is counted, and the observations of its steps, in their order.
  struct Subject {
    const Ladder* ladder = nullptr;
    std::string sizes;
    fs::path problem;
    std::vector<StepObservation> steps;
  };

  int fail(int code, const std::string& sentence) const {
    request_.note(sentence);
    return code;
  }
  std::optional<Failure> prepare_problems(const fs::path& scratch);
  void observe(const fs::path& scratch);
  int tell_of_steps() const;
  int write_tables() const;
  int write_tables_of(const LabSelection& lab) const;
  int write_modelled_of(const LabSelection& lab) const;
  int write_speed_of(const LabSelection& lab) const;
  std::string compiler() const { return request_.workplace->builder.toolchain().description(); }
  /// What another toolchain made is left alone; a check compares only what this very version made.
  bool leaves_alone(const std::string& made_with) const {
    return request_.check ? made_with != compiler() : toolchain_of(made_with) != toolchain_of(compiler());
  }

  const BenchTablesRequest& request_;
  std::vector<Subject> subjects_;
};

std::optional<Failure> TableMaker::prepare_problems(const fs::path& scratch) {
  for (const Ladder& ladder : (*request_.ladders)) {
    Subject& subject = subjects_.emplace_back();
    subject.ladder = &ladder;
    subject.steps.resize(ladder.steps.size());
    subject.problem = scratch / (ladder.file->name + ".problem");
    const std::string where = fmt::format("{}, case '{}': ", ladder.file->name, ladder.file->ladder.case_name);
    const auto made = problem_of(ladder, case_of(*ladder.file, ladder.file->ladder.case_name));
    if (const auto* missing = std::get_if<MissingData>(&made)) return Failure{where + missing->sentence};
    const auto& problem = std::get<Problem>(made);
    subject.sizes = describe_scalars(problem);
    if (auto failure = write_problem(problem, subject.problem)) return Failure{where + failure->sentence};
  }
  return std::nullopt;
}

void TableMaker::observe(const fs::path& scratch) {
  struct Job {
    Subject* subject;
    std::size_t step;
  };
  std::vector<Job> jobs;
  for (Subject& subject : subjects_)
    for (std::size_t i = 0; i < subject.steps.size(); ++i) jobs.push_back({&subject, i});
  std::atomic<std::size_t> done{0};
  run_in_parallel(jobs.size(), request_.jobs, [&](std::size_t i) {
    const auto& [subject, step] = jobs[i];
    const Ladder& ladder = *subject->ladder;
    subject->steps[step] = observe_step(ladder, ladder.steps[step], *request_.workplace, subject->problem, scratch);
    request_.progress->show(fmt::format("{} of {} steps and peers on the virtual GPU", ++done, jobs.size()));
  });
  request_.progress->clear();
}

// Peers may differ: no verdict is declared for a library.
int TableMaker::tell_of_steps() const {
  int code = kExitDone;
  for (const Subject& subject : subjects_) {
    for (std::size_t i = 0; i < subject.steps.size(); ++i) {
      const StepObservation& step = subject.steps[i];
      if (!step.was_run) continue;
      const std::string name = fmt::format("{} · {}", subject.ladder->file->name, step.file);
      if (!step.trouble.empty()) code = fail(kExitNotGraded, fmt::format("{}: {}", name, step.trouble));
      if (subject.ladder->steps[i].kind == SolutionFile::Kind::kPeer) continue;
      if (step.right < step.cases)
        code = fail(kExitNotGraded, fmt::format("{}: {} of {} cases are right", name, step.right, step.cases));
      if (!step.findings.empty())
        code = fail(kExitNotGraded, fmt::format("{}: the checkers found something; 'lanewise verify {}' shows what",
                                                name, subject.ladder->file->name));
    }
  }
  return code;
}

int TableMaker::write_tables_of(const LabSelection& lab) const {
  const fs::path folder = request_.workplace->installation.solutions / lab.file.id;
  const fs::path file = folder / "README.md";
  const auto before = read_file(file, kLargestReadme);
  if (!before) return fail(kExitEnvironment, before.sentence());
  const auto measured = read_measured(folder / "measured.toml");
  if (!measured) return fail(kExitEnvironment, measured.sentence());

  std::string after = *before;
  std::vector<std::string> stale;
  for (const Subject& subject : subjects_) {
    if (subject.ladder->lab != &lab) continue;
    const TaskFile& task = *subject.ladder->file;
    const std::string table =
        ladder_table(task, {task.name, task.ladder.case_name, subject.sizes, lab.file.profile, compiler()},
                     subject.steps, find_measured(*measured, task.name, kRaceTimes));
    const auto old = section_of(*before, section_name(task.name));
    const auto old_compiler = old ? compiler_of_section(*old) : std::nullopt;
    if (old_compiler && leaves_alone(*old_compiler)) {
      request_.note(fmt::format("{}: the table of {} was made with {}, this is {}: {}", shown_path(file), task.name,
                                *old_compiler, compiler(), request_.check ? "not compared" : "left as it is"));
      continue;
    }
    auto replaced = with_section(after, section_name(task.name), table);
    if (!replaced) return fail(kExitEnvironment, fmt::format("{}: {}", shown_path(file), replaced.sentence()));
    if (*replaced != after) stale.push_back(task.name);
    after = std::move(*replaced);
  }
  const std::string tables = fmt::format("{}", fmt::join(stale, ", "));
  if (request_.check) {
    if (stale.empty()) return kExitDone;
    return fail(kExitNotGraded, fmt::format("{}: the table of {} is stale; run 'lanewise bench {}'", shown_path(file),
                                            tables, fmt::join(stale, " ")));
  }
  if (!stale.empty())
    if (const auto failure = write_report(file, after)) return fail(kExitEnvironment, failure->sentence);
  std::printf("%s  %s\n", shown_path(file).c_str(), stale.empty() ? "unchanged" : ("written: " + tables).c_str());
  return kExitDone;
}

namespace {

// A library's step as it is on file, if its new times are the same but for a thousandth: CUB's have differed by a
// ten-thousandth between two machines.
ModelledStep as_known(ModelledStep step, const ModelledTask* known) {
  if (known == nullptr || step.step.rfind("library_", 0) != 0) return step;
  const auto is_close = [](double a, double b) { return std::abs(a - b) <= b / 1000; };
  for (const ModelledStep& old : known->steps)
    if (old.step == step.step && is_close(step.nanoseconds, old.nanoseconds) && is_close(step.scored, old.scored) &&
        is_close(step.at_scale, old.at_scale) && old.bound_by == step.bound_by && old.goals == step.goals)
      return old;
  return step;
}

}  // namespace

// Steps without a modelled time are not in the file; nor is a task without any.
int TableMaker::write_modelled_of(const LabSelection& lab) const {
  const fs::path file = request_.workplace->installation.solutions / lab.file.id / "modelled.toml";
  const auto before = read_modelled(file);
  if (!before) return fail(kExitEnvironment, before.sentence());
  std::vector<ModelledTask> after = *before;
  for (const Subject& subject : subjects_) {
    if (subject.ladder->lab != &lab) continue;
    const TaskFile& task = *subject.ladder->file;
    const ModelledTask* const known = find_modelled(*before, task.name);
    ModelledTask modelled{task.name, task.ladder.case_name, lab.file.profile, compiler(), {}, task.speed.modelled_case};
    for (const StepObservation& step : subject.steps)
      if (step.modelled.call.nanoseconds > 0)
        modelled.steps.push_back(
            as_known({step.file, step.modelled.call.nanoseconds, step.modelled.at_scale.nanoseconds,
                      step.modelled.call.bound_by, step.speed_milliseconds * 1e6, step.goals},
                     known));
    if (known != nullptr && leaves_alone(known->compiler)) continue;  // the table's note says so
    if (known != nullptr || !modelled.steps.empty()) after = with_modelled(std::move(after), modelled);
  }
  const std::string text = modelled_text(after);
  if (text == modelled_text(*before)) return kExitDone;
  if (request_.check)
    return fail(kExitNotGraded, fmt::format("{} is stale; run 'lanewise bench {}'", shown_path(file), lab.file.id));
  if (const auto failure = write_report(file, text)) return fail(kExitEnvironment, failure->sentence);
  return kExitDone;
}

int TableMaker::write_speed_of(const LabSelection& lab) const {
  std::vector<ObservedLadder> observed;
  for (const Subject& subject : subjects_)
    if (subject.ladder->lab == &lab) observed.push_back({subject.ladder, &subject.steps});
  const SpeedMarksUpdate update = update_speed_marks(lab.file, observed, compiler(), request_.check);
  int code = kExitDone;
  for (const std::string& trouble : update.troubles) code = fail(kExitNotGraded, trouble);
  const std::string file = shown_path(lab.file.folder / "speed.toml");
  if (update.is_changed && request_.check)
    return fail(kExitNotGraded, fmt::format("{} is stale; run 'lanewise bench {}'", file, lab.file.id));
  if (!request_.check) std::printf("%s  %s\n", file.c_str(), update.is_changed ? "written" : "unchanged");
  return code;
}

int TableMaker::write_tables() const {
  int code = kExitDone;
  for (const LabSelection& lab : (*request_.labs)) {
    const bool has_ladder = std::any_of((*request_.ladders).begin(), (*request_.ladders).end(),
                                        [&lab](const Ladder& ladder) { return ladder.lab == &lab; });
    if (has_ladder) code = std::max({code, write_tables_of(lab), write_modelled_of(lab), write_speed_of(lab)});
  }
  return code;
}

int TableMaker::run() {
  const auto scratch = TemporaryFolder::create();
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  if (const auto failure = prepare_problems(scratch->path())) return fail(kExitEnvironment, failure->sentence);
  observe(scratch->path());
  const int code = tell_of_steps();
  return std::max(code, write_tables());
}

}  // namespace

int make_tables(const BenchTablesRequest& request) { return TableMaker(request).run(); }

}  // namespace lanewise
