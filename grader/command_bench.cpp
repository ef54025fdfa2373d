// `lanewise bench`: what every step of a ladder costs, as the tables in solutions/*/README.md show it: counters from
// the virtual GPU, times from a GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <thread>

#include "grader/call_list.h"
#include "grader/commands.h"
#include "grader/gpu_times.h"
#include "grader/ladder_steps.h"
#include "grader/ladder_table.h"
#include "grader/marked_section.h"
#include "grader/temporary_folder.h"
#include "grader/workplace.h"
#include "harness/lab/read_file.h"
#include "harness/report/progress.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_report.h"
#include "harness/runner/explain.h"
#include "harness/runner/parallel.h"
#include "harness/runner/problem_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestReadme = 4 << 20;

struct BenchOptions {
  std::vector<std::string> names;
  std::string backend = "auto";
  std::string calls;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool check = false;
  bool list_counters = false;
};

constexpr const char* kExamples = R"(
Examples:
  lanewise bench                   every ladder's table in solutions/*/README.md, anew
  lanewise bench blur              that of one task
  lanewise bench --check           write nothing; exit code 1 if a table is not what would be written
  lanewise bench --backend gpu     times on this machine's GPU, into solutions/*/measured.toml, and no tables
  lanewise bench --write-calls DIR what a profiler or sanitizer needs to follow each step: DIR/calls has the commands
  lanewise bench --list-counters   what a lab.toml may name

A task takes part whose lab.toml says what its table shows:

  [task.ladder]
  case = "two million"                                         # of the group check
  counters = ["instructions", "sectors_per_request.global_load"]

On the virtual GPU every step and peer is judged with all check cases under all checkers; then one call with that case is
counted. The same files, compiled by the same nvcc, give the same table. The times in it come from
solutions/<lab>/measured.toml. Where there is an NVIDIA GPU, they are taken first: every step and peer at the race cases,
outputs poisoned and L2 cache flushed before each sample, the median of at least 15 (3 where a call takes long), and the
last sample's outputs judged.

Exit codes: 0 done, 1 a step is not right or not clean, or (with --check) a table is stale, 2 the command line makes no
sense, 3 something lanewise needs is missing.)";

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options), progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {}

  int run();

 private:
  /// One ladder with the case that is counted, and what was seen of its steps, in their order.
  struct Subject {
    const Ladder* ladder = nullptr;
    std::string sizes;
    fs::path problem;
    std::vector<StepObservation> steps;
  };

  int fail(int code, const std::string& sentence);
  void note(const std::string& sentence) { fail(0, sentence); }
  int select(const Installation& installation);
  int tell_of_missing_ladders();
  std::optional<Failure> prepare_problems(const fs::path& scratch);
  void observe(const Workplace& workplace, const fs::path& scratch);
  int make_tables(const Installation& installation);
  int measure(const Workplace& workplace);
  std::optional<Failure> keep_times(const Ladder& ladder, const MeasuredTask& task, const fs::path& solutions);
  void build_ahead(const Workplace& workplace);
  int write_calls(const Workplace& workplace);
  int write_tables(const Workplace& workplace);
  int write_tables_of(const LabSelection& lab, const Workplace& workplace);
  int tell_of_steps();

  const BenchOptions& options_;
  Progress progress_;
  std::vector<Lab> all_labs_;
  std::vector<LabSelection> labs_;
  std::vector<Ladder> ladders_;
  std::vector<Subject> subjects_;
};

int Bench::fail(int code, const std::string& sentence) {
  progress_.clear();
  std::fprintf(stderr, "lanewise bench: %s\n", safe_line(sentence).c_str());
  return code;
}

int list_counters() {
  std::size_t widest = 0;
  for (const Counter& counter : known_counters()) widest = std::max(widest, counter.name.size());
  for (const Counter& counter : known_counters())
    std::printf("%-*s  %s\n", static_cast<int>(widest), counter.name.c_str(), counter.heading.c_str());
  return kExitDone;
}

int Bench::select(const Installation& installation) {
  all_labs_ = all_labs();
  const auto all = read_labs(all_labs_, installation.labs);
  if (!all) return fail(kExitEnvironment, all.sentence());
  const auto selected = select_labs(*all, options_.names);
  if (!selected) return fail(kExitUsage, selected.sentence());
  labs_ = *selected;
  std::error_code error;
  if (!fs::exists(installation.solutions, error))
    return fail(kExitEnvironment, installation.solutions.string() + ": there are no solutions to measure");
  ladders_ = find_ladders(labs_, installation.solutions);
  if (!ladders_.empty()) return options_.check ? tell_of_missing_ladders() : kExitDone;
  const std::string named = options_.names.empty() ? "any lab" : fmt::format("{}", fmt::join(options_.names, ", "));
  return fail(kExitUsage, fmt::format("the lab.toml of {} has no [task.ladder] that says what to show", named));
}

// Every task's solutions have a table.
int Bench::tell_of_missing_ladders() {
  int code = kExitDone;
  for (const LabSelection& lab : labs_)
    for (const TaskFile& task : lab.file.tasks)
      if (task.ladder.case_name.empty() && (lab.tasks.empty() || lab.tasks.count(task.name) != 0))
        code =
            fail(kExitNotGraded, fmt::format("{}:{}: the task {} has no [task.ladder], so its solutions have no table",
                                             shown_path(lab.file.folder / "lab.toml"), task.line, task.name));
  return code;
}

std::optional<Failure> Bench::prepare_problems(const fs::path& scratch) {
  for (const Ladder& ladder : ladders_) {
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

void Bench::observe(const Workplace& workplace, const fs::path& scratch) {
  struct Job {
    Subject* subject;
    std::size_t step;
  };
  std::vector<Job> jobs;
  for (Subject& subject : subjects_)
    for (std::size_t i = 0; i < subject.steps.size(); ++i) jobs.push_back({&subject, i});
  std::atomic<std::size_t> done{0};
  run_in_parallel(jobs.size(), options_.jobs, [&](std::size_t i) {
    const auto& [subject, step] = jobs[i];
    const Ladder& ladder = *subject->ladder;
    subject->steps[step] = observe_step(ladder, ladder.steps[step], workplace, subject->problem, scratch);
    progress_.show(fmt::format("{} of {} steps and peers on the virtual GPU", ++done, jobs.size()));
  });
  progress_.clear();
}

// Peers may differ: how a library does is not ours to declare.
int Bench::tell_of_steps() {
  int code = kExitDone;
  for (const Subject& subject : subjects_) {
    for (std::size_t i = 0; i < subject.steps.size(); ++i) {
      const StepObservation& step = subject.steps[i];
      if (!step.was_run) continue;
      const std::string name = fmt::format("{} · {}", subject.ladder->file->name, step.file);
      if (!step.trouble.empty()) code = fail(kExitNotGraded, fmt::format("{}: {}", name, step.trouble));
      if (subject.ladder->steps[i].kind == DemoSubmission::Kind::kPeer) continue;
      if (step.right < step.cases)
        code = fail(kExitNotGraded, fmt::format("{}: {} of {} cases are right", name, step.right, step.cases));
      if (!step.findings.empty())
        code = fail(kExitNotGraded, fmt::format("{}: the checkers found something; 'lanewise demo {}' tells what", name,
                                                subject.ladder->file->name));
    }
  }
  return code;
}

int Bench::write_tables_of(const LabSelection& lab, const Workplace& workplace) {
  const fs::path folder = workplace.installation.solutions / lab.file.id;
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
    const auto times = std::find_if(measured->begin(), measured->end(),
                                    [&task](const MeasuredTask& each) { return each.name == task.name; });
    const std::string& compiler = workplace.builder.compiler_version();
    const std::string table =
        ladder_table(task, {task.name, task.ladder.case_name, subject.sizes, lab.file.profile, compiler}, subject.steps,
                     times != measured->end() ? &*times : nullptr);
    const auto old = section_of(*before, section_name(task.name));
    const auto old_compiler = old ? compiler_of_section(*old) : std::nullopt;
    if (options_.check && old_compiler && *old_compiler != compiler) {
      note(fmt::format("{}: the table of {} was made with nvcc {}, this is {}: not compared", shown_path(file),
                       task.name, *old_compiler, compiler));
      continue;
    }
    auto replaced = with_section(after, section_name(task.name), table);
    if (!replaced) return fail(kExitEnvironment, fmt::format("{}: {}", shown_path(file), replaced.sentence()));
    if (*replaced != after) stale.push_back(task.name);
    after = std::move(*replaced);
  }
  const std::string tables = fmt::format("{}", fmt::join(stale, ", "));
  if (options_.check) {
    if (stale.empty()) return kExitDone;
    return fail(kExitNotGraded, fmt::format("{}: the table of {} is stale; 'lanewise bench {}' writes it anew",
                                            shown_path(file), tables, fmt::join(stale, " ")));
  }
  if (!stale.empty())
    if (const auto failure = write_report(file, after)) return fail(kExitEnvironment, failure->sentence);
  std::printf("%s  %s\n", shown_path(file).c_str(), stale.empty() ? "unchanged" : ("written: " + tables).c_str());
  return kExitDone;
}

int Bench::write_tables(const Workplace& workplace) {
  int code = kExitDone;
  for (const LabSelection& lab : labs_) {
    const bool has_ladder =
        std::any_of(ladders_.begin(), ladders_.end(), [&lab](const Ladder& ladder) { return ladder.lab == &lab; });
    if (has_ladder) code = std::max(code, write_tables_of(lab, workplace));
  }
  return code;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::optional<Failure> Bench::keep_times(const Ladder& ladder, const MeasuredTask& task, const fs::path& solutions) {
  const fs::path file = solutions / ladder.lab->file.id / "measured.toml";
  const auto known = read_measured(file);
  if (!known) return known.failure();
  return write_report(file, measured_text(with_task(*known, task)));
}

int Bench::measure(const Workplace& workplace) {
  build_ahead(workplace);
  const auto scratch = TemporaryFolder::create();
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  int code = kExitDone;
  TimingOptions timing;
  timing.scratch = scratch->path();
  timing.date = today();
  timing.progress = [this](const std::string& text) { progress_.show(text); };
  timing.trouble = [this](const std::string& text) { note(text); };
  for (const Ladder& ladder : ladders_) {
    const auto measured = time_ladder(ladder, workplace, timing);
    progress_.clear();
    if (!measured) return fail(kExitEnvironment, measured.sentence());
    // Peers may differ: how a library does is not ours to declare.
    for (const DemoSubmission& step : ladder.steps)
      if (step.kind == DemoSubmission::Kind::kLadder && !has_right_times(*measured, *ladder.file, timing.group, step))
        code = kExitNotGraded;
    std::fputs(times_text(*measured, ladder).c_str(), stdout);
    std::fflush(stdout);
    if (measured->times.empty()) continue;
    if (const auto failure = keep_times(ladder, *measured, workplace.installation.solutions))
      return fail(kExitEnvironment, failure->sentence);
  }
  return code;
}

void Bench::build_ahead(const Workplace& workplace) {
  build_ladders(ladders_, workplace, options_.jobs, [this](std::size_t done, std::size_t all) {
    progress_.show(fmt::format("{} of {} compiled", done, all));
  });
  progress_.clear();
}

int Bench::write_calls(const Workplace& workplace) {
  build_ahead(workplace);
  const auto calls = write_call_list(ladders_, workplace, fs::absolute(options_.calls));
  if (!calls) return fail(kExitEnvironment, calls.sentence());
  for (const fs::path& file : calls->not_compiled) fail(kExitNotGraded, file.string() + " does not compile");
  return calls->not_compiled.empty() ? kExitDone : kExitNotGraded;
}

int Bench::run() {
  const Installation installation = this_installation();
  if (const int code = select(installation); code != kExitDone) return code;
  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, value] : backend_choices())
    if (name == options_.backend) choice = value;
  if (options_.check && choice == BackendChoice::kGpu)
    return fail(kExitUsage, "--check is about the tables, which are written on the virtual GPU");
  if (options_.check && !options_.calls.empty())
    return fail(kExitUsage, "--check writes nothing: leave out --write-calls");
  if (options_.check) choice = BackendChoice::kVgpu;
  int code = kExitDone;
  if (choice != BackendChoice::kVgpu || !options_.calls.empty()) {
    const auto workplace = open_workplace(installation, choice);
    if (!workplace) return fail(kExitEnvironment, workplace.sentence());
    if (!options_.calls.empty()) return write_calls(*workplace);
    if (!workplace->backend.is_virtual()) code = measure(*workplace);
    if (code > kExitNotGraded || choice == BackendChoice::kGpu) return code;
  }
  return std::max(code, make_tables(installation));
}

int Bench::make_tables(const Installation& installation) {
  const auto workplace = open_workplace(installation, BackendChoice::kVgpu);
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());
  const auto scratch = TemporaryFolder::create();
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  if (const auto failure = prepare_problems(scratch->path())) return fail(kExitEnvironment, failure->sentence);
  observe(*workplace, scratch->path());
  const int code = tell_of_steps();
  return std::max(code, write_tables(*workplace));
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Write the tables of what each step of a ladder costs");
  command->footer(kExamples);
  command->add_option("names", options->names, "Labs or tasks; all labs if none is named")->type_name("LAB|TASK");
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command->add_option("--backend", options->backend, "vgpu: the tables. gpu: the times in them. auto: what is there")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  command->add_flag("--check", options->check, "Write nothing, and fail where a table is stale");
  command->add_option("--write-calls", options->calls, "Build every step and peer, and write the calls of them here")
      ->type_name("DIR");
  command->add_flag("--list-counters", options->list_counters, "List the counters that a lab.toml may name");
  command->add_option("--jobs", options->jobs, "Steps run at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->callback(
      [options, &exit_code] { exit_code = options->list_counters ? list_counters() : Bench(*options).run(); });
}

}  // namespace lanewise
