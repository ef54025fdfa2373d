// Kernels that never end are stopped, and the report says where their threads are; those that end are left alone.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

namespace vgpu::stopped_kernels_test {
namespace {

/// Each takes another order of blocks, warps and lanes.
constexpr std::array<const char*, 2> kSeeds = {"0", "7"};

std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
  if (pipe != nullptr) pclose(pipe);
  return output;
}

struct Outcome {
  std::string output;
  nlohmann::json findings = nlohmann::json::array();
};

Outcome run(const std::string& program, const std::string& name, const std::string& seed) {
  const std::string report = ::testing::TempDir() + "stopped_" + name + ".json";
  std::remove(report.c_str());
  Outcome outcome;
  outcome.output =
      output_of("LD_LIBRARY_PATH=" + std::string(VGPU_RUNTIME_FOLDER) +
                " LANEWISE_VGPU_MONITORS=memcheck LANEWISE_VGPU_SEED=" + seed + " LANEWISE_VGPU_REPORT=" + report +
                " timeout 60 " + VGPU_PROGRAMS_BINARY + "/" + program + " " + name);
  std::ifstream file(report);
  if (file.good() && file.peek() != std::ifstream::traits_type::eof())
    outcome.findings = nlohmann::json::parse(file)["findings"];
  std::remove(report.c_str());
  return outcome;
}

std::vector<std::string> names_in(const std::string& program) {
  std::vector<std::string> names;
  std::istringstream list(run(program, "", "0").output);
  for (std::string name; std::getline(list, name);) names.push_back(name);
  return names;
}

/// Lines of a program that end in "WORD: NAME".
std::set<int> marked_lines(const std::string& program, const std::string& word, const std::string& name) {
  std::ifstream source(std::string(VGPU_PROGRAMS_SOURCE) + "/" + program + ".cu");
  std::set<int> lines;
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    const std::string mark = word + ": " + name;
    if (line.size() > mark.size() && line.compare(line.size() - mark.size(), mark.size(), mark) == 0)
      lines.insert(number);
  }
  return lines;
}

bool names_one_of(const std::string& sentence, const std::set<int>& lines) {
  for (const int line : lines)
    if (std::regex_search(sentence, std::regex("line " + std::to_string(line) + "\\b"))) return true;
  return lines.empty();
}

TEST(EndlessWait, IsReportedWithTheLinesOfThoseThatSpinAndOfThoseThatWait) {
  int wrong = 0;
  for (const std::string& name : names_in("endless_waits")) {
    const std::set<int> spins = marked_lines("endless_waits", "spins", name),
                        waits = marked_lines("endless_waits", "waits", name);
    if (spins.empty() && waits.empty()) continue;
    ++wrong;
    for (const char* const seed : kSeeds) {
      const Outcome stopped = run("endless_waits", name, seed);
      EXPECT_EQ(stopped.output, name + ": cudaErrorLaunchTimeout\n") << "seed " << seed;
      ASSERT_EQ(stopped.findings.size(), 1u) << name << ", seed " << seed << ": " << stopped.findings;
      const auto& finding = stopped.findings[0];
      EXPECT_EQ(finding["kind"], "endless wait") << name << ", seed " << seed;
      EXPECT_TRUE(names_one_of(finding["sentence"], spins)) << name << ", seed " << seed << ": " << finding;
      EXPECT_TRUE(names_one_of(finding["sentence"], waits)) << name << ", seed " << seed << ": " << finding;
      if (!spins.empty()) {
        EXPECT_EQ(spins.count(finding["line"].get<int>()), 1u) << finding;
      }
    }
  }
  EXPECT_GE(wrong, 10);
}

TEST(EndlessWait, IsNoneThatEndsAfterAll) {
  for (const char* const seed : kSeeds) {
    const Outcome right = run("endless_waits", "right", seed);
    EXPECT_TRUE(right.findings.empty()) << "seed " << seed << ": " << right.findings;
    EXPECT_EQ(right.output.find("cudaError"), std::string::npos) << "seed " << seed << ": " << right.output;
    EXPECT_NE(right.output.find("waits_for_the_host: cudaSuccess"), std::string::npos) << right.output;
  }
}

TEST(LaunchesByKernels, HaveOneBudgetWithAllThatTheyLaunchInTurn) {
  const Outcome stopped = run("dynamic_parallelism", "endless", "0 LANEWISE_VGPU_BUDGET=3000000");
  EXPECT_EQ(stopped.output, "cudaErrorLaunchTimeout\n");
  int budgets = 0;
  for (const auto& finding : stopped.findings) budgets += finding["kind"] == "endless kernel" ? 1 : 0;
  EXPECT_EQ(budgets, 1) << stopped.findings;
}

TEST(LoopsOfGraphs, HaveOneBudgetWithTheLoopsInThem) {
  const Outcome stopped = run("graph_conditions", "endless", "0 LANEWISE_VGPU_BUDGET=300000");
  EXPECT_EQ(stopped.output, "cudaErrorLaunchTimeout\n");
  ASSERT_EQ(stopped.findings.size(), 1u) << stopped.findings;
  EXPECT_EQ(stopped.findings[0]["kind"], "endless graph");
  EXPECT_NE(stopped.findings[0]["sentence"].get<std::string>().find("after 15 iterations"), std::string::npos)
      << stopped.findings;
}

TEST(LoopsOfGraphs, HaveToEndAlsoIfTheyOnlyFillMemory) {
  const Outcome stopped = run("graph_conditions", "filling", "0 LANEWISE_VGPU_BUDGET=300000");
  EXPECT_EQ(stopped.output, "cudaErrorLaunchTimeout\n");
  ASSERT_EQ(stopped.findings.size(), 1u) << stopped.findings;
  EXPECT_NE(stopped.findings[0]["sentence"].get<std::string>().find("after 1 iterations"), std::string::npos)
      << stopped.findings;
}

TEST(Graphs, AreLookedOverWhenTheyChangeAndDoNotDoubleForEver) {
  EXPECT_EQ(run("graph_conditions", "refused", "0").output,
            "cudaErrorInvalidValue\ncudaErrorGraphExecUpdateFailure\nat the copy\ncudaErrorMemoryAllocation\n");
}

TEST(LoopsOfGraphs, AreNotBegunOnAConditionThatNobodyHasSet) {
  const Outcome undefined = run("graph_conditions", "undefined", "0");
  EXPECT_EQ(undefined.output, "cudaSuccess\n");
  ASSERT_EQ(undefined.findings.size(), 1u) << undefined.findings;
  EXPECT_EQ(undefined.findings[0]["kind"], "undefined condition");
}

TEST(Schedules, AreToldApartByWhatKernelsLeaveInMemory) {
  const std::string record = ::testing::TempDir() + "stores_of_schedules";
  int wrong = 0, right = 0;
  for (const std::string& name : names_in("schedules")) {
    const std::set<int> depends = marked_lines("schedules", "depends", name),
                        rounds = marked_lines("schedules", "rounds", name);
    ++(depends.empty() && rounds.empty() ? right : wrong);
    EXPECT_TRUE(run("schedules", name, "0 LANEWISE_VGPU_STORES_TO=" + record).findings.empty()) << name;
    for (const char* const seed : {"1", "7"}) {
      const Outcome other = run("schedules", name, std::string(seed) + " LANEWISE_VGPU_STORES_LIKE=" + record);
      ASSERT_EQ(other.findings.size(), depends.size() + rounds.size()) << name << ": " << other.findings;
      for (const auto& finding : other.findings) {
        EXPECT_EQ(finding["kind"],
                  depends.empty() ? "rounding depends on the schedule" : "result depends on the schedule")
            << name;
        EXPECT_EQ((depends.empty() ? rounds : depends).count(finding["line"].get<int>()), 1u) << finding;
      }
    }
  }
  EXPECT_GE(right, 8);
  EXPECT_GE(wrong, 8);
  std::remove(record.c_str());
}

TEST(InvalidReads, DoNotKeepAKernelFromEnding) {
  std::size_t number = 0;
  for (const std::string& name : names_in("invalid_reads")) {
    const bool ends = name.rfind("ends_", 0) == 0;
    const std::set<int> lines = marked_lines("invalid_reads", "invalid", name);
    const char* const one = kSeeds[number++ % kSeeds.size()];  // so many invalid accesses take a while
    for (const char* const seed : kSeeds) {
      if (!ends && seed != one) continue;
      const Outcome outcome = run("invalid_reads", name, seed);
      EXPECT_EQ(outcome.output.rfind(name + ": cuda", 0), 0u) << "seed " << seed << ": " << outcome.output;
      bool is_reported = false, is_stopped = false;
      for (const auto& finding : outcome.findings) {
        is_reported |= finding["tool"] == "memcheck" && lines.count(finding["line"].get<int>()) != 0;
        is_stopped |= finding["tool"] == "runtime";
      }
      EXPECT_EQ(is_reported, !lines.empty()) << name << ", seed " << seed << ": " << outcome.findings;
      EXPECT_EQ(is_stopped, !ends) << name << ", seed " << seed << ": " << outcome.findings;
    }
  }
}

}  // namespace
}  // namespace vgpu::stopped_kernels_test
