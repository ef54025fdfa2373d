// Whole programs on the virtual GPU print, to the last byte, what they print on an H200 (NAME.expected, recorded there
// by scripts/gpu_check.sh --record), with any schedule, and no checker has anything to say about them.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace vgpu::programs_test {
namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  std::string output;
  std::string findings;
  int exit_code = -1;
};

Outcome run(const std::string& name, const std::string& environment) {
  const std::string report = testing::TempDir() + name + ".findings";
  const std::string devices = name == "devices" ? " LANEWISE_VGPU_DEVICES=2" : "";
  const std::string command = environment + devices + " LANEWISE_VGPU_REPORT=" + report +
                              " LD_PRELOAD=" VGPU_RUNTIME " " VGPU_PROGRAMS_BINARY "/" + name + " 2>/dev/null";
  Outcome outcome;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const auto document = nlohmann::json::parse(contents_of(report), nullptr, /*allow_exceptions=*/false);
  outcome.findings = document.is_object() ? document["findings"].dump() : "no report";
  return outcome;
}

/// As anybody would run it; once for all tests.
const Outcome& run_naturally(const char* name) {
  static std::map<std::string, Outcome> known;
  const auto [found, is_new] = known.try_emplace(name);
  if (is_new) found->second = run(name, "");
  return found->second;
}

/// A program that makes no mistakes on purpose has no findings.
void expect_no_findings(const std::string& name, const Outcome& outcome) {
  static const std::set<std::string> kMistaken = {"calls", "captures", "devices", "errors", "graphs", "texture_errors"};
  if (kMistaken.count(name) != 0) return;
  EXPECT_EQ(outcome.findings, "[]");
}

class Program : public testing::TestWithParam<const char*> {};

TEST_P(Program, PrintsWhatItPrintsOnAGpu) {
  const std::string expected = contents_of(std::string(VGPU_PROGRAMS_SOURCE "/") + GetParam() + ".expected");
  ASSERT_FALSE(expected.empty());
  const Outcome& outcome = run_naturally(GetParam());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, expected);
}

TEST_P(Program, GivesTheSameWithoutMonitorsAndWithOtherSchedules) {
  const Outcome& natural = run_naturally(GetParam());
  EXPECT_EQ(run(GetParam(), "LANEWISE_VGPU_MONITORS=none").output, natural.output);
  for (const char* seed : {"1", "2", "77"}) {
    const Outcome outcome = run(GetParam(), std::string("LANEWISE_VGPU_SEED=") + seed);
    EXPECT_EQ(outcome.output, natural.output);
    expect_no_findings(GetParam(), outcome);
  }
}

TEST_P(Program, HasNoFindings) { expect_no_findings(GetParam(), run_naturally(GetParam())); }

INSTANTIATE_TEST_SUITE_P(All, Program,
                         testing::Values("calls", "captures", "communication", "counter_control", "counter_global",
                                         "counter_shared", "counter_whole", "devices", "errors", "features", "graphs",
                                         "half", "language", "narrow_types", "streams", "surfaces", "texture_errors",
                                         "textures"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(OfLibraries, Program,
                         testing::Values("atomics", "cooperative", "cub_scan_reduce", "cub_segments",
                                         "cub_select_histogram", "cub_sort", "thrust_algorithms"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace vgpu::programs_test
