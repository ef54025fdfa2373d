// `lanewise bench`: what every step of a ladder costs, as times from a GPU (bench_times), counters from the virtual GPU
// (bench_tables), and pages that show both (bench_pages).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <thread>

#include "grader/bench/bench_pages.h"
#include "grader/bench/bench_tables.h"
#include "grader/bench/bench_times.h"
#include "grader/bench/call_list.h"
#include "grader/commands/commands.h"
#include "grader/commands/toolchain_option.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_report.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOnlyPages = "pages";

struct BenchOptions {
  std::vector<std::string> names;
  std::string backend = "auto";
  std::string toolchain = "auto";
  std::string calls;
  std::string only;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool check = false;
  bool list_counters = false;
};

constexpr const char* kBenchExamples = R"(
Examples:
  lanewise bench                   rewrite every ladder's table in solutions/*/README.md, and the pages
  lanewise bench blur              one task's table
  lanewise bench --toolchain clang what students whose labs clang compiles are graded against, in labs/*/speed.toml
  lanewise bench --check           write nothing; exit code 1 if a table or a page is stale
  lanewise bench --backend gpu     measure times on this machine's GPU for solutions/*/measured.toml; rewrite the pages
  lanewise bench --only pages      only the pages, from the times on file
  lanewise bench --write-calls DIR prepare each step for a profiler or sanitizer: DIR/calls lists the commands
  lanewise bench --list-counters   the counters that a lab.toml may name

A task takes part if its lab.toml says what its table shows:

  [task.ladder]
  case = "two million"                                         # from the group check
  counters = ["instructions", "sectors_per_request.global_load"]
  losses = ["6_single_pass.cu"]                                # may be slower than the previous step: a lesson
  by_size = ["9_tile_shapes.cu"]                               # choose by the size: the order of times is not theirs
  note = "The library hides ..."                               # why the fastest step is behind its peer

  [task.scaling]                                               # throughput against size: a figure
  case = "race"                                                # from the group race
  parameters = ["n"]                                           # of its `make`, all set to each value in turn
  values = [4096, 65536, 1048576]

On the virtual GPU, every step and peer is judged on all check cases under all checkers; then one call with the ladder's
case is counted. The same files, compiled by the same compiler, give the same table, the same modelled times in
solutions/<lab>/modelled.toml, and the same times of baseline and reference in labs/<lab>/speed.toml, against which
students without a GPU are graded. Each toolchain has its own times in speed.toml; tables and modelled.toml are of the
one that made them first. The times in the table come from solutions/<lab>/measured.toml. On an NVIDIA GPU,
they are measured first, in these parts (--only picks one):

  roofs         the rates that reads, copies, triads and multiply-adds reach here, for solutions/roofs.toml
  race          every step and peer on the race cases: the median of at least 15 samples (3 if a call takes long)
  ladder-case   every step and peer on the ladder's case, briefly, for comparison with modelled times
  scaling       the last step, the reference and peers at the sizes in [task.scaling], briefly

Before each sample, outputs are poisoned and the L2 cache is flushed; the last sample's outputs are judged. Each
ladder's times are saved before the next ladder begins, so an interrupted run loses at most one. The pages are
solutions/README.md (every ladder's times, with figures) and solutions/MODEL.md (modelled times beside measured ones).

Exit codes: 0 done, 1 a step is not right or not clean, or (with --check) a table or page is stale, 2 the command line
makes no sense, 3 something lanewise needs is missing.)";

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options), progress_(STDERR_FILENO, style_for(STDERR_FILENO).width) {}

  int run();

 private:
  int fail(int code, const std::string& sentence);
  std::function<void(const std::string&)> note() {
    return [this](const std::string& sentence) { fail(0, sentence); };
  }
  int select(const Installation& installation);
  int tell_of_missing_ladders(const fs::path& solutions);
  int tables(const Installation& installation);
  int measure(const Workplace& workplace);
  int pages(const Installation& installation);
  void build_ahead(const Workplace& workplace);
  int write_calls(const Workplace& workplace);

  const BenchOptions& options_;
  Progress progress_;
  std::vector<LabSelection> every_lab_;
  std::vector<LabSelection> labs_;  ///< those asked for
  std::vector<Ladder> ladders_;
};

// Steps to compare, or a step and a peer. The only step of a warm-up has nothing beside it.
bool has_steps_to_compare(const std::vector<SolutionFile>& files, const std::string& task) {
  return std::count_if(files.begin(), files.end(), [&task](const SolutionFile& file) {
           const bool is_shown = file.kind == SolutionFile::Kind::kLadder || file.kind == SolutionFile::Kind::kPeer;
           return is_shown && file.task == task;
         }) > 1;
}

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
  const auto all = known_labs(installation, options_.names);
  if (!all) return fail(kExitEnvironment, all.sentence());
  every_lab_ = *all;
  const auto selected = select_labs(*all, options_.names);
  if (!selected) return fail(kExitUsage, selected.sentence());
  labs_ = *selected;
  std::error_code error;
  if (!fs::exists(installation.solutions, error))
    return fail(kExitEnvironment, installation.solutions.string() + ": there are no solutions to measure");
  ladders_ = find_ladders(labs_, installation.solutions);
  if (!ladders_.empty()) return options_.check ? tell_of_missing_ladders(installation.solutions) : kExitDone;
  const std::string named = options_.names.empty() ? "any lab" : fmt::format("{}", fmt::join(options_.names, ", "));
  return fail(kExitUsage, fmt::format("the lab.toml of {} has no [task.ladder] section that says what to show", named));
}

// Where solutions can be compared, there is a table.
int Bench::tell_of_missing_ladders(const fs::path& solutions) {
  int code = kExitDone;
  for (const LabSelection& lab : labs_) {
    const std::vector<SolutionFile> files = solution_files({lab}, solutions);
    for (const TaskFile& task : lab.file.tasks)
      if (task.ladder.case_name.empty() && has_steps_to_compare(files, task.name))
        code =
            fail(kExitNotGraded, fmt::format("{}:{}: the task {} has no [task.ladder], so its solutions have no table",
                                             shown_path(lab.file.folder / "lab.toml"), task.line, task.name));
  }
  return code;
}

int Bench::measure(const Workplace& workplace) {
  if (options_.only != "roofs") build_ahead(workplace);
  BenchTimesRequest request;
  request.ladders = &ladders_;
  request.workplace = &workplace;
  if (!options_.only.empty()) {
    request.parts = {options_.only == "race", options_.only == "ladder-case", options_.only == "scaling"};
    request.roofs = options_.only == "roofs";
  }
  request.progress = &progress_;
  request.note = note();
  return measure_ladders(request);
}

int Bench::tables(const Installation& installation) {
  const auto workplace =
      open_workplace(installation, BackendChoice::kVgpu, nullptr, toolchain_choice(options_.toolchain));
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());
  return make_tables({&labs_, &ladders_, &*workplace, options_.jobs, options_.check, &progress_, note()});
}

int Bench::pages(const Installation& installation) {
  return make_pages({every_lab_, installation.solutions, options_.check, note()});
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
    return fail(kExitUsage, "--check compares the tables, which are made on the virtual GPU");
  if (options_.check && !options_.calls.empty())
    return fail(kExitUsage, "--check writes nothing: leave out --write-calls");
  const bool is_timing = !options_.only.empty() && options_.only != kOnlyPages;
  if (options_.check && is_timing) return fail(kExitUsage, "--check writes nothing, so there is nothing to time");
  if (options_.only == kOnlyPages) return pages(installation);
  if (is_timing && choice == BackendChoice::kVgpu)
    return fail(kExitUsage, fmt::format("--only {} measures times, which needs a GPU", options_.only));
  if (is_timing) choice = BackendChoice::kGpu;
  if (options_.check) choice = BackendChoice::kVgpu;
  int code = kExitDone;
  if (choice != BackendChoice::kVgpu || !options_.calls.empty()) {
    const auto workplace = open_workplace(installation, choice, nullptr, toolchain_choice(options_.toolchain));
    if (!workplace && is_timing && !probe_gpu(installation))
      return fail(
          kExitEnvironment,
          fmt::format(
              "--only {} measures times on a GPU, and none responds through {}; check the driver with nvidia-smi",
              options_.only, installation.nvidia_runtime.string()));
    if (!workplace) return fail(kExitEnvironment, workplace.sentence());
    if (!options_.calls.empty()) return write_calls(*workplace);
    if (!workplace->backend.is_virtual()) code = measure(*workplace);
    if (code > kExitNotGraded) return code;
  }
  if (choice != BackendChoice::kGpu) code = std::max(code, tables(installation));
  return std::max(code, pages(installation));
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Write the tables that show what each step of a ladder costs");
  command->footer(kBenchExamples);
  command->add_option("names", options->names, "Labs or tasks; all labs if none is named")->type_name("LAB|TASK");
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command
      ->add_option("--backend", options->backend,
                   "vgpu: the tables; gpu: the times in them; auto: whatever is available")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  add_toolchain_option(*command, options->toolchain);
  command->add_option("--only", options->only, "Only one part of the times on a GPU, or only the pages")
      ->check(CLI::IsMember({"roofs", "race", "ladder-case", "scaling", kOnlyPages}))
      ->type_name("PART");
  command->add_flag("--check", options->check, "Write nothing, and fail if a table or page is stale");
  command
      ->add_option("--write-calls", options->calls,
                   "Build every step and peer, and write the commands that call them here")
      ->type_name("DIR");
  command->add_flag("--list-counters", options->list_counters, "List the counters that a lab.toml may name");
  command->add_option("--jobs", options->jobs, "Steps run at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->callback(
      [options, &exit_code] { exit_code = options->list_counters ? list_counters() : Bench(*options).run(); });
}

}  // namespace lanewise
