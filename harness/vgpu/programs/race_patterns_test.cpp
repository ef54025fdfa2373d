// Patterns on the borders of what is a race: each must be found for what it is, or not at all, whatever the order of
// blocks, warps and lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

namespace vgpu::race_patterns_test {
namespace {

constexpr int kSeeds = 20;
const char* const kSeverities[] = {"note", "warning", "error"};  // the worst last

/// Where something is found in a kernel, and how bad the worst of it is.
struct Found {
  std::set<int> lines;
  int severity = -1;

  void add(int line, const std::string& name) {
    lines.insert(line);
    const auto at = std::find(std::begin(kSeverities), std::end(kSeverities), name);
    severity = std::max(severity, static_cast<int>(at - std::begin(kSeverities)));
  }
};
using ByKernel = std::map<std::string, Found>;

ByKernel declared(const std::string& path) {
  ByKernel kernels;
  std::ifstream source(path);
  const std::regex kernel("^__global__ void (\\w+)\\("), mark("// (racecheck|warning|note): (\\w+)$");
  std::smatch found;
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (std::regex_search(line, found, kernel)) kernels[found[1]];
    if (std::regex_search(line, found, mark))
      kernels[found[2]].add(number, found[1] == "racecheck" ? "error" : found[1].str());
  }
  return kernels;
}

/// The bare name in "(anonymous namespace)::name(arguments)".
std::string bare_name(const std::string& kernel) {
  const std::size_t name = kernel.find("::") + 2;
  return kernel.substr(name, kernel.find('(', name) - name);
}

ByKernel reported(int seed) {
  const std::string report = ::testing::TempDir() + "race_patterns.json";
  std::remove(report.c_str());
  const std::string command = "LD_LIBRARY_PATH=" + std::string(VGPU_RUNTIME_FOLDER) +
                              " LANEWISE_VGPU_MONITORS=racecheck LANEWISE_VGPU_SEED=" + std::to_string(seed) +
                              " LANEWISE_VGPU_REPORT=" + report + " " + VGPU_PROGRAMS_BINARY + "/race_patterns >&2";
  EXPECT_EQ(std::system(command.c_str()), 0) << "a kernel failed";
  ByKernel kernels;
  std::ifstream file(report);
  const auto document = nlohmann::json::parse(file);
  for (const auto& finding : document["findings"]) {
    EXPECT_EQ(finding["tool"], "racecheck");
    kernels[bare_name(finding["kernel"])].add(finding["line"], finding.value("severity", "error"));
  }
  std::remove(report.c_str());
  return kernels;
}

TEST(RacePatterns, AreFoundForWhatTheyAreWithEverySeed) {
  const ByKernel all = declared(std::string(VGPU_PROGRAMS_SOURCE) + "/race_patterns.cu");
  const auto declares = [&](int severity) {
    return std::count_if(all.begin(), all.end(),
                         [&](const auto& kernel) { return kernel.second.severity == severity; });
  };
  ASSERT_GE(declares(-1), 20) << "right ones";
  ASSERT_GE(declares(0), 5);
  ASSERT_GE(declares(1), 10);
  ASSERT_GE(declares(2), 15);
  for (int seed = 0; seed < kSeeds; ++seed) {
    ByKernel found = reported(seed);
    for (const auto& [name, kernel] : all) {
      const Found& here = found[name];
      EXPECT_EQ(here.severity, kernel.severity) << name << ", schedule seed " << seed;
      EXPECT_TRUE(std::includes(kernel.lines.begin(), kernel.lines.end(), here.lines.begin(), here.lines.end()))
          << name << " at " << ::testing::PrintToString(here.lines) << ", schedule seed " << seed;
    }
    EXPECT_EQ(found.size(), all.size()) << "a kernel that is not there";
  }
}

}  // namespace
}  // namespace vgpu::race_patterns_test
