// clang, which compiles CUDA by itself: with headers of our own, and programs of ours for the packing.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "harness/lab/read_file.h"
#include "harness/toolchain/compiler.h"
#include "harness/toolchain/toolchain.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Our headers go with this version's of clang's own, and later ones'.
constexpr int kOldestClang = 19;
constexpr std::uintmax_t kLargestHeader = 4 << 20;
constexpr const char* kOptions = "clang.cfg";  // that it always has
constexpr const char* kDevice = "device";      // the sides that one source is compiled for
constexpr const char* kHost = "host";
constexpr const char* kWantsClang = "install it (apt-get install clang-19)";

// "cub/cub.cuh" of "#include <cub/cub.cuh>"; empty for any other line.
std::string included_in(std::string line) {
  line.erase(std::remove_if(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
             line.end());
  constexpr std::string_view kInclude = "#include";
  if (line.compare(0, kInclude.size(), kInclude) != 0 || line.size() < kInclude.size() + 2) return "";
  const std::size_t begin = kInclude.size() + 1;
  const char opening = line[begin - 1];
  const std::size_t end = line.find(opening == '<' ? '>' : opening, begin);
  return end == std::string::npos || (opening != '<' && opening != '"') ? "" : line.substr(begin, end - begin);
}

class Clang : public Toolchain {
 public:
  Clang(const Installation& installation, std::string version, std::vector<fs::path> own_headers)
      : Toolchain("clang", std::move(version)), installation_(installation), own_headers_(std::move(own_headers)) {}

  std::vector<std::string> compile_command(const CompileRequest& request) const override {
    std::vector<std::string> command = common_options(request);
    // It compiles for the device, then for the host: one list would replace the other, and what only device code
    // includes would not be noticed.
    if (!request.dependencies.empty())
      command.insert(command.end(), {"-MD", "-MF", request.dependencies + ".d", "-Xarch_device",
                                     "-Wp,-dependency-file," + request.dependencies + ".device.d"});
    // -Wp takes a path up to its first comma.
    if (const std::string folder = request.prepared.string(); !folder.empty() && folder.find(',') == std::string::npos)
      for (const char* side : {kDevice, kHost})
        command.insert(command.end(), {fmt::format("-Xarch_{}", side),
                                       fmt::format("-Wp,-include-pch,{}/{}", folder, precompiled(side))});
    command.insert(command.end(),
                   {"-Wuninitialized", "-Wsometimes-uninitialized", "-c", request.source, "-o", request.object});
    return command;
  }

  // Our headers, precompiled for each side: reading them is most of what compiling a lab's skeleton takes.
  std::vector<std::vector<std::string>> prepare_commands(const CompileRequest& request) const override {
    std::vector<std::vector<std::string>> commands;
    for (const char* side : {kDevice, kHost}) {
      std::vector<std::string> command = common_options(request);
      command.insert(command.end(), {fmt::format("--cuda-{}-only", side), "-S", "-Xclang", "-emit-pch",
                                     // By its time, a header put there again is another one: it would be read twice.
                                     "-Xclang", "-fno-pch-timestamp"});
      if (!request.dependencies.empty())
        command.insert(command.end(), {"-MD", "-MF", request.dependencies + (side == kDevice ? ".device.d" : ".d")});
      command.insert(command.end(), {(installation_.clang_toolkit / "include/lanewise/precompiled.cu").string(), "-o",
                                     precompiled(side)});
      commands.push_back(std::move(command));
    }
    return commands;
  }

  std::string identity() const override {
    const auto options = read_file(installation_.clang_toolkit / kOptions, kLargestHeader);
    return description() + "\n" + (options ? *options : "");
  }

  std::vector<std::string> dependency_files(const std::string& dependencies) const override {
    return {dependencies + ".d", dependencies + ".device.d"};
  }

  std::vector<std::string> link_options() const override {
    const fs::path folder = installation_.vgpu_runtime.parent_path();
    return {installation_.vgpu_runtime.string(), "-Wl,-rpath," + folder.string()};
  }

  std::string runtime() const override { return installation_.vgpu_runtime.filename(); }

  std::vector<fs::path> header_folders() const override { return own_headers_; }

  std::vector<fs::path> readable() const override {
    std::vector<fs::path> files = {installation_.clang_toolkit, installation_.vgpu_runtime};
    // Not the folder above both, which may be somebody's home.
    std::error_code error;
    const fs::path programs = fs::canonical(installation_.clang, error).parent_path();
    for (const fs::path& folder : {programs, programs.parent_path() / "lib"})
      if (!error && fs::is_directory(folder, error)) files.push_back(folder);
    return files;
  }

  std::string lacking_header(std::string_view source) const override {
    std::istringstream lines{std::string(source)};
    for (std::string line; std::getline(lines, line);)
      if (std::string header = included_in(std::move(line)); !header.empty() && is_lacking(header)) return header;
    return "";
  }

 private:
  std::vector<std::string> common_options(const CompileRequest& request) const {
    // The file names an architecture, too.
    std::vector<std::string> command = {
        installation_.clang.string(), "--config=" + (installation_.clang_toolkit / kOptions).string(),
        "--no-cuda-gpu-arch=all", "--cuda-gpu-arch=sm_" + request.architecture, "-fno-crash-diagnostics",
        // A header that was put there again is the same as long as its content is.
        "-Xclang", "-fvalidate-ast-input-files-content"};
    if (request.optimisation != "2") command.insert(command.end(), {"-Xarch_host", "-O" + request.optimisation});
    command.insert(command.end(), request.options.begin(), request.options.end());
    for (const std::string& option : request.host_options) command.insert(command.end(), {"-Xarch_host", option});
    return command;
  }

  static std::string precompiled(const char* side) { return fmt::format("{}.pch", side); }

  // In the place of some there is one line that says so, and others are not in the folder that is theirs.
  bool is_lacking(const std::string& header) const {
    const fs::path headers = installation_.clang_toolkit / "include";
    const fs::path name = fs::path(header).lexically_normal();
    if (name.is_absolute() || *name.begin() == "..") return false;
    std::error_code error;
    if (!fs::exists(headers / name, error)) return name.has_parent_path() && fs::exists(headers / *name.begin(), error);
    const auto text = read_file(headers / name, kLargestHeader);
    return text && text->rfind("#error", 0) == 0;
  }

  Installation installation_;
  std::vector<fs::path> own_headers_;
};

// "19.1.7" of "Debian clang version 19.1.7 (3~deb12u1)".
std::string number_in(const std::string& words) {
  const std::string before = "clang version ";
  const std::size_t at = words.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return words.substr(begin, words.find_first_not_of("0123456789.", begin) - begin);
}

}  // namespace

Expected<std::shared_ptr<const Toolchain>> find_clang(const Installation& installation) {
  if (installation.clang.empty()) return Failure{fmt::format("clang was not found on the PATH; {}", kWantsClang)};
  if (installation.clang_toolkit.empty())
    return Failure{fmt::format("the headers that clang compiles CUDA with are missing: {}; build everything",
                               (installation.programs / "toolchain/cuda").string())};
  const auto described = describe_compiler(installation.clang);
  if (!described)
    return Failure{fmt::format("clang cannot be run at {}; {}", installation.clang.string(), kWantsClang)};
  std::string version = number_in(described->version);
  if (std::atoi(version.c_str()) < kOldestClang)
    return Failure{fmt::format("{} is {}, and CUDA is compiled with clang {} or newer; {}", installation.clang.string(),
                               described->version, kOldestClang, kWantsClang)};
  return std::shared_ptr<const Toolchain>(
      std::make_shared<Clang>(installation, std::move(version), described->header_folders));
}

}  // namespace lanewise
