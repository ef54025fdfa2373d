// vgpu_sweep: breaks correct kernels in every small way and counts who notices.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "harness/vgpu/sweep/summary.h"
#include "harness/vgpu/sweep/sweep.h"

namespace {

namespace fs = std::filesystem;
using vgpu::sweep::Settings;

constexpr int kExitSurvivor = 1, kExitUsage = 2, kExitEnvironment = 3;

constexpr const char* kExamples = R"(
Examples:
  vgpu_sweep                                        all kernels in harness/vgpu/sweep/kernels
  vgpu_sweep harness/vgpu/sweep/kernels/spmv.cu     one of them
  vgpu_sweep --markdown sweep.md --json sweep.json  the table, and every mutant's outcome, as files

A source holds kernels and a main function that exits with 0 when their output is right, with 1 when it is wrong, and
with something else when a CUDA call fails. A mutant that behaves like the original, or that no checker is known to
find, is declared in the source, at its line or above it:
  // sweep: equivalent shift-bound 2: REASON
  // sweep: missed drop-barrier 1: REASON
Exit code: 0; 1 if an undeclared mutant survived, a declared one was found, or too few were found; 2 for usage errors;
3 if a source cannot be used (it does not compile, a declaration matches nothing in it) or part of the installation is
missing.)";

/// On a terminal one line that is overwritten; elsewhere a line a tenth.
class Progress {
 public:
  void show(const std::string& step, std::size_t done, std::size_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (done == 0) began_ = now, tenths_ = 0;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    std::string text = "vgpu_sweep: " + step + " " + std::to_string(done) + " of " + std::to_string(total);
    if (done != 0 && done != total)
      text += ", about " +
              std::to_string(static_cast<int>(seconds / static_cast<double>(done) * static_cast<double>(total - done)) +
                             1) +
              " s left";
    if (is_terminal_) {
      std::fprintf(stderr, "\r\x1b[K%s%s", text.c_str(), done == total ? "\n" : "");
    } else if (done * 10 / std::max<std::size_t>(total, 1) >= tenths_) {
      tenths_ = done * 10 / std::max<std::size_t>(total, 1) + 1;
      std::fprintf(stderr, "%s\n", text.c_str());
    }
    std::fflush(stderr);
  }

 private:
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point began_;
  std::size_t tenths_ = 0;
};

/// A folder that goes when it goes out of scope.
class WorkFolder {
 public:
  WorkFolder() {
    std::string name = (fs::temp_directory_path() / "vgpu_sweep_XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<fs::path> own_kernels() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(VGPU_SWEEP_KERNELS))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

int fail(int code, const std::string& sentence) {
  std::fprintf(stderr, "vgpu_sweep: %s\n", sentence.c_str());
  return code;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return file.flush().good();
}

int run(Settings settings, double least, const std::string& markdown, const std::string& json) {
  const WorkFolder folder;
  if (settings.work_folder.empty()) settings.work_folder = folder.path();
  if (settings.work_folder.empty()) return fail(kExitEnvironment, "no temporary folder could be created");
  if (!fs::exists(settings.runtime_folder / "libcudart.so.13"))
    return fail(kExitEnvironment, "the virtual GPU is missing: build the target vgpu_cudart");
  if (settings.sources.empty()) settings.sources = own_kernels();

  Progress progress;
  const auto began = std::chrono::steady_clock::now();
  const auto result = vgpu::sweep::sweep(settings, [&](const std::string& step, std::size_t done, std::size_t total) {
    progress.show(step, done, total);
  });
  if (const auto* sentence = std::get_if<std::string>(&result)) return fail(kExitEnvironment, *sentence);
  const auto& sources = std::get<std::vector<vgpu::sweep::SweptSource>>(result);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
  const std::string table = vgpu::sweep::table_of(sources), remarks = vgpu::sweep::remarks_on(sources);
  std::printf("%s\n%s", table.c_str(), remarks.c_str());
  std::fprintf(stderr, "vgpu_sweep: it took %lld s\n", static_cast<long long>(seconds.count()));
  if (!markdown.empty() && !write_file(markdown, table + "\n" + remarks))
    return fail(kExitEnvironment, markdown + " cannot be written");
  if (!json.empty() && !write_file(json, vgpu::sweep::as_json(sources) + "\n"))
    return fail(kExitEnvironment, json + " cannot be written");
  const bool has_problems =
      std::any_of(sources.begin(), sources.end(), [](const auto& source) { return !source.problems.empty(); });
  const vgpu::sweep::Totals totals = vgpu::sweep::totals_of(sources);
  return totals.survived != 0 || has_problems || totals.percent_found() < least ? kExitSurvivor : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app(
      "Breaks correct kernels in every small way, one at a time, and counts which mistakes the virtual GPU finds.",
      "vgpu_sweep");
  app.footer(kExamples);
  Settings settings;
  settings.nvcc = VGPU_SWEEP_NVCC;
  settings.runtime_folder = VGPU_RUNTIME_FOLDER;
  settings.jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string markdown, json;
  double least = 99;
  double limit_seconds = static_cast<double>(settings.limit.count()) / 1000;
  app.add_option("sources", settings.sources, "CUDA sources; all of harness/vgpu/sweep/kernels if none is named")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  app.add_option("--jobs,-j", settings.jobs, "Number of compilers and mutants to run at once")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--bundle", settings.variants_a_program, "Number of mutants to compile together")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--budget", settings.instruction_budget, "Warp instructions after which a kernel counts as endless")
      ->check(CLI::Range(1000, 2'000'000'000))
      ->capture_default_str();
  app.add_option("--limit", limit_seconds, "Seconds after which a mutant is stopped")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.add_option("--least", least, "Percentage of behaviour-changing mutants that must be found")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--markdown", markdown, "Write the table to this file")->type_name("FILE");
  app.add_option("--json", json, "Write every mutant and its outcome to this file")->type_name("FILE");
  app.add_option("--keep", settings.work_folder, "Keep the compiled files in this folder")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  settings.limit = std::chrono::milliseconds(static_cast<std::int64_t>(limit_seconds * 1000));
  return run(settings, least, markdown, json);
} catch (const std::exception& error) {
  return fail(kExitEnvironment, error.what());
}
