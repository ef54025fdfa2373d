// NVIDIA's compiler, of the CUDA Toolkit 12 or 13.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "harness/toolchain/compiler.h"
#include "harness/toolchain/toolchain.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr int kOldest = 12, kNewest = 13;  // those whose runtime the virtual GPU stands in for

// Libraries of the toolkit that a program may use; the linker drops those that it does not.
constexpr const char* kToolkitLibraries[] = {"cublas", "cusparse", "nppicc", "nppif", "nppc"};

class Nvcc : public Toolchain {
 public:
  Nvcc(const Installation& installation, std::string version)
      : Toolchain("nvcc", std::move(version)), installation_(installation) {}

  std::vector<std::string> compile_command(const CompileRequest& request) const override {
    std::vector<std::string> host = request.host_options;
    host.emplace_back("-fno-diagnostics-color");
    std::vector<std::string> command = {
        installation_.nvcc.string(), "-O" + request.optimisation, "-lineinfo", "-cudart", "shared", "-ccbin",
        installation_.host_compiler.string(), "-Xcompiler", fmt::format("{}", fmt::join(host, ",")),
        // Uncompressed PTX is what the virtual GPU reads; machine code is for the GPU at hand.
        fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]", request.architecture), "--no-compress"};
    command.insert(command.end(), request.options.begin(), request.options.end());
    if (!request.dependencies.empty()) command.insert(command.end(), {"-MD", "-MF", request.dependencies + ".d"});
    command.insert(command.end(), {"-c", request.source, "-o", request.object});
    return command;
  }

  std::vector<std::string> dependency_files(const std::string& dependencies) const override {
    return {dependencies + ".d"};
  }

  std::vector<std::string> link_options() const override {
    std::vector<std::string> options = {"-L" + installation_.cuda_libraries.string(),
                                        "-Wl,-rpath," + installation_.cuda_libraries.string(), "-lcudart",
                                        "-Wl,--as-needed"};
    for (const char* library : kToolkitLibraries)
      if (fs::exists(installation_.cuda_libraries / fmt::format("lib{}.so", library)))
        options.push_back(fmt::format("-l{}", library));
    return options;
  }

  std::string runtime() const override { return installation_.nvidia_runtime.filename(); }

  std::vector<fs::path> header_folders() const override {
    return {installation_.toolkit, fs::weakly_canonical(installation_.toolkit)};
  }
  std::vector<fs::path> readable() const override { return {}; }
  std::string lacking_header(std::string_view) const override { return ""; }

 private:
  Installation installation_;
};

}  // namespace

Expected<std::shared_ptr<const Toolchain>> find_nvcc(const Installation& installation) {
  if (installation.nvcc.empty())
    return Failure{fmt::format("nvcc was not found on the PATH, nor in /usr/local/cuda/bin; {}", kWantsToolkit)};
  const auto answer = ask_compiler({installation.nvcc.string(), "--version"});
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const std::size_t at = answer ? answer->find(", V") : std::string::npos;
  if (at == std::string::npos)
    return Failure{fmt::format("nvcc cannot be run at {}; {}", installation.nvcc.string(), kWantsToolkit)};
  std::string version = answer->substr(at + 3, answer->find_first_not_of("0123456789.", at + 3) - (at + 3));
  const int major = std::atoi(version.c_str());
  if (major < kOldest || major > kNewest)
    return Failure{fmt::format("{} is of CUDA {}, and CUDA {} or {} is needed; {}", installation.nvcc.string(), version,
                               kOldest, kNewest, kWantsToolkit)};
  const std::string runtime = fmt::format("libcudart.so.{}", major);
  if (installation.cuda_libraries.empty() || installation.nvidia_runtime.filename() != runtime)
    return Failure{
        fmt::format("the CUDA Toolkit {} that {} belongs to was not found, nor its {}; point CUDA_HOME at its folder",
                    major, installation.nvcc.string(), runtime)};
  return std::shared_ptr<const Toolchain>(std::make_shared<Nvcc>(installation, std::move(version)));
}

}  // namespace lanewise
