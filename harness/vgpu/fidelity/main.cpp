// vgpu_counter_fidelity: the virtual GPU's counters beside Nsight Compute's, as Markdown.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

#include "harness/vgpu/fidelity/markdown.h"
#include "harness/vgpu/fidelity/profiles.h"

namespace {

namespace fs = std::filesystem;
using namespace vgpu::fidelity;

constexpr int kExitBeyond = 1, kExitUsage = 2, kExitEnvironment = 3;

constexpr const char* kUsage = R"(Usage: vgpu_counter_fidelity FOLDER PROFILES
       vgpu_counter_fidelity --profiles FOLDER [PROFILES]
The first writes Markdown tables to stdout. FOLDER holds
  PROGRAM.json       the virtual GPU's report of a program, with counters
  PROGRAM.reordered  optional: the report of a run with another LANEWISE_VGPU_SEED
The second writes profiles to stdout, one row per kernel, from a FOLDER that holds
  PROGRAM.csv        the output of ncu --csv --page raw --print-kernel-base mangled --print-units base
  PROGRAM.printed    optional: what the program printed on the GPU; lines "KERNEL: ..., N blocks a multiprocessor" count
With PROFILES, their rows for other programs are kept.
Exit code: 0; 1 if a counter exceeds its tolerance; 2 for usage errors; 3 if a file is missing or invalid.
)";

std::optional<std::string> contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<fs::path> files_of(const fs::path& folder, const char* extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) throw std::runtime_error(folder.string() + " holds no PROGRAM" + extension);
  return files;
}

CountersDocument counters_in(const fs::path& path) {
  const auto counted = read_counters(contents_of(path).value_or(""));
  if (const auto* sentence = std::get_if<std::string>(&counted))
    throw std::runtime_error(path.filename().string() + ": " + *sentence);
  return std::get<CountersDocument>(counted);
}

std::vector<Profile> profiles_in(const fs::path& path) {
  const auto text = contents_of(path);
  if (!text) throw std::runtime_error(path.string() + " cannot be read: was the program profiled?");
  auto profiles = read_ncu_csv(*text);
  if (const auto* sentence = std::get_if<std::string>(&profiles))
    throw std::runtime_error(path.string() + ": " + *sentence);
  return std::get<std::vector<Profile>>(std::move(profiles));
}

bool is_beyond(const ProgramRows& program) {
  const auto has_bad_cell = [](const Row& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const Cell& c) { return c.verdict == Verdict::kBeyond; });
  };
  return std::any_of(program.second.begin(), program.second.end(), has_bad_cell);
}

int compare_all(const fs::path& folder, const fs::path& profiles_file) {
  const std::vector<Profile> profiles = profiles_in(profiles_file);
  std::vector<ProgramRows> programs;
  for (const fs::path& document : files_of(folder, ".json")) {
    const fs::path reordered = fs::path(document).replace_extension(".reordered");
    const ProgramRun run{document.stem().string(), counters_in(document),
                         fs::exists(reordered) ? counters_in(reordered) : CountersDocument()};
    programs.emplace_back(run.name, compare(run, profiles));
  }
  std::fputs((summary_of(programs) + tables_of(by_task(programs))).c_str(), stdout);
  int code = 0;
  for (const ProgramRows& program : programs) {
    if (!is_beyond(program)) continue;
    std::fprintf(stderr, "%s: a counter exceeds its tolerance (bold in its table)\n", program.first.c_str());
    code = kExitBeyond;
  }
  return code;
}

int write_profiles(const fs::path& folder, const std::optional<fs::path>& old_profiles) {
  std::vector<Profile> all;
  std::set<std::string> measured;
  for (const fs::path& file : files_of(folder, ".csv")) {
    std::vector<Profile> profiles = sums_of(profiles_in(file));
    add_printed_occupancy(contents_of(fs::path(file).replace_extension(".printed")).value_or(""), profiles);
    for (const Profile& profile : profiles) measured.insert(profile.program);
    all.insert(all.end(), profiles.begin(), profiles.end());
  }
  if (old_profiles)
    for (const Profile& profile : profiles_in(*old_profiles))
      if (measured.count(profile.program) == 0) all.push_back(profile);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.program < b.program; });
  std::fputs(profiles_csv(all).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool is_help = arguments.size() == 1 && arguments[0] == "--help";
  if (arguments.size() >= 2 && arguments.size() <= 3 && arguments[0] == "--profiles")
    return write_profiles(arguments[1], arguments.size() == 3 ? std::optional<fs::path>(arguments[2]) : std::nullopt);
  if (arguments.size() == 2 && arguments[0][0] != '-') return compare_all(arguments[0], arguments[1]);
  std::fputs(kUsage, is_help ? stdout : stderr);
  return is_help ? 0 : kExitUsage;
} catch (const std::exception& error) {
  std::fprintf(stderr, "vgpu_counter_fidelity: %s\n", error.what());
  return kExitEnvironment;
}
