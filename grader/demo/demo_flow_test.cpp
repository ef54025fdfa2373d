// The made-up class of `make demo` gets, student for student, the verdict that each was chosen for.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <map>

#include "grader/solutions/expectation.h"
#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/runner/process.h"

namespace lanewise::demo_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestPage = 64 << 20;

class DemoFlow : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<Expected<TemporaryFolder>>(TemporaryFolder::create());
    ASSERT_TRUE(*folder) << folder->sentence();
    first_run = demo();
  }
  static void TearDownTestSuite() { folder.reset(); }

  static fs::path grades() { return (*folder)->path() / "grades"; }

  // What the script says; nothing if it does not end well.
  static std::string demo() {
    const fs::path tree = fs::path(LANEWISE_LABS_FOLDER).parent_path();
    ProcessOptions options;
    options.command = {"/bin/sh", (tree / "scripts" / "demo.sh").string()};
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                           "LANEWISE_BUILD=" + fs::path(LANEWISE_EXECUTABLE).parent_path().string(),
                           "LANEWISE_DEMO=" + (*folder)->path().string()};
    const auto finished = run_to_end(options, std::chrono::minutes(8), 1 << 20);
    if (!finished) return "";
    const bool is_well = WIFEXITED(finished->status) && WEXITSTATUS(finished->status) == 0;
    EXPECT_TRUE(is_well) << finished->output;
    return is_well ? finished->output : "";
  }

  static bool says(const std::string& part) { return first_run.find(part) != std::string::npos; }

  static std::vector<Verdict> verdicts_of(const std::string& student) {
    const auto json = read_file(grades() / "students" / student / "results.json", kLargestPage);
    if (!json) return {};
    const auto verdicts = read_json_report(*json);
    return verdicts ? *verdicts : std::vector<Verdict>();
  }

  static double points_of(const TaskVerdict& task, const std::string& part) {
    for (const PartScore& score : task.parts)
      if (score.name == part) return score.points;
    return -1;
  }

  inline static std::unique_ptr<Expected<TemporaryFolder>> folder;
  inline static std::string first_run;
};

TEST_F(DemoFlow, EachStudentGetsTheVerdictThatTheyWereChosenFor) {
  const std::map<std::string, std::vector<std::string>> declared = {
      {"amara", {"right", "right"}},
      {"linnea", {"right"}},
      {"mateo", {"wrong; memcheck; misconception = \"bin index off by one\""}},
      {"yuki", {"wrong; initcheck; racecheck"}},
      {"priya", {"wrong; misconception = \"rows and columns swapped\""}},
      {"tomasz", {"compile error"}},
      {"nadia", {"time limit; runtime"}},
      {"jonas", {"refused by audit"}},
      {"wei", {"right"}},
      {"grace", {"right"}},
      {"noah", {"not started"}},
      {"sofia", {}}};
  for (const auto& [student, outlines] : declared) {
    std::vector<std::string> got;
    for (const Verdict& verdict : verdicts_of(student))
      for (const TaskVerdict& task : verdict.tasks) got.push_back(describe(outline_of(task)));
    EXPECT_EQ(got, outlines) << student;
    EXPECT_TRUE(fs::exists(grades() / "students" / student / "index.html")) << student;
    EXPECT_TRUE(says("\n  " + student)) << first_run;
  }
}

TEST_F(DemoFlow, WhatIsFastHasPointsForItAndWhatIsSlowHasNone) {
  for (const Verdict& verdict : verdicts_of("amara")) {
    EXPECT_EQ(points_of(verdict.tasks.at(0), "fast"), 15) << verdict.tasks.at(0).task;
    EXPECT_EQ(points_of(verdict.tasks.at(0), "efficient"), 10) << verdict.tasks.at(0).task;
  }
  for (const Verdict& verdict : verdicts_of("linnea")) EXPECT_EQ(points_of(verdict.tasks.at(0), "fast"), 0);
}

TEST_F(DemoFlow, LateCopiedAndMissingWorkIsTold) {
  const auto table = read_file(grades() / "grades.csv", kLargestPage);
  ASSERT_TRUE(table);
  EXPECT_NE(table->find("grace,Grace Mwangi,image,81,100,1,yes,"), std::string::npos) << *table;
  EXPECT_NE(table->find("sofia,Sofia Rossi,vecadd,,,,no,,,nothing was submitted,"), std::string::npos) << *table;
  EXPECT_TRUE(says("Near-identical submissions: 1 group (closest: linnea and wei in scan)")) << first_run;
}

TEST_F(DemoFlow, PagesThatAreNamedAreThere) {
  std::size_t named = 0;
  for (std::size_t at = first_run.find("\n  /"); at != std::string::npos; at = first_run.find("\n  /", at + 1)) {
    const std::string page = first_run.substr(at + 3, first_run.find(' ', at + 3) - at - 3);
    EXPECT_TRUE(fs::exists(page)) << page;
    ++named;
  }
  EXPECT_GE(named, 3U) << first_run;
}

TEST_F(DemoFlow, SecondRunGradesNothingAnew) {
  EXPECT_TRUE(says("Graded now: 12; from earlier runs: 0.")) << first_run;
  const std::string second = demo();
  EXPECT_NE(second.find("Graded now: 0; from earlier runs: 12."), std::string::npos) << second;
}

}  // namespace
}  // namespace lanewise::demo_flow_test
