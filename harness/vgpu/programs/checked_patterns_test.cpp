// Checkers over whole programs: every wrong pattern must be reported, by the right one and at its lines, and nothing in
// a right one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>

namespace vgpu::checked_patterns_test {
namespace {

struct Pattern {
  std::string program;
  std::string name;
  std::string checker;  // that must report it; empty if nothing is wrong
  std::set<int> lines;  // where
};

std::ostream& operator<<(std::ostream& to, const Pattern& pattern) { return to << pattern.name; }

std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) output += buffer;
  if (pipe != nullptr) pclose(pipe);
  return output;
}

std::string with_vgpu(const std::string& settings, const std::string& program, const std::string& arguments) {
  return "LD_LIBRARY_PATH=" + std::string(VGPU_RUNTIME_FOLDER) + " LANEWISE_VGPU_MONITORS=all " + settings + " " +
         VGPU_PROGRAMS_BINARY + "/" + program + " " + arguments;
}

// All patterns that a program knows, with the lines that its source declares.
void add_patterns(const std::string& program, std::vector<Pattern>& all) {
  std::map<std::string, Pattern> marked;
  std::ifstream source(std::string(VGPU_PROGRAMS_SOURCE) + "/" + program + ".cu");
  const std::regex mark("  // (\\w+check): (\\w+)$");
  std::smatch found;
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (!std::regex_search(line, found, mark)) continue;
    Pattern& pattern = marked[found[2]];
    pattern.checker = found[1];
    pattern.lines.insert(number);
  }
  std::istringstream names(output_of(with_vgpu("", program, "")));
  for (std::string name; std::getline(names, name);) {
    all.push_back(marked[name]);
    all.back().name = name;
    all.back().program = program;
  }
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  std::istringstream programs(VGPU_PATTERN_PROGRAMS);
  for (std::string program; std::getline(programs, program, ' ');) add_patterns(program, all);
  return all;
}

class CheckedPattern : public ::testing::TestWithParam<Pattern> {};

TEST_P(CheckedPattern, IsReportedWhereItIsWrongAndNowhereElse) {
  // Whatever the order of warps and blocks: a mistake is one whether or not it did harm this time.
  for (const std::string seed : {"0", "1", "77"}) {
    const std::string report = ::testing::TempDir() + "pattern_" + GetParam().name + ".json";
    std::remove(report.c_str());
    std::string settings = "LANEWISE_VGPU_SEED=";
    settings.append(seed).append(" LANEWISE_VGPU_REPORT=").append(report);
    const std::string output = output_of(with_vgpu(settings, GetParam().program, GetParam().name));
    if (GetParam().checker == "memcheck")  // such accesses may or may not end the kernel
      EXPECT_EQ(output.rfind(GetParam().name + ": cuda", 0), 0U) << output;
    else
      EXPECT_EQ(output, GetParam().name + ": cudaSuccess\n");
    std::set<int> lines;
    std::ifstream file(report);
    if (file.good() && file.peek() != std::ifstream::traits_type::eof()) {
      const nlohmann::json document = nlohmann::json::parse(file);
      for (const auto& finding : document["findings"]) {
        EXPECT_EQ(finding["tool"], GetParam().checker) << finding;
        lines.insert(finding["line"].get<int>());
      }
    }
    std::remove(report.c_str());
    EXPECT_EQ(lines.empty(), GetParam().lines.empty()) << "schedule seed " << seed;
    EXPECT_TRUE(std::includes(GetParam().lines.begin(), GetParam().lines.end(), lines.begin(), lines.end()))
        << ::testing::PrintToString(lines) << ", schedule seed " << seed;
  }
}

// Also on a processor of its own, where the threads of the runtime and of the program take turns.
TEST(CheckedPatterns, AReportIsTheSameFromRunToRunAndOnOneProcessor) {
  for (const Pattern& pattern : patterns()) {
    if (pattern.lines.empty()) continue;
    const std::string report = ::testing::TempDir() + "same_" + pattern.name + ".json";
    const auto reported = [&](const std::string& before) {
      std::remove(report.c_str());
      const std::string settings = "LANEWISE_VGPU_SEED=5 LANEWISE_VGPU_REPORT=" + report + " " + before;
      const std::string printed = output_of(with_vgpu(settings, pattern.program, pattern.name));
      std::ifstream file(report);
      std::stringstream text;
      text << file.rdbuf();
      return printed + text.str();
    };
    const std::string first = reported("");
    EXPECT_GT(first.size(), 200U) << pattern.name << ": " << first;
    EXPECT_EQ(reported(""), first);
    EXPECT_EQ(reported("taskset -c $(taskset -pc $$ | sed 's/.*: *//; s/[,-].*//')"), first);
    std::remove(report.c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(All, CheckedPattern, ::testing::ValuesIn(patterns()),
                         [](const auto& info) { return info.param.name; });

TEST(CheckedPatterns, BothKindsAreThere) {
  int right = 0, wrong = 0;
  for (const Pattern& pattern : patterns()) ++(pattern.lines.empty() ? right : wrong);
  EXPECT_GE(right, 10);
  EXPECT_GE(wrong, 10);
}

}  // namespace
}  // namespace vgpu::checked_patterns_test
