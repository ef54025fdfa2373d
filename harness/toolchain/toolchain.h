// What compiles CUDA: NVIDIA's nvcc, or clang with headers of our own, which needs nothing of NVIDIA's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/lab/failure.h"
#include "harness/runner/installation.h"

namespace lanewise {

enum class ToolchainChoice : std::uint8_t { kAuto, kNvcc, kClang };

/// "auto", "nvcc" and "clang" for the command line.
const std::vector<std::pair<std::string, ToolchainChoice>>& toolchain_choices();
ToolchainChoice toolchain_choice(const std::string& name);

/// One file to compile. Lines are always kept, and device code is always optimised.
struct CompileRequest {
  std::string source;
  std::string object;
  std::string architecture = "90";        ///< of the virtual GPU: compute capability without its dot
  std::string optimisation = "2";         ///< of host code: what follows -O
  std::vector<std::string> options;       ///< those that all understand: "-std=c++17", "-Ifolder", "-DN=1", "-g"
  std::vector<std::string> host_options;  ///< for host code alone: "-fPIC"
  /// Names lists of the files read, as rules for make: NAME.d and whatever Toolchain::dependency_files adds. Empty:
  /// none are written.
  std::string dependencies;
  std::filesystem::path prepared;  ///< where Toolchain::prepare_commands were run with the same options, or empty
};

class Toolchain {
 public:
  Toolchain(std::string name, std::string version) : name_(std::move(name)), version_(std::move(version)) {}
  virtual ~Toolchain() = default;

  const std::string& name() const { return name_; }        ///< "nvcc"
  const std::string& version() const { return version_; }  ///< "13.0.88"
  std::string description() const { return name_ + " " + version_; }
  /// Beside the command, all that decides what it compiles a source to.
  virtual std::string identity() const { return description(); }

  virtual std::vector<std::string> compile_command(const CompileRequest& request) const = 0;
  /// What compiling any source with these options begins with, to be done once: each leaves its result in the folder it
  /// is run in, and one of dependency_files, if the request names any. A change to a file on them makes it stale.
  virtual std::vector<std::vector<std::string>> prepare_commands(const CompileRequest&) const { return {}; }
  /// What compiling with these `dependencies` leaves, if it succeeds. Together they name every file that was read.
  virtual std::vector<std::string> dependency_files(const std::string& dependencies) const = 0;
  /// For the host compiler, after the objects: the CUDA runtime and what else comes with it.
  virtual std::vector<std::string> link_options() const = 0;
  /// The CUDA runtime that they are linked with: "libcudart.so.13".
  virtual std::string runtime() const = 0;
  /// Headers that change with its version alone, apart from the host compiler's.
  virtual std::vector<std::filesystem::path> header_folders() const = 0;
  /// Files and folders that it needs beside those and the host compiler's; headers in them may change at any time.
  virtual std::vector<std::filesystem::path> readable() const = 0;
  /// The first header of NVIDIA's libraries that `source` includes and this toolchain lacks: "cub/cub.cuh". Empty if
  /// there is none.
  virtual std::string lacking_header(std::string_view source) const = 0;

 private:
  std::string name_;
  std::string version_;
};

/// nvcc for kAuto, unless only clang is there. The failure says what is missing and what to do about it.
Expected<std::shared_ptr<const Toolchain>> find_toolchain(ToolchainChoice choice, const Installation& installation);

/// How to get nvcc: the end of a sentence.
extern const char* const kWantsToolkit;

Expected<std::shared_ptr<const Toolchain>> find_nvcc(const Installation& installation);
Expected<std::shared_ptr<const Toolchain>> find_clang(const Installation& installation);

}  // namespace lanewise
