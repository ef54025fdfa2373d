// Compilers report most of their own failures as if the source were to blame: their words tell the two apart.
#include "harness/toolchain/compiler.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
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

// Of nvcc and clang when one of their stages dies, of g++ when cc1plus or as does, and of any of them when it cannot
// write. What a source can bring about at will comes first: it says so of limits of ours and of crashes.
struct Sign {
  const char* words;
  const char* stop;  ///< what the compiler did; null: the machine is to blame
};
constexpr const char* kTooLong = "used more processor time than is allowed for compiling";
constexpr const char* kTooLarge = "wrote more than is allowed for compiling";
constexpr const char* kTooMuchMemory = "needed more memory than is allowed for compiling";
constexpr const char* kCrashed = "crashed on this file";
constexpr Sign kSigns[] = {{"CPU time limit exceeded", kTooLong},
                           {"died due to signal 24", kTooLong},
                           {"File size limit exceeded", kTooLarge},
                           {"died due to signal 25", kTooLarge},
                           {"File too large", kTooLarge},
                           {"out of memory allocating", kTooMuchMemory},
                           {"memory exhausted", kTooMuchMemory},
                           {"LLVM ERROR: out of memory", kTooMuchMemory},
                           {"frontend command failed", kCrashed},
                           {"unable to execute command: Segmentation fault", kCrashed},
                           {"unable to execute command: Aborted", kCrashed},
                           {"unable to execute command: Illegal instruction", kCrashed},
                           {"unable to execute command: Trace/breakpoint trap", kCrashed},
                           {"unable to execute command: Bus error", kCrashed},
                           {"died due to signal 6 ", kCrashed},
                           {"died due to signal 11", kCrashed},
                           {"Segmentation fault signal terminated program", kCrashed},
                           {"Aborted signal terminated program", kCrashed},
                           {"internal compiler error", kCrashed},
                           {"died due to signal", nullptr},
                           {"signal terminated program", nullptr},
                           {"unable to execute command", nullptr},
                           {"No space left on device", nullptr},
                           {"Cannot allocate memory", nullptr}};
// Of lines that say what is wrong with the source, whatever other words it puts there.
constexpr const char* kRefusals[] = {": error: ",       "): error",           ": error #",
                                     ": Error: ",       "catastrophic error", "No such file or directory",
                                     "' file not found"};
constexpr const char* kLinkerFailed = "collect2: error: ld returned 1 exit status";  // for whatever reason

// With so little room left it is the disk that is full.
constexpr std::uintmax_t kLittleRoom = 256 << 20;

ProcessOptions tool(const fs::path& folder, std::vector<std::string> command) {
  ProcessOptions options;
  options.command = std::move(command);
  // Temporary files go where the whole folder is removed if the build is interrupted. Compilers touch much memory once,
  // which costs less in large pages, if the kernel has them.
  options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + folder.string(),
                         "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"};
  options.folder = folder;
  options.limits = kCompilerLimits;
  return options;
}

struct Trouble {
  std::string line;
  const char* stop = nullptr;  // as in Sign
};

// "clang++-19: error: unable to execute command: Killed" is of the driver, and never all that it says of a wrong
// source.
bool is_of_clang_itself(const std::string& line) {
  return line.rfind("clang", 0) == 0 && line.compare(line.find_first_not_of("+-.0123456789", 5), 9, ": error: ") == 0;
}

bool is_refusal(const std::string& line) {
  return line != kLinkerFailed && !is_of_clang_itself(line) &&
         std::any_of(std::begin(kRefusals), std::end(kRefusals),
                     [&](const char* refusal) { return line.find(refusal) != std::string::npos; });
}

// The first line that tells of the tool's own trouble. There is none where the source is refused: it can have the
// compiler print any line, and would be graded again and again.
std::optional<Trouble> trouble_in(const std::string& words) {
  std::optional<Trouble> first;
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(' ') != 0) continue;  // a line of the source
    if (is_refusal(line)) return std::nullopt;
    for (const Sign& sign : kSigns)
      if (!first && line.find(sign.words) != std::string::npos) first = Trouble{line, sign.stop};
  }
  return first;
}

bool is_disk_full(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < kLittleRoom;
}

// That ended the program, or a stage of it: nvcc then exits as a shell does. 0: none did.
int signal_of(int status) {
  constexpr int kShellsSum = 128;
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  const int code = WEXITSTATUS(status);
  return code > kShellsSum && code <= kShellsSum + SIGRTMAX ? code - kShellsSum : 0;
}

// What it did, if that signal comes of what it was given.
const char* stop_by(int signal) {
  switch (signal) {
    case SIGXCPU:
      return kTooLong;
    case SIGXFSZ:
      return kTooLarge;
    case SIGSEGV:
    case SIGABRT:
      return kCrashed;
    default:
      return nullptr;
  }
}

std::optional<CompilerRefusal> stopped(const std::string& name, const std::string& what, const std::string& line = "") {
  std::string words = fmt::format("The compiler ({}) {}.", name, what);
  if (!line.empty()) words += "\n" + line;
  return CompilerRefusal{std::move(words), true};
}

std::string words_of(const std::string& name, const Finished& finished) {
  std::string words = finished.output;
  if (finished.output_bytes > words.size())
    words += fmt::format("\n... and {} more bytes", finished.output_bytes - words.size());
  if (words.empty()) words = fmt::format("{} failed without a message (wait status {})", name, finished.status);
  return words;
}

}  // namespace

Expected<std::optional<CompilerRefusal>> run_compiler(const fs::path& folder, std::vector<std::string> command,
                                                      const Confinement& confinement, std::vector<fs::path> readable,
                                                      std::string* remarks) {
  const std::string name = fs::path(command[0]).filename().string();
  const ProcessOptions options =
      confined(confinement, tool(folder, std::move(command)), {ForeignWork::kCompile, folder, std::move(readable)});
  auto finished = run_to_end(options, kCompileLimit, kCompilerWordsKept);
  if (!finished) return finished.failure();
  if (finished->timed_out)
    return stopped(name, fmt::format("was stopped: it had not finished after {} seconds", kCompileLimit.count()));
  if (finished->succeeded()) {
    if (remarks != nullptr) *remarks = std::move(finished->output);
    return std::optional<CompilerRefusal>();
  }
  const auto trouble = trouble_in(finished->output);
  if (trouble && trouble->stop) return stopped(name, trouble->stop, trouble->line);
  if (const int signal = signal_of(finished->status); signal != 0) {
    if (signal == SIGXFSZ && is_disk_full(folder))
      return Failure{fmt::format("{} was stopped: the disk is almost full", name)};
    if (const char* const what = stop_by(signal)) return stopped(name, what);
    return Failure{
        fmt::format("{} was killed by signal {}, so the file was not compiled; is there enough memory?", name, signal)};
  }
  if (WEXITSTATUS(finished->status) == Process::kExitNotStarted)
    return Failure{fmt::format("{} could not be started; is the CUDA Toolkit complete? ({})", name,
                               finished->output.substr(0, finished->output.find('\n')))};
  if (trouble) return Failure{fmt::format("{} failed for a reason outside the file: {}", name, trouble->line)};
  return std::optional<CompilerRefusal>({words_of(name, *finished), false});
}

std::optional<std::string> ask_tool(const fs::path& folder, std::vector<std::string> command,
                                    const Confinement& confinement, std::vector<fs::path> readable) {
  const ProcessOptions options =
      confined(confinement, tool(folder, std::move(command)), {ForeignWork::kCompile, folder, std::move(readable)});
  auto finished = run_to_end(options, kQuestionLimit, kCompilerWordsKept);
  if (!finished || !finished->succeeded()) return std::nullopt;
  return std::move(finished->output);
}

std::optional<std::string> ask_compiler(std::vector<std::string> command) {
  auto finished = run_to_end(tool("/tmp", std::move(command)), kQuestionLimit, 1 << 16);
  if (!finished || !finished->succeeded()) return std::nullopt;
  return std::move(finished->output);
}

std::optional<DescribedCompiler> describe_compiler(const fs::path& compiler) {
  const auto answer = ask_compiler({compiler.string(), "-E", "-v", "-x", "c++", "/dev/null"});
  if (!answer) return std::nullopt;
  DescribedCompiler described;
  // The folders stand between "#include <...> search starts here:" and "End of search list.", one a line.
  bool is_in_list = false;
  std::istringstream lines(*answer);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("End of search list", 0) == 0) break;
    if (is_in_list && line.size() > 1) described.header_folders.push_back(fs::weakly_canonical(line.substr(1)));
    if (line.rfind("#include <...>", 0) == 0) is_in_list = true;
    if (described.version.empty() && line.find(" version ") != std::string::npos) described.version = line;
  }
  if (described.header_folders.empty()) return std::nullopt;
  return described;
}

Expected<DescribedCompiler> describe_host_compiler(const Installation& installation) {
  if (installation.host_compiler.empty())
    return Failure{
        "a C++ compiler is needed, but none was found on the PATH; install g++ (apt-get install g++), or name one in "
        "CXX"};
  if (auto described = describe_compiler(installation.host_compiler)) return std::move(*described);
  return Failure{
      fmt::format("the C++ compiler {} cannot be run; install g++ (apt-get install g++), or name another in CXX",
                  installation.host_compiler.string())};
}

}  // namespace lanewise
