// vgpu_counter_fidelity: the virtual GPU's counters beside Nsight Compute's, as Markdown.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "harness/vgpu/fidelity/markdown.h"

namespace {

namespace fs = std::filesystem;
using namespace vgpu::fidelity;

constexpr int kExitUsage = 2, kExitEnvironment = 3;

constexpr const char* kUsage = R"(Usage: vgpu_counter_fidelity FOLDER
Writes Markdown tables to stdout. The folder holds
  PROGRAM.json     the virtual GPU's report of a program, with counters
  PROGRAM.csv      what ncu --csv --page raw --print-kernel-base mangled --print-units base printed of it
  PROGRAM.printed  optional: what the program printed on the GPU; lines "KERNEL: ..., N blocks a multiprocessor" count
  PROGRAM.reordered  optional: the report of a run with another LANEWISE_VGPU_SEED
Exit code: 0; 2 for usage; 3 if a file is missing or not what it should be.
)";

int fail(const std::string& sentence) {
  std::fprintf(stderr, "vgpu_counter_fidelity: %s\n", sentence.c_str());
  return kExitEnvironment;
}

std::optional<std::string> contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

int run(const fs::path& folder) {
  std::vector<fs::path> documents;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") documents.push_back(entry.path());
  std::sort(documents.begin(), documents.end());
  std::vector<ProgramRows> programs;
  for (const fs::path& document : documents) {
    const auto counted = read_counters(contents_of(document).value_or(""));
    if (const auto* sentence = std::get_if<std::string>(&counted))
      return fail(document.filename().string() + ": " + *sentence);
    const std::string name = document.stem().string();
    const auto csv = contents_of(fs::path(document).replace_extension(".csv"));
    if (!csv) return fail(name + ".csv cannot be read: was the program profiled?");
    const auto launches = read_ncu_csv(*csv);
    if (const auto* sentence = std::get_if<std::string>(&launches)) return fail(name + ".csv: " + *sentence);
    const auto beside = [&document](const char* extension) {
      return contents_of(fs::path(document).replace_extension(extension));
    };
    CountersDocument reordered;
    if (const auto text = beside(".reordered")) {
      const auto counted_again = read_counters(*text);
      if (const auto* sentence = std::get_if<std::string>(&counted_again))
        return fail(name + ".reordered: " + *sentence);
      reordered = std::get<CountersDocument>(counted_again);
    }
    const ProgramRun run{name, std::get<CountersDocument>(counted), beside(".printed").value_or(""), reordered};
    programs.emplace_back(name, compare(run, std::get<std::vector<ProfiledLaunch>>(launches)));
  }
  if (programs.empty()) return fail(folder.string() + " holds no PROGRAM.json");
  std::fputs((summary_of(programs) + tables_of(by_task(programs))).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 || argv[1][0] == '-') {
    const bool is_help = argc == 2 && std::strcmp(argv[1], "--help") == 0;
    std::fputs(kUsage, is_help ? stdout : stderr);
    return is_help ? 0 : kExitUsage;
  }
  return run(argv[1]);
} catch (const std::exception& error) {
  return fail(error.what());
}
