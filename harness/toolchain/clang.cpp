// clang, which compiles CUDA by itself: with headers of our own, and programs of ours for the packing.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "harness/toolchain/compiler.h"
#include "harness/toolchain/toolchain.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Our headers go with this version's of clang's own, and later ones'.
constexpr int kOldestClang = 19;
constexpr const char* kWantsClang = "install it (apt-get install clang-19)";

// Before a letter, a digit or a slash: "cub/", "cublas_v2.h", "cuda/std/array".
constexpr std::string_view kOfNvidia[] = {"cooperative_groups",
                                          "cub",
                                          "cuda",
                                          "cufft",
                                          "curand",
                                          "cusolver",
                                          "cusparse",
                                          "cute",
                                          "mma",
                                          "nccl",
                                          "npp",
                                          "nv/",
                                          "nvml",
                                          "nvtx",
                                          "thrust"};

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

bool is_of_nvidia(const std::string& header) {
  return std::any_of(std::begin(kOfNvidia), std::end(kOfNvidia),
                     [&](std::string_view beginning) { return header.compare(0, beginning.size(), beginning) == 0; });
}

class Clang : public Toolchain {
 public:
  Clang(const Installation& installation, std::string version, std::vector<fs::path> own_headers)
      : Toolchain("clang", std::move(version)), installation_(installation), own_headers_(std::move(own_headers)) {}

  std::vector<std::string> compile_command(const CompileRequest& request) const override {
    const fs::path& toolkit = installation_.clang_toolkit;
    std::vector<std::string> command = {
        installation_.clang.string(), "-x", "cuda", "--cuda-gpu-arch=sm_" + request.architecture,
        // The protocol of launches, which is otherwise that of CUDA 9.
        "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.5", "-Wno-unknown-cuda-version",
        "--cuda-path=" + toolkit.string(), "-isystem", (toolkit / "include").string(), "-include",
        (toolkit / "include/lanewise_cuda.h").string(), "-O2", "-gline-tables-only", "-fno-crash-diagnostics"};
    if (request.optimisation != "2") command.insert(command.end(), {"-Xarch_host", "-O" + request.optimisation});
    command.insert(command.end(), request.options.begin(), request.options.end());
    for (const std::string& option : request.host_options) command.insert(command.end(), {"-Xarch_host", option});
    // It compiles for the device, then for the host: one list would replace the other, and what only device code
    // includes would not be noticed.
    if (!request.dependencies.empty())
      command.insert(command.end(), {"-MD", "-MF", request.dependencies + ".d", "-Xarch_device",
                                     "-Wp,-dependency-file," + request.dependencies + ".device.d"});
    command.insert(command.end(), {"-c", request.source, "-o", request.object});
    return command;
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
    std::error_code error;
    const fs::path real = fs::canonical(installation_.clang, error);
    return {installation_.clang_toolkit, installation_.vgpu_runtime,
            error ? installation_.clang : real.parent_path().parent_path()};
  }

  std::string lacking_header(std::string_view source) const override {
    std::istringstream lines{std::string(source)};
    std::error_code error;
    for (std::string line; std::getline(lines, line);)
      if (std::string header = included_in(std::move(line));
          is_of_nvidia(header) && !fs::exists(installation_.clang_toolkit / "include" / header, error))
        return header;
    return "";
  }

 private:
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
