// Compilers report most of their own troubles as if they were the source's: by their words they are told apart.
#include "harness/runner/compiler.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <sstream>

#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCompileLimit(180);  // CUB's largest templates take about 30 s on a slow machine
constexpr std::chrono::seconds kQuestionLimit(20);  // for --version and the like
constexpr ProcessLimits kCompilerLimits{/*cpu_seconds=*/150, /*data_bytes=*/std::uint64_t{6} << 30,
                                        /*file_bytes=*/std::uint64_t{256} << 20};

// Of nvcc when one of its stages dies, of g++ when cc1plus or as does, and of any of them when it cannot write.
constexpr const char* kTroubles[] = {
    "died due to signal",    "signal terminated program", "internal compiler error",  "No space left on device",
    "File too large",        "File size limit exceeded",  "out of memory allocating", "memory exhausted",
    "Cannot allocate memory"};

ProcessOptions tool(const fs::path& folder, std::vector<std::string> command) {
  ProcessOptions options;
  options.command = std::move(command);
  // Temporary files go where the whole folder is removed if the build is interrupted.
  options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + folder.string()};
  options.folder = folder;
  options.limits = kCompilerLimits;
  return options;
}

// The first line that tells of the tool's own trouble; empty if there is none. Lines of the source are quoted indented.
std::string trouble_in(const std::string& words) {
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);)
    for (const char* const trouble : kTroubles)
      if (line.find_first_not_of(' ') == 0 && line.find(trouble) != std::string::npos) return line;
  return "";
}

std::string words_of(const std::string& name, const Finished& finished) {
  std::string words = finished.output;
  if (finished.output_bytes > words.size())
    words += fmt::format("\n... and {} bytes more", finished.output_bytes - words.size());
  if (words.empty()) words = fmt::format("{} ended without a word (wait status {})", name, finished.status);
  return words;
}

}  // namespace

Expected<std::optional<std::string>> run_compiler(const fs::path& folder, std::vector<std::string> command,
                                                  const Confinement& confinement, std::vector<fs::path> readable) {
  const std::string name = fs::path(command[0]).filename().string();
  const ProcessOptions options =
      confined(confinement, tool(folder, std::move(command)), {ForeignWork::kCompile, folder, std::move(readable)});
  const auto finished = run_to_end(options, kCompileLimit, kCompilerWordsKept);
  if (!finished) return finished.failure();
  if (finished->timed_out)
    return Failure{fmt::format("{} was stopped: it had not finished after {} seconds", name, kCompileLimit.count())};
  if (finished->succeeded()) return std::optional<std::string>();
  if (WIFSIGNALED(finished->status) && WTERMSIG(finished->status) == SIGXFSZ)
    return Failure{fmt::format("{} was stopped: it wrote more than it may, or the disk is almost full", name)};
  if (WIFSIGNALED(finished->status))
    return Failure{fmt::format("{} was ended by signal {}, so the file is not compiled; is there enough memory?", name,
                               WTERMSIG(finished->status))};
  if (WEXITSTATUS(finished->status) == Process::kExitNotStarted)
    return Failure{fmt::format("{} could not be started; is the CUDA Toolkit complete? ({})", name,
                               finished->output.substr(0, finished->output.find('\n')))};
  if (const std::string trouble = trouble_in(finished->output); !trouble.empty())
    return Failure{fmt::format("{} failed for a reason that is not in the file: {}", name, trouble)};
  return std::optional<std::string>(words_of(name, *finished));
}

Expected<std::string> ask_nvcc_version(const Installation& installation) {
  const Failure missing{
      fmt::format("nvcc cannot be run at {}; install the CUDA Toolkit 13 and configure the build anew",
                  installation.nvcc.string())};
  const auto finished = run_to_end(tool("/tmp", {installation.nvcc.string(), "--version"}), kQuestionLimit, 4096);
  if (!finished || !finished->succeeded()) return missing;
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const std::size_t at = finished->output.find(", V");
  if (at == std::string::npos) return missing;
  const std::size_t end = finished->output.find_first_not_of("0123456789.", at + 3);
  return finished->output.substr(at + 3, end - at - 3);
}

Expected<HostCompiler> ask_host_compiler(const Installation& installation) {
  const Failure missing{
      fmt::format("the C++ compiler {} cannot be run; configure the build anew", installation.host_compiler.string())};
  const auto finished =
      run_to_end(tool("/tmp", {installation.host_compiler.string(), "-E", "-v", "-x", "c++", "/dev/null"}),
                 kQuestionLimit, 1 << 16);
  if (!finished || !finished->succeeded()) return missing;
  HostCompiler compiler;
  // The folders stand between "#include <...> search starts here:" and "End of search list.", one a line.
  bool is_in_list = false;
  std::istringstream lines(finished->output);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("End of search list", 0) == 0) break;
    if (is_in_list && line.size() > 1) compiler.header_folders.push_back(fs::weakly_canonical(line.substr(1)));
    if (line.rfind("#include <...>", 0) == 0) is_in_list = true;
    if (compiler.version.empty() && line.find(" version ") != std::string::npos) compiler.version = line;
  }
  if (compiler.header_folders.empty()) return missing;
  return compiler;
}

}  // namespace lanewise
