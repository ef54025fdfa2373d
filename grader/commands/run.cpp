// `lanewise run`: runs any program linked with the shared CUDA runtime on the virtual GPU, and reports findings and
// what each line costs.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "grader/commands/commands.h"
#include "grader/commands/option_checks.h"
#include "grader/commands/schedules.h"
#include "grader/commands/source_names.h"
#include "grader/workplace/foreground.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/number_text.h"
#include "harness/lab/read_file.h"
#include "harness/report/finding_groups.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_report.h"
#include "harness/runner/build/elf_symbols.h"
#include "harness/runner/descriptor.h"
#include "harness/runner/session/findings.h"
#include "harness/vgpu/libraries/closed_libraries.h"
#include "harness/vgpu/monitor/checker_names.h"
#include "harness/vgpu/report/document.h"
#include "harness/vgpu/report/html_page.h"
#include "harness/vgpu/report/text_summary.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string monitors = "all";
  std::string report;
  std::string html;
  bool details = false;
  std::string timeline_block;
  std::string profile;
  int devices = 0;
  std::uint64_t schedule_seed = 0;
  int schedules = 0;  ///< runs, with seeds from 0 on; 0: one run, with schedule_seed
  std::uint64_t budget = 0;
  int race_memory = 0;
  int error_exit_code = 0;
  std::vector<std::string> program;
};

constexpr std::uintmax_t kLargestReport = 64 << 20, kLargestOutput = 256 << 20;
constexpr std::uintmax_t kLargestProgram = 1 << 30;  // with a library of NVIDIA's linked into it

constexpr const char* kRunExamples = R"(
Examples:
  lanewise run -- ./matmul 512                  with all checkers and counters
  lanewise run --monitor none -- ./matmul 512   at full speed, without checking
  lanewise run --html report -- ./a.out         what each line costs, as a page: report/index.html
  lanewise run --report report.json -- ./a.out   the same as JSON
  lanewise run --devices 2 -- ./exchange        two devices that can access each other's memory
  lanewise run --schedule-seed 7 -- ./a.out     blocks, warps, lanes and streams in another order
  lanewise run --schedules 20 -- ./a.out        20 such orders: does every launch leave the same values in memory?

The program must be linked with the shared CUDA runtime, as lanewise nvcc does it: nvcc -cudart shared. For lines of
kernels it needs -lineinfo, for those of calls in host code and for names of allocations -O2 -Xcompiler -g1.
If several processes use CUDA, each has a report of its own: --report FILE.json writes FILE.json, FILE.2.json and so on.
With --schedules N, the program runs N times with an empty stdin; only what it prints under seed 0 is shown. The first
launch that leaves different values in device memory is a finding, and so is any other difference.
Exit code: the program's own; 128 + n if signal n ended it; 2 and 3 as for every lanewise command if it could not be
started, 4 if it needs an NVIDIA library that the virtual GPU cannot execute.)";

void say(const std::string& sentence) { std::fprintf(stderr, "lanewise: %s\n", safe_line(sentence).c_str()); }

int fail(int code, const std::string& sentence) {
  say(sentence);
  return code;
}

/// What is no more than that by tool, kind, and line: the report says so, what a lab is graded by does not.
using Severities = std::map<std::tuple<std::string, std::string, int>, vgpu::Severity>;

vgpu::Severity severity_of(const Finding& finding, const Severities& severities) {
  const auto found = severities.find({finding.tool, finding.kind, finding.place.line});
  return found != severities.end() ? found->second : vgpu::Severity::kError;
}

Severities severities_in(const std::vector<vgpu::Finding>& findings) {
  Severities severities;
  for (const vgpu::Finding& f : findings) {
    const auto known = severities.try_emplace({f.tool, f.kind, static_cast<int>(f.line)}, f.severity).first;
    known->second = std::min(known->second, f.severity);
  }
  return severities;
}

void print_findings(const std::vector<Finding>& findings, const Severities& severities) {
  const TextStyle style = style_for(STDERR_FILENO);
  const auto mark_of = [&style](vgpu::Severity severity) {
    if (severity == vgpu::Severity::kNote) return style.utf8 ? "·" : "-";
    if (severity == vgpu::Severity::kWarning) return style.utf8 ? "▲" : "!";
    return style.utf8 ? "✗" : "x";
  };
  const auto word_of = [](vgpu::Severity severity) {
    return severity == vgpu::Severity::kNote ? " (note)" : severity == vgpu::Severity::kWarning ? " (warning)" : "";
  };
  const std::vector<FindingGroup> groups = group_findings(findings);
  std::string text =
      fmt::format("\nlanewise: {} finding{}", with_commas(findings.size()), findings.size() == 1 ? "" : "s");
  if (groups.size() < findings.size())
    text += fmt::format(", {} mistake{}", with_commas(groups.size()), groups.size() == 1 ? "" : "s");
  text += "\n";
  for (const FindingGroup& group : groups) {
    const Finding& f = *group.shown;
    const std::string place = f.place.line != 0 ? fmt::format("{}:{}  ", f.place.file, f.place.line) : "";
    const std::string arrays = group.same.empty() ? "" : "  " + arrays_text(group);
    const vgpu::Severity severity = severity_of(f, severities);
    text += safe_line(
                fmt::format("  {} {}{}  {}{}{}", mark_of(severity), f.tool, word_of(severity), place, f.kind, arrays)) +
            "\n";
    const std::string times = group.count > 1 ? fmt::format(" ({} times)", with_commas(group.count)) : "";
    for (const std::string& line : wrap_line(safe_line(f.sentence + times), style.width - 6))
      text += "      " + line + "\n";
    if (f.advice.empty()) continue;
    for (const std::string& line : wrap_line(safe_line(f.advice), style.width - 6)) text += "      " + line + "\n";
  }
  std::fputs((style.utf8 ? text : ascii_text(text)).c_str(), stderr);
}

// What may be right as it is, in a few lines. Advice is given once for each kind.
void print_notes(const std::vector<vgpu::Finding>& notes, bool details) {
  constexpr std::size_t kShown = 5;
  if (notes.empty()) return;
  const TextStyle style = style_for(STDERR_FILENO);
  std::string text = fmt::format("\nlanewise: {} note{}\n", with_commas(notes.size()), notes.size() == 1 ? "" : "s");
  const std::size_t shown = details ? notes.size() : std::min(kShown, notes.size());
  std::set<std::string> advised;
  for (std::size_t i = 0; i < shown; ++i) {
    const vgpu::Finding& note = notes[i];
    const std::string file = fs::path(note.file).filename().string();
    std::string line = note.line != 0 ? fmt::format("{}:{}  ", file, note.line) : "";
    line += note.sentence;
    if (note.tool == "initcheck" && note.count > 1) line += fmt::format(" ({} times)", with_commas(note.count));
    if (!note.advice.empty() && advised.insert(note.advice).second) line += ". " + note.advice;
    bool is_first = true;
    for (const std::string& part : wrap_line(safe_line(line), style.width - 4))
      text += (std::exchange(is_first, false) ? (style.utf8 ? "  · " : "  - ") : "    ") + part + "\n";
  }
  if (shown < notes.size())
    text += fmt::format("    and {} more: --details lists all\n", with_commas(notes.size() - shown));
  std::fputs((style.utf8 ? text : ascii_text(text)).c_str(), stderr);
}

fs::path library_watch(const Installation& installation) {
  return installation.vgpu_libraries / "lanewise-library-watch.so";
}

/// Notes of the library watch, if it refused anything.
fs::path refusals_beside(const fs::path& report) { return fs::path(report).replace_filename("refused"); }

void set_environment(const RunOptions& options, const Installation& installation, const fs::path& report) {
  // What the program is linked with takes the one of its name; the other stays idle.
  const fs::path& runtime = installation.vgpu_program_runtime;
  const fs::path runtime_12 = fs::path(runtime).replace_filename("libcudart.so.12");
  setenv("LANEWISE_VGPU_DEVICE_PROGRAM", installation.devices.c_str(), 1);
  setenv("LANEWISE_VGPU_REPORT", report.c_str(), 1);
  setenv("LANEWISE_VGPU_MONITORS", options.monitors.c_str(), 1);
  setenv("LANEWISE_VGPU_EXPLAIN", "1", 1);
  if (!options.profile.empty()) setenv("LANEWISE_VGPU_PROFILE", options.profile.c_str(), 1);
  if (!options.timeline_block.empty()) setenv("LANEWISE_VGPU_TIMELINE_BLOCK", options.timeline_block.c_str(), 1);
  if (options.devices != 0) setenv("LANEWISE_VGPU_DEVICES", std::to_string(options.devices).c_str(), 1);
  if (options.schedule_seed != 0) setenv("LANEWISE_VGPU_SEED", std::to_string(options.schedule_seed).c_str(), 1);
  if (options.budget != 0) setenv("LANEWISE_VGPU_BUDGET", std::to_string(options.budget).c_str(), 1);
  if (options.race_memory != 0) setenv("LANEWISE_VGPU_RACE_MEMORY", std::to_string(options.race_memory).c_str(), 1);
  // Preloaded by name for libraries that are opened later, and ahead of everything for programs with their own search
  // path.
  const char* before = std::getenv("LD_PRELOAD");
  setenv("LD_PRELOAD",
         (runtime.string() + ":" + runtime_12.string() + (before != nullptr ? std::string(":") + before : "")).c_str(),
         1);
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  setenv("LD_LIBRARY_PATH",
         (runtime.parent_path().string() + (libraries != nullptr ? std::string(":") + libraries : "")).c_str(), 1);
  setenv("LANEWISE_VGPU_LIBRARIES", installation.vgpu_libraries.c_str(), 1);
  setenv("LANEWISE_VGPU_LIBRARY_REFUSED", refusals_beside(report).c_str(), 1);
  const char* watchers = std::getenv("LD_AUDIT");
  setenv("LD_AUDIT",
         (library_watch(installation).string() + (watchers != nullptr ? std::string(":") + watchers : "")).c_str(), 1);
}

/// The file that a command's name stands for, as execvp looks for it.
fs::path file_of_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path file = fs::path(folder) / name; access(file.c_str(), X_OK) == 0) return file;
  return name;
}

/// The closed library that was linked into a program statically; null if there is none, or it was stripped of names.
const vgpu::libraries::ClosedLibrary* library_linked_into(const fs::path& program) {
  const auto file = read_file(program, kLargestProgram);
  if (!file) return nullptr;
  const auto symbols = read_elf_symbols(*file);
  if (!symbols) return nullptr;
  return vgpu::libraries::library_defined_by(symbols->defined);
}

/// Until the program's devices, which are another process, have written their last report. False if it had none.
bool wait_for_devices(const fs::path& report) {
  const Descriptor file(open(report.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  while (flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return true;
}

// What the kernels cost, in a few lines.
void print_summary(const vgpu::report::Document& document, bool details) {
  const TextStyle style = style_for(STDERR_FILENO);
  std::fputs(vgpu::report::text_summary(document, {style.colour, style.utf8, style.width, details}).c_str(), stderr);
}

// A name that ends in .html is the page itself; any other is a folder.
fs::path page_path(const fs::path& named) { return named.extension() == ".html" ? named : named / "index.html"; }

// That of the first process has the name itself, that of the second name.2.html, and so on.
fs::path of_process(const fs::path& path, std::size_t number) {
  const std::string ending = number == 1 ? "" : "." + std::to_string(number);
  return fs::path(path).replace_filename(path.stem().string() + ending + path.extension().string());
}

// Standard output or error, if that is what the path leads to; else null. It may be a file.
FILE* standard_stream(const fs::path& path) {
  struct stat named = {};
  if (stat(path.c_str(), &named) != 0) return nullptr;
  for (FILE* const stream : {stdout, stderr}) {
    struct stat own = {};
    if (fstat(fileno(stream), &own) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino) return stream;
  }
  return nullptr;
}

// A pipe or a terminal gets the reports of all processes at the end, together: a pipe's reader leaves once it is
// closed.
bool takes_all_reports(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  return standard_stream(path) != nullptr || type == fs::file_type::fifo || type == fs::file_type::character;
}

std::optional<Failure> write_all_reports(const fs::path& path, const std::string& reports) {
  FILE* const stream = standard_stream(path);
  if (stream == nullptr) return write_report(path, reports);
  std::fwrite(reports.data(), 1, reports.size(), stream);
  std::fflush(stream);
  return std::nullopt;
}

std::optional<Failure> write_page(const vgpu::report::Document& document, const fs::path& path) {
  std::error_code ignored;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  if (auto failure = write_report(path, vgpu::report::html_page(document))) return failure;
  say(fmt::format("the page is {}", path.string()));
  return std::nullopt;
}

// The program's own; `otherwise` when that is 0.
int exit_code_of(int status, int otherwise) {
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  const int own = WEXITSTATUS(status);
  return own == 0 ? otherwise : own;
}

/// Runs the program once under each schedule: `runs` gets what it did. An exit code if that is not possible.
std::optional<int> run_under_schedules(const RunOptions& options, const Installation& installation,
                                       const fs::path& folder, std::vector<ScheduleRun>& runs) {
  const fs::path record = folder / "stores";
  // run_in_foreground leaves its own ways with signals behind; each program is to start with those of this process.
  struct sigaction interrupts = {};
  sigaction(SIGINT, nullptr, &interrupts);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int seed = 0; seed < options.schedules; ++seed) {
    const fs::path report = folder / ("report_" + std::to_string(seed) + ".json"), output = folder / "output";
    RunOptions of_this = options;
    of_this.schedule_seed = static_cast<std::uint64_t>(seed);
    const auto end = run_in_foreground(options.program, [&] {
      sigaction(SIGINT, &interrupts, nullptr);
      pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
      set_environment(of_this, installation, report.c_str());
      setenv(seed == 0 ? "LANEWISE_VGPU_STORES_TO" : "LANEWISE_VGPU_STORES_LIKE", record.c_str(), 1);
      unsetenv(seed == 0 ? "LANEWISE_VGPU_STORES_LIKE" : "LANEWISE_VGPU_STORES_TO");
      if (seed == 0) unsetenv("LANEWISE_VGPU_SEED");
      const auto becomes = [](int stream, const char* path, int flags) {
        const int file = open(path, flags | O_CLOEXEC, 0600);
        if (file >= 0) dup2(file, stream);
      };
      becomes(STDIN_FILENO, "/dev/null", O_RDONLY);
      becomes(STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
      if (seed != 0) becomes(STDERR_FILENO, "/dev/null", O_WRONLY);
    });
    if (!end) return fail(kExitEnvironment, end.sentence());
    if (end->start_error != 0)
      return fail(kExitUsage, fmt::format("{} cannot be run: {}", options.program[0], std::strerror(end->start_error)));
    ScheduleRun run{static_cast<std::uint64_t>(seed), "[]", {}, end->status};
    if (wait_for_devices(report)) {
      auto json = read_file(report, kLargestReport);
      if (!json) return fail(kExitEnvironment, json.sentence());
      run.report = std::move(*json);
      std::error_code ignored;
      fs::remove(report, ignored);
    }
    auto printed = read_file(output, kLargestOutput);
    if (!printed) return fail(kExitEnvironment, printed.sentence());
    run.prints_the_same = seed != 0 && *printed == runs.front().output;
    if (!run.prints_the_same) run.output = std::move(*printed);
    if (seed == 0) {
      std::fwrite(run.output.data(), 1, run.output.size(), stdout);
      std::fflush(stdout);
    }
    runs.push_back(std::move(run));
    const int ended_by = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : 0;
    if (ended_by == SIGINT || ended_by == SIGTERM || ended_by == SIGHUP) break;  // meant for all runs
  }
  say(fmt::format("the program was run under {} schedules, seeds 0 to {}", runs.size(), runs.size() - 1));
  return std::nullopt;
}

/// The report of a process, and which one it was.
struct ProcessReport {
  std::string json;
  long process = 0;
  bool shows_nothing = false;
};

constexpr std::string_view kReportPrefix = "report-";

/// Of all processes that used CUDA, in the order of their numbers, once each has written its own. One that has nothing
/// to show, as that of a parent whose children do the work, counts only if there is no other.
Expected<std::vector<ProcessReport>> reports_in(const fs::path& folder) {
  std::map<std::pair<long, std::string>, fs::path> files;  // a process that has become another program has several
  for (std::size_t known = ~std::size_t{0}; known != files.size();) {  // one may begin while another ends
    known = files.size();
    std::error_code gone;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, gone)) {
      const std::string name = entry.path().filename().string();
      if (name.compare(0, kReportPrefix.size(), kReportPrefix) != 0) continue;
      const long process = std::strtol(name.c_str() + kReportPrefix.size(), nullptr, 10);
      if (files.emplace(std::make_pair(process, name), entry.path()).second) wait_for_devices(entry.path());
    }
  }
  std::vector<ProcessReport> reports;
  for (const auto& [key, path] : files) {
    auto json = read_file(path, kLargestReport);
    if (!json) return json.failure();
    ProcessReport report{std::move(*json), key.first};
    const auto read = vgpu::report::parse_document(report.json);
    if (const auto* const document = std::get_if<vgpu::report::Document>(&read))
      report.shows_nothing = document->findings.empty() && document->notes.empty() && document->unchecked.empty() &&
                             document->kernels.empty();
    reports.push_back(std::move(report));
  }
  const auto is_idle = [](const ProcessReport& report) { return report.shows_nothing; };
  const auto first_idle = std::stable_partition(reports.begin(), reports.end(), std::not_fn(is_idle));
  reports.erase(first_idle == reports.begin() && !reports.empty() ? first_idle + 1 : first_idle, reports.end());
  return reports;
}

/// Shows the report of process `number`, counted from 1, and writes what was asked for. `is_clean`: it had no findings
/// but notes. An exit code if that failed.
std::optional<int> present(const RunOptions& options, const std::string& json, bool used_cuda, std::size_t number,
                           bool& is_clean) {
  const std::vector<Finding> findings = parse_findings(json, "");
  const auto read = vgpu::report::parse_document(used_cuda ? json : "{}");
  const auto* const document = std::get_if<vgpu::report::Document>(&read);
  const Severities severities = document != nullptr ? severities_in(document->findings) : Severities();
  if (!findings.empty()) print_findings(findings, severities);
  if (document == nullptr) {
    if (used_cuda) say(std::get<std::string>(read));
  } else {
    for (const std::string& sentence : document->unchecked) say(sentence);
    print_summary(*document, options.details);
    print_notes(document->notes, options.details);
    if (!options.html.empty())
      if (const auto failure = write_page(*document, of_process(page_path(options.html), number)))
        return fail(kExitEnvironment, failure->sentence);
  }
  is_clean = std::all_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return severity_of(finding, severities) == vgpu::Severity::kNote;
  });
  if (!options.report.empty() && !takes_all_reports(options.report))
    if (const auto failure = write_report(of_process(options.report, number), json + "\n"))
      return fail(kExitEnvironment, failure->sentence);
  return std::nullopt;
}

int run(const RunOptions& options) {
  std::error_code ignored;
  const Installation installation = this_installation();
  for (const fs::path& part : {installation.vgpu_program_runtime, installation.devices, library_watch(installation)})
    if (!fs::exists(part, ignored))
      return fail(kExitEnvironment,
                  fmt::format("the virtual GPU is not built: {} is missing; build everything", part.string()));
  const auto folder = TemporaryFolder::create();
  if (!folder) return fail(kExitEnvironment, folder.sentence());
  const fs::path report = folder->path() / (std::string(kReportPrefix) + "%p.json");  // made when CUDA is first used

  if (const auto* const library = library_linked_into(file_of_program(options.program[0])))
    return fail(vgpu::libraries::kExitClosedLibrary, vgpu::libraries::refusal(*library, options.program[0]));
  int status = 0;
  bool used_cuda = false;
  std::vector<ProcessReport> reports;
  if (options.schedules > 0) {
    std::vector<ScheduleRun> runs;
    if (const auto code = run_under_schedules(options, installation, folder->path(), runs)) return *code;
    status = runs.front().status;
    used_cuda = runs.front().report != "[]";
    reports.push_back({report_on_schedules(runs)});
  } else {
    const auto end = run_in_foreground(options.program, [&] { set_environment(options, installation, report); });
    if (!end) return fail(kExitEnvironment, end.sentence());
    if (end->start_error != 0)
      return fail(kExitUsage, fmt::format("{} cannot be run: {}", options.program[0], std::strerror(end->start_error)));
    status = end->status;
    auto written = reports_in(folder->path());
    if (!written) return fail(kExitEnvironment, written.sentence());
    reports = std::move(*written);
    used_cuda = !reports.empty();
    if (!used_cuda) reports.push_back({"[]"});
  }
  if (!used_cuda && !fs::exists(refusals_beside(report), ignored))
    say(
        fmt::format("{} did not use the shared CUDA runtime, so nothing ran on the virtual GPU; link it "
                    "with nvcc -cudart shared",
                    options.program[0]));
  bool is_clean = true;
  const bool are_together = takes_all_reports(options.report);
  std::string all;
  for (std::size_t n = 1; n <= reports.size(); ++n) {
    if (reports.size() > 1)
      say(fmt::format("process {} of {} that used CUDA, number {}:", n, reports.size(), reports[n - 1].process));
    bool is_this_clean = true;
    const std::string json = with_source_names(std::move(reports[n - 1].json), installation);
    if (const auto code = present(options, json, used_cuda, n, is_this_clean)) return *code;
    is_clean = is_clean && is_this_clean;
    if (are_together) all += json + "\n";
  }
  if (are_together)
    if (const auto failure = write_all_reports(options.report, all)) return fail(kExitEnvironment, failure->sentence);
  return exit_code_of(status, is_clean ? 0 : options.error_exit_code);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* const command =
      app.add_subcommand("run", "Run any CUDA program on the virtual GPU, with findings and costs");
  command->footer(kRunExamples);
  command
      ->add_option("--monitor", options->monitors,
                   "Monitors: all, none, or a list of checkers and counters such as memcheck,counters")
      ->capture_default_str();
  command->add_option("--report", options->report, "Write findings and counters to this file, as JSON")
      ->type_name("FILE");
  command
      ->add_option("--html", options->html,
                   "Write a web page that shows what each line costs: a file if the name ends in .html, otherwise "
                   "index.html in that folder")
      ->type_name("FILE|DIR");
  command
      ->add_option("--timeline-block", options->timeline_block,
                   "The block whose timeline is recorded, such as 3 or 1,2,0; by default the first")
      ->check(block_coordinates())
      ->type_name("X,Y,Z");
  command->add_flag("--details", options->details, "Report every line that could be better, and why");
  command->add_option("--profile", options->profile, "The device to emulate: a profile's name, or a TOML file")
      ->type_name("NAME");
  command->add_option("--devices", options->devices, "Number of devices, all alike: 1 to 16; by default 1")
      ->check(CLI::Range(1, 16));
  command
      ->add_option("--schedule-seed", options->schedule_seed,
                   "Run blocks, warps, lanes and streams in another order; 0 is the natural one")
      ->check(whole_number());
  command
      ->add_option("--schedules", options->schedules,
                   "Run the program N times, with schedule seeds 0 to N-1, and report what differs")
      ->check(CLI::Range(2, 1000))
      ->type_name("N")
      ->excludes("--schedule-seed");
  command
      ->add_option("--race-memory", options->race_memory,
                   "MiB that racecheck may use beyond 2 bytes for each byte of memory in use; by default 16")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("MIB");
  command->add_option("--budget", options->budget, "Warp instructions after which a kernel counts as endless")
      ->check(whole_number());
  command
      ->add_option("--error-exitcode", options->error_exit_code,
                   "Exit code if there are findings other than notes and the program itself exits with 0")
      ->capture_default_str();
  command->add_option("program", options->program, "The program and its arguments, after --")
      ->required()
      ->type_name("PROGRAM [ARGS]");
  command->positionals_at_end();
  command->callback([options, &exit_code] {
    std::set<std::string> known(vgpu::kCheckerNames.begin(), vgpu::kCheckerNames.end());
    known.insert({"all", "none", "counters"});
    std::istringstream list(options->monitors);
    for (std::string name; std::getline(list, name, ',');)
      if (known.count(name) == 0) {
        exit_code = fail(kExitUsage, fmt::format("--monitor {}: there is no monitor '{}'; there are {}",
                                                 options->monitors, name, fmt::join(known, ", ")));
        return;
      }
    exit_code = run(*options);
  });
}

}  // namespace lanewise
