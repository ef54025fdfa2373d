// `lanewise nvcc`: compiles a program of one's own with whichever toolchain is there, for `lanewise run`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <sstream>

#include "grader/commands/commands.h"
#include "grader/commands/toolchain_option.h"
#include "grader/workplace/foreground.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/report/safe_text.h"
#include "harness/toolchain/compiler.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNvccExamples = R"(
Then come .cu and .o files, and options of nvcc's: -o FILE, -c, -O LEVEL, -g, -lineinfo, -std=LANGUAGE, -I FOLDER,
-D NAME, -arch=sm_NN, -cudart shared and -Xcompiler OPTIONS. Lines are always kept, and the CUDA runtime is always the
shared one.

Examples:
  lanewise nvcc matmul.cu -o matmul             then: lanewise run -- ./matmul
  lanewise nvcc -O3 -std=c++20 -Xcompiler -Wall matmul.cu
  lanewise nvcc -c tiles.cu && lanewise nvcc main.cu tiles.o -o matmul
  lanewise nvcc --toolchain clang matmul.cu     by clang, even if nvcc is there

Exit codes: 0 compiled, 1 not compiled, 2 the command line makes no sense, 3 something lanewise needs is missing.)";

struct NvccOptions {
  std::vector<std::string> files;
  std::string output;
  std::string toolchain = "auto";
  bool has_main = true;  // without -c
  CompileRequest request;
};

int end_with(int code, const std::string& sentence) {
  std::fprintf(stderr, "lanewise nvcc: %s\n", safe_line(sentence).c_str());
  return code;
}

bool is_file_to_link(const std::string& file) { return fs::path(file).extension() == ".o"; }

// An option with a value, which follows "=", a blank, or, where it is joined, the name itself.
struct ValueOption {
  const char* name;
  const char* long_name;
  bool is_joined;
  std::function<std::optional<std::string>(const std::string&)> take;  // what is wrong with the value
};

// Reads what follows `lanewise nvcc`; what is wrong, if anything is.
class NvccArguments {
 public:
  explicit NvccArguments(NvccOptions& options) : options_(options) {
    CompileRequest& request = options.request;
    request.host_options.emplace_back("-g1");  // lines of host code, as -lineinfo gives those of kernels
    const auto keep = [](std::string& place) {
      return [&place](const std::string& value) -> std::optional<std::string> {
        place = value;
        return std::nullopt;
      };
    };
    const auto pass = [&request](const char* name) {
      return [&request, name](const std::string& value) -> std::optional<std::string> {
        request.options.push_back(name + value);
        return std::nullopt;
      };
    };
    with_value_ = {
        {"-o", "--output-file", false, keep(options.output)},
        {"-O", "--optimize", true, keep(request.optimisation)},
        {"-I", "--include-path", true, pass("-I")},
        {"-D", "--define-macro", true, pass("-D")},
        {"-std", "--std", false, pass("-std=")},
        {"-arch", "--gpu-architecture", false, [this](const std::string& value) { return take_arch(value); }},
        {"-cudart", "--cudart", false,
         [](const std::string& value) -> std::optional<std::string> {
           if (value == "shared") return std::nullopt;
           return fmt::format("-cudart={}: the virtual GPU takes the place of the shared CUDA runtime", value);
         }},
        {"-Xcompiler", "--compiler-options", false,
         [&request](const std::string& value) -> std::optional<std::string> {
           std::istringstream list(value);
           for (std::string each; std::getline(list, each, ',');) request.host_options.push_back(each);
           return std::nullopt;
         }},
        {"--toolchain", "--toolchain", false, keep(options.toolchain)}};
  }

  std::optional<std::string> read(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& argument = arguments[i];
      std::optional<std::string> trouble;
      if (argument.empty() || argument[0] != '-') {
        options_.files.push_back(argument);
      } else if (argument == "-c" || argument == "--compile") {
        options_.has_main = false;
      } else if (argument == "-g" || argument == "--debug") {
        options_.request.options.emplace_back("-g");
      } else if (argument != "-lineinfo" && argument != "--generate-line-info") {
        trouble = take(arguments, i);
      }
      if (trouble) return trouble;
    }
    return what_is_missing();
  }

 private:
  std::optional<std::string> take(const std::vector<std::string>& arguments, std::size_t& i) const {
    const std::string& argument = arguments[i];
    for (const ValueOption& option : with_value_)
      for (const std::string name : {option.name, option.long_name}) {
        if (argument.compare(0, name.size(), name) != 0) continue;
        const std::string rest = argument.substr(name.size());
        if (rest.empty() && i + 1 == arguments.size()) return fmt::format("{} wants a value", argument);
        if (rest.empty()) return option.take(arguments[++i]);
        if (rest[0] == '=') return option.take(rest.substr(1));
        if (option.is_joined && name == option.name) return option.take(rest);
      }
    return fmt::format(
        "it does not know {}; its options are -o, -c, -O, -g, -lineinfo, -std, -I, -D, -arch, "
        "-cudart, -Xcompiler and --toolchain, and for others there is nvcc itself",
        argument);
  }

  std::optional<std::string> take_arch(const std::string& value) const {
    const std::size_t at = value.find('_');
    const std::string kind = value.substr(0, at);
    const std::string number = at == std::string::npos ? "" : value.substr(at + 1);
    const bool is_one =
        (kind == "sm" || kind == "compute") && std::isdigit(static_cast<unsigned char>(number.c_str()[0])) != 0;
    if (!is_one) return fmt::format("-arch={}: name one architecture, such as sm_90", value);
    options_.request.architecture = number;
    return std::nullopt;
  }

  std::optional<std::string> what_is_missing() const {
    if (options_.files.empty()) return "name a .cu file to compile";
    for (const std::string& file : options_.files)
      if (const fs::path ending = fs::path(file).extension(); ending != ".cu" && (ending != ".o" || !options_.has_main))
        return fmt::format("{}: it {} .cu files{}", file, options_.has_main ? "takes" : "compiles",
                           options_.has_main ? " and .o files" : " with -c");
    std::error_code error;
    for (const std::string& file : options_.files)
      if (!fs::is_regular_file(file, error)) return fmt::format("{}: there is no such file here", file);
    if (!options_.has_main && !options_.output.empty() && options_.files.size() > 1)
      return "with -c and several files, there can be no -o";
    const auto& choices = toolchain_choices();
    if (std::none_of(choices.begin(), choices.end(),
                     [this](const auto& each) { return each.first == options_.toolchain; }))
      return fmt::format("--toolchain {}: it is auto, nvcc or clang", options_.toolchain);
    return std::nullopt;
  }

  NvccOptions& options_;
  std::vector<ValueOption> with_value_;
};

// The exit code of `lanewise`: a compiler speaks for itself.
int run_tool(const std::vector<std::string>& command) {
  const auto end = run_in_foreground(command, [] {});
  if (!end) return end_with(kExitEnvironment, end.sentence());
  if (end->start_error != 0)
    return end_with(kExitEnvironment, fmt::format("{} cannot be run: {}", command[0], std::strerror(end->start_error)));
  if (WIFSIGNALED(end->status))
    return end_with(kExitNotGraded, fmt::format("{} was ended by signal {}", command[0], WTERMSIG(end->status)));
  return WEXITSTATUS(end->status) == 0 ? kExitDone : kExitNotGraded;
}

int compile(const Toolchain& toolchain, CompileRequest request, const std::string& source, const std::string& object) {
  request.source = source;
  request.object = object;
  return run_tool(toolchain.compile_command(request));
}

int compile_and_link(const NvccOptions& options) {
  const Installation installation = this_installation();
  const auto toolchain = find_toolchain(toolchain_choice(options.toolchain), installation);
  if (!toolchain) return end_with(kExitEnvironment, toolchain.sentence());
  const auto host_compiler = describe_host_compiler(installation);
  if (!host_compiler) return end_with(kExitEnvironment, host_compiler.sentence());
  const auto folder = TemporaryFolder::create();
  if (!folder) return end_with(kExitEnvironment, folder.sentence());

  std::vector<std::string> link = {installation.host_compiler.string()};
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const std::string& file = options.files[i];
    std::string object = file;
    if (!is_file_to_link(file)) {
      object = options.has_main         ? (folder->path() / fmt::format("{}.o", i)).string()
               : options.output.empty() ? fs::path(file).stem().string() + ".o"
                                        : options.output;
      if (const int code = compile(**toolchain, options.request, file, object); code != kExitDone) return code;
    }
    link.push_back(object);
  }
  if (!options.has_main) return kExitDone;
  link.insert(link.end(), {"-o", options.output.empty() ? "a.out" : options.output});
  for (const auto& more : {options.request.host_options, (*toolchain)->link_options()})
    link.insert(link.end(), more.begin(), more.end());
  return run_tool(link);
}

}  // namespace

// Its options have one dash and long names, which CLI11 does not read.
void add_nvcc_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<NvccOptions>();
  CLI::App* const command = app.add_subcommand("nvcc", "Compile a CUDA program of your own, with nvcc or clang");
  command->footer(kNvccExamples);
  command->prefix_command();
  add_toolchain_option(*command, options->toolchain);
  command->callback([options, command, &exit_code] {
    const auto trouble = NvccArguments(*options).read(command->remaining());
    exit_code = trouble ? end_with(kExitUsage, *trouble) : compile_and_link(*options);
  });
}

}  // namespace lanewise
