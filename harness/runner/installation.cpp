// Everything is looked for from the executable, the current folder and the environment; nothing is configured.
#include "harness/runner/installation.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <vector>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// The first is that of the virtual GPU when no toolkit says otherwise.
constexpr const char* kRuntimes[] = {"libcudart.so.13", "libcudart.so.12"};

std::string environment_text(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

fs::path environment_or(const char* name, const fs::path& otherwise) {
  const std::string value = environment_text(name);
  std::error_code error;
  return value.empty() ? otherwise : fs::absolute(value, error);
}

// The nearest folder at or above `folder` that is one; empty if none is.
fs::path nearest_folder(fs::path folder, const std::function<bool(const fs::path&)>& is_it) {
  for (;; folder = folder.parent_path()) {
    if (!folder.empty() && is_it(folder)) return folder;
    if (folder == folder.parent_path()) return {};
  }
}

bool is_root(const fs::path& folder) {
  return is_there(folder / "labs") && is_there(folder / "harness/worker/entry.h");
}

bool is_writable(const fs::path& folder) { return access(folder.c_str(), W_OK | X_OK) == 0; }

// Where CMake built the programs; empty if they are installed, or somebody else's. A tree may be unpacked in another's
// build folder.
fs::path build_folder(const Installation& installation) {
  return nearest_folder(installation.programs, [&](const fs::path& folder) {
    const bool is_inside = folder.native().size() > installation.root.native().size();
    return is_inside && is_there(folder / "CMakeCache.txt") && (is_writable(folder) || is_writable(folder / "cache"));
  });
}

// Other courses have folders of that name, too.
bool has_labs(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder / "labs", error), end; !error && it != end; it.increment(error))
    if (is_there(it->path() / "lab.toml")) return true;
  return false;
}

std::vector<fs::path> on_path(const char* name) {
  std::vector<fs::path> programs;
  std::istringstream folders(environment_text("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path program = fs::path(folder) / name; program.is_absolute()) programs.push_back(std::move(program));
  return programs;
}

bool is_program(const fs::path& file) {
  std::error_code error;
  return !fs::is_directory(file, error) && access(file.c_str(), X_OK) == 0;
}

fs::path real_path(const fs::path& file) {
  std::error_code error;
  fs::path path = fs::canonical(file, error);
  return error ? file : path;
}

// The toolkit that an nvcc belongs to; empty if it is a wrapper, whose toolkit is elsewhere.
fs::path toolkit_of(const fs::path& nvcc) {
  for (const fs::path& program : {nvcc, real_path(nvcc)}) {
    fs::path toolkit = program.parent_path().parent_path();
    for (const char* headers :
         {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include", "targets/aarch64-linux/include"})
      if (is_there(toolkit / headers / "cuda_runtime.h")) return toolkit;
  }
  return {};
}

void find_toolkit(Installation& installation) {
  std::vector<fs::path> candidates = on_path("nvcc");
  if (const fs::path chosen = environment_text("CUDA_HOME"); chosen.is_absolute())
    candidates.insert(candidates.begin(), chosen / "bin" / "nvcc");
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const fs::path& nvcc : candidates) {
    if (!is_program(nvcc)) continue;
    if (installation.nvcc.empty()) installation.nvcc = nvcc;  // a wrapper is better than nothing: it can be told of
    installation.toolkit = toolkit_of(nvcc);
    if (installation.toolkit.empty()) continue;
    installation.nvcc = nvcc;
    break;
  }
  installation.nvidia_runtime = fs::path("/usr/local/cuda/lib64") / kRuntimes[0];
  if (installation.toolkit.empty()) return;
  for (const char* folder :
       {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib", "lib"})
    for (const char* runtime : kRuntimes) {
      const fs::path libraries = installation.toolkit / folder;
      if (!is_there(libraries / runtime)) continue;
      installation.cuda_libraries = libraries;
      installation.nvidia_runtime = libraries / runtime;
      return;
    }
}

// The version that our headers are made for comes first.
fs::path find_clang_compiler() {
  for (const char* name : {"clang++-19", "clang++-20", "clang++-21", "clang++"})
    for (fs::path& program : on_path(name))
      if (is_program(program)) return std::move(program);
  return {};
}

// Links to a compiler cache are passed over: it would want a folder of its own where submissions are compiled.
fs::path find_host_compiler() {
  std::vector<fs::path> candidates;
  const fs::path chosen = environment_text("CXX");
  if (chosen.is_absolute()) candidates.push_back(chosen);
  for (const std::string& name :
       {chosen.has_parent_path() ? std::string() : chosen.string(), std::string("c++"), std::string("g++")})
    if (!name.empty())
      for (fs::path& program : on_path(name.c_str())) candidates.push_back(std::move(program));
  const auto found = std::find_if(candidates.begin(), candidates.end(), [](const fs::path& program) {
    return is_program(program) && real_path(program).filename().string().find("cache") == std::string::npos;
  });
  return found == candidates.end() ? fs::path() : *found;
}

fs::path users_cache() {
  if (const fs::path folder = environment_text("XDG_CACHE_HOME"); folder.is_absolute()) return folder / "lanewise";
  fs::path home = environment_text("HOME");
  const passwd* const user = home.is_absolute() ? nullptr : getpwuid(getuid());
  if (user != nullptr) home = user->pw_dir;
  return "/" / home / ".cache" / "lanewise";
}

fs::path users_reports(const Installation& installation, const fs::path& here) {
  const fs::path beside = installation.labs.parent_path();
  for (const fs::path& folder : {beside == installation.root ? fs::path() : beside, here})
    if (!folder.empty() && is_writable(folder)) return folder / "lanewise-reports";
  return installation.cache / "reports";
}

}  // namespace

Installation find_installation(const fs::path& executable) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  Installation installation;
  installation.programs = fs::weakly_canonical(executable, error).parent_path();
  installation.root = nearest_folder(installation.programs, is_root);
  installation.build = build_folder(installation);
  const bool is_installed = installation.build.empty();
  // Without a root this names the folder that is missed.
  fs::path course = installation.root.empty() ? installation.programs.parent_path() : installation.root;
  if (const fs::path own = is_installed ? nearest_folder(here, has_labs) : fs::path(); !own.empty()) course = own;
  installation.labs = environment_or("LANEWISE_LABS", course / "labs");
  installation.solutions = environment_or("LANEWISE_SOLUTIONS", course / "solutions");
  installation.worker = installation.programs / "libexec" / "lanewise-worker";
  installation.caller = installation.programs / "libexec" / "lanewise-call-task";
  installation.devices = installation.programs / "libexec" / "lanewise-device";
  installation.vgpu_runtime = installation.programs / "vgpu" / kRuntimes[0];
  installation.vgpu_program_runtime = installation.programs / "vgpu" / "program" / kRuntimes[0];
  installation.vgpu_libraries = installation.programs / "vgpu" / "libraries";
  find_toolkit(installation);
  installation.host_compiler = find_host_compiler();
  installation.clang = find_clang_compiler();
  if (const fs::path folder = installation.programs / "toolchain" / "cuda"; is_there(folder / "version.json"))
    installation.clang_toolkit = folder;
  installation.cache = environment_or("LANEWISE_CACHE", is_installed ? users_cache() : installation.build / "cache");
  installation.reports = is_installed ? users_reports(installation, here) : installation.build;
  return installation;
}

}  // namespace lanewise
