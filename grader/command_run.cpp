// `lanewise run`: any program linked with the shared CUDA runtime, on the virtual GPU, with findings.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "grader/commands.h"
#include "harness/report/safe_text.h"
#include "harness/report/text_report.h"
#include "harness/runner/findings.h"
#include "harness/runner/installation.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string monitors = "all";
  std::string report;
  std::string profile;
  std::uint64_t schedule_seed = 0;
  std::uint64_t budget = 0;
  int error_exit_code = 0;
  std::vector<std::string> program;
};

constexpr const char* kExamples = R"(
Examples:
  lanewise run -- ./matmul 512                  with every checker there is
  lanewise run --monitor none -- ./matmul 512   at full speed, without looking
  lanewise run --report findings.json -- ./a.out
  lanewise run --schedule-seed 7 -- ./a.out     blocks and warps in another order

The program must be linked with the shared CUDA runtime: nvcc -cudart shared, and -lineinfo to see source lines.
Exit code: the program's own; 128 + n if signal n ended it; 2 and 3 as for every lanewise command when it could not be
started.)";

/// A file that is gone when the run is over.
class TemporaryFile {
 public:
  TemporaryFile() {
    const int descriptor = mkstemp(path_);
    if (descriptor >= 0) close(descriptor);
    exists_ = descriptor >= 0;
  }
  ~TemporaryFile() {
    if (exists_) unlink(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool exists() const { return exists_; }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/lanewise-run-XXXXXX";
  bool exists_ = false;
};

int fail(int code, const std::string& sentence) {
  std::fprintf(stderr, "lanewise: %s\n", sentence.c_str());
  return code;
}

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void print_findings(const std::vector<Finding>& findings) {
  const TextStyle style = style_for(STDERR_FILENO);
  const std::string mark = style.utf8 ? "✗" : "x";
  std::string text = fmt::format("\nlanewise: {} finding{}\n", findings.size(), findings.size() == 1 ? "" : "s");
  for (const Finding& f : findings) {
    const std::string place = f.place.line != 0 ? fmt::format("{}:{}  ", f.place.file, f.place.line) : "";
    text += safe_line(fmt::format("  {} {}  {}{}", mark, f.tool, place, f.kind)) + "\n";
    const std::string times = f.count > 1 ? fmt::format(" ({} times)", f.count) : "";
    for (const std::string& line : wrap_line(safe_line(f.sentence + times), style.width - 6))
      text += "      " + line + "\n";
    if (f.advice.empty()) continue;
    for (const std::string& line : wrap_line(safe_line(f.advice), style.width - 6)) text += "      " + line + "\n";
  }
  std::fputs((style.utf8 ? text : ascii_text(text)).c_str(), stderr);
}

void set_environment(const RunOptions& options, const fs::path& runtime, const char* report) {
  setenv("LANEWISE_VGPU_REPORT", report, 1);
  setenv("LANEWISE_VGPU_MONITORS", options.monitors.c_str(), 1);
  setenv("LANEWISE_VGPU_EXPLAIN", "1", 1);
  if (!options.profile.empty()) setenv("LANEWISE_VGPU_PROFILE", options.profile.c_str(), 1);
  if (options.schedule_seed != 0) setenv("LANEWISE_VGPU_SEED", std::to_string(options.schedule_seed).c_str(), 1);
  if (options.budget != 0) setenv("LANEWISE_VGPU_BUDGET", std::to_string(options.budget).c_str(), 1);
  // By name for libraries that are opened later, and ahead of everything for programs with a search path of their own.
  const char* before = std::getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", (runtime.string() + (before != nullptr ? std::string(":") + before : "")).c_str(), 1);
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  setenv("LD_LIBRARY_PATH",
         (runtime.parent_path().string() + (libraries != nullptr ? std::string(":") + libraries : "")).c_str(), 1);
}

int run(const RunOptions& options) {
  std::error_code ignored;
  const Installation installation = find_installation(fs::read_symlink("/proc/self/exe", ignored));
  if (!fs::exists(installation.vgpu_runtime, ignored))
    return fail(kExitEnvironment,
                fmt::format("the virtual GPU is not there: {} is missing; build it with 'cmake --build'",
                            installation.vgpu_runtime.string()));
  const TemporaryFile report;
  if (!report.exists()) return fail(kExitEnvironment, "no temporary file could be made in /tmp");
  fs::remove(report.path(), ignored);  // the virtual GPU makes it again when the program first uses CUDA

  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return fail(kExitEnvironment, fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) return fail(kExitEnvironment, fmt::format("no process could be started: {}", std::strerror(errno)));
  if (child == 0) {
    set_environment(options, installation.vgpu_runtime, report.path());
    std::vector<char*> arguments;
    for (const std::string& argument : options.program) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t told = write(failure[1], &reason, sizeof reason);
    _exit(127);
  }
  close(failure[1]);
  int reason = 0;
  const bool not_started = read(failure[0], &reason, sizeof reason) == sizeof reason;
  close(failure[0]);
  std::signal(SIGINT, SIG_IGN);  // an interrupt is the program's; what it found so far is still told
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (not_started)
    return fail(kExitUsage, fmt::format("{} cannot be run: {}", options.program[0], std::strerror(reason)));

  const bool used_cuda = fs::exists(report.path(), ignored);
  if (!used_cuda)
    std::fprintf(stderr,
                 "lanewise: %s did not use the shared CUDA runtime, so nothing ran on the virtual GPU; link it with "
                 "nvcc -cudart shared\n",
                 options.program[0].c_str());
  const std::string json = used_cuda ? contents_of(report.path()) : "[]";
  const std::vector<Finding> findings = parse_findings(json, "");
  if (!findings.empty()) print_findings(findings);
  if (!options.report.empty() && !(std::ofstream(options.report, std::ios::binary) << json << "\n"))
    return fail(kExitEnvironment, fmt::format("the report could not be written to {}", options.report));
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  const int own = WEXITSTATUS(status);
  return own == 0 && !findings.empty() ? options.error_exit_code : own;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* const command = app.add_subcommand("run", "run any CUDA program on the virtual GPU, with findings");
  command->footer(kExamples);
  command->add_option("--monitor", options->monitors, "checkers that watch: all, none, or a list such as memcheck")
      ->capture_default_str();
  command->add_option("--report", options->report, "write the findings to this file, as JSON")->type_name("FILE");
  command->add_option("--profile", options->profile, "the device to be: a profile's name, or a TOML file")
      ->type_name("NAME");
  command->add_option("--schedule-seed", options->schedule_seed,
                      "run blocks and warps in another order; 0 is the natural one");
  command->add_option("--budget", options->budget, "warp instructions after which a kernel counts as endless");
  command
      ->add_option("--error-exitcode", options->error_exit_code,
                   "exit code when there are findings and the program itself gave 0")
      ->capture_default_str();
  command->add_option("program", options->program, "the program and its arguments, after --")
      ->required()
      ->type_name("PROGRAM [ARGS]");
  command->positionals_at_end();
  command->callback([options, &exit_code] {
    for (const char* known : {"all", "none", "memcheck"})
      if (options->monitors == known) {
        exit_code = run(*options);
        return;
      }
    exit_code = fail(kExitUsage, fmt::format("--monitor {}: there is no such checker; all, none and memcheck are known",
                                             options->monitors));
  });
}

}  // namespace lanewise
