// Whole programs on the virtual GPU print, to the last byte, what they print on an H200 (NAME.expected, recorded there
// by scripts/gpu_check.sh --record), with any schedule, and no checker has anything to say about them.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

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
  outcome.findings = contents_of(report);
  return outcome;
}

class Program : public testing::TestWithParam<const char*> {};

TEST_P(Program, PrintsWhatItPrintsOnAGpu) {
  const std::string expected = contents_of(std::string(VGPU_PROGRAMS_SOURCE "/") + GetParam() + ".expected");
  ASSERT_FALSE(expected.empty());
  const Outcome outcome = run(GetParam(), "");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, expected);
}

TEST_P(Program, GivesTheSameWithoutMonitorsAndWithOtherSchedules) {
  const Outcome natural = run(GetParam(), "");
  EXPECT_EQ(run(GetParam(), "LANEWISE_VGPU_MONITORS=none").output, natural.output);
  for (const char* seed : {"1", "2", "77"})
    EXPECT_EQ(run(GetParam(), std::string("LANEWISE_VGPU_SEED=") + seed).output, natural.output);
}

TEST_P(Program, HasNoFindings) {
  const std::set<std::string> mistaken = {"calls", "captures", "devices", "errors", "graphs",
                                          "texture_errors"};
  if (mistaken.count(GetParam()) != 0) GTEST_SKIP() << "it makes mistakes on purpose";
  EXPECT_EQ(run(GetParam(), "").findings, "[]");
}

INSTANTIATE_TEST_SUITE_P(All, Program,
                         testing::Values("calls", "captures", "communication", "devices", "errors", "features",
                                         "graphs", "half", "language", "narrow_types", "streams", "surfaces",
                                         "texture_errors", "textures"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
