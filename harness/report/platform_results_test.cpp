// Each platform's form keeps points and verdicts, hides what is hidden, and is what the platform's documentation asks
// for.
#include "harness/report/platform_results.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/json_report.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string written(const std::string& platform, const std::string& report, const fs::path& pictures = "/nonexistent") {
  return platform_format(platform)->write(
      report, pictures, [](const std::string& name) { return name == "USERNAME" ? "" : "the " + name; });
}

Verdict uncompiled() {
  Verdict verdict = sample_verdict();
  verdict.tasks = {verdict.tasks.back()};
  verdict.tasks[0].state = TaskState::kCompileError;
  verdict.tasks[0].message = "scan.cu(3): error: expected a ';'\x1b[31m";
  verdict.points = 0;
  verdict.max_points = 55;
  return verdict;
}

// A case that only `lanewise grade` runs, and that students must not see.
std::string report_with_hidden_case() {
  Verdict verdict = sample_verdict();
  CaseVerdict hidden = verdict.tasks[0].cases[1];
  hidden.name = "secret shape";
  hidden.group = "grade";
  verdict.tasks[0].cases.push_back(hidden);
  return json_report({verdict});
}

TEST(PlatformResults, NoneTellsOfHiddenCases) {
  const std::string report = report_with_hidden_case();
  ASSERT_NE(report.find("secret shape"), std::string::npos);
  for (const char* platform : {"autolab", "prairielearn", "classroom50", "submitty"})
    EXPECT_EQ(written(platform, report).find("secret shape"), std::string::npos) << platform;
  EXPECT_EQ(written("gradescope", report), report);
  EXPECT_EQ(platform_format("moodle"), nullptr);
}

TEST(PlatformResults, AutolabReadsStagesAndThenScores) {
  std::istringstream lines(written("autolab", json_report({sample_verdict()}, {{"blur", "there is no such file"}})));
  std::string stages_line, scores_line, more;
  ASSERT_TRUE(std::getline(lines, stages_line) && std::getline(lines, scores_line));
  EXPECT_FALSE(std::getline(lines, more)) << "Autolab takes the last line";
  const Json stages = Json::parse(stages_line);
  EXPECT_EQ(stages.at("_presentation"), "semantic");
  for (const std::string stage : stages.at("stages"))
    for (const Json& test : stages.at(stage)) EXPECT_TRUE(test.at("passed").is_boolean());
  EXPECT_EQ(stages.at("stages").size(), 3U);
  EXPECT_NE(stages.at("scan · inclusive_scan").at("correct").at("hint").get<std::string>().find("513"),
            std::string::npos);
  // What was not graded has no score, which Autolab leaves open, and a mark on the board.
  EXPECT_EQ(Json::parse(scores_line), Json::parse(R"({"scores": {"scan": 48.25}, "scoreboard": [48.25, "-", 48.25]})"));
}

TEST(PlatformResults, PrairieLearnReadsAFraction) {
  const Json results = Json::parse(written("prairielearn", json_report({sample_verdict()})));
  EXPECT_EQ(results.at("gradable"), true);
  EXPECT_NEAR(results.at("score").get<double>(), 48.25 / 120, 1e-9);
  ASSERT_EQ(results.at("tests").size(), 3U);
  EXPECT_EQ(results.at("tests")[0].at("points"), 41.25);
  EXPECT_EQ(results.at("tests")[0].at("max_points"), 55);
}

TEST(PlatformResults, WhatDoesNotCompileCostsNoAttempt) {
  const Json results = Json::parse(written("prairielearn", json_report({uncompiled()})));
  EXPECT_EQ(results.at("gradable"), false);
  EXPECT_FALSE(results.contains("score"));
  EXPECT_EQ(results.at("format_errors"), Json::parse(R"(["scan.cu(3): error: expected a ';'\\x1b[31m"])"));
  const Json missing = Json::parse(written("prairielearn", json_report({}, {{"scan", "there is no scan.cu"}})));
  EXPECT_EQ(missing.at("gradable"), false);
  EXPECT_NE(missing.at("format_errors")[0].get<std::string>().find("there is no scan.cu"), std::string::npos);
}

TEST(PlatformResults, PrairieLearnGetsPicturesWithinAMegabyte) {
  const fs::path folder = fs::path(testing::TempDir()) / "lanewise_platform_pictures";
  fs::create_directories(folder / "scan");
  Verdict verdict = sample_verdict();
  for (int i = 0; i < 9; ++i) {
    verdict.tasks[0].cases[1].pictures.push_back(std::to_string(i) + ".png");
    std::ofstream(folder / "scan" / (std::to_string(i) + ".png")) << std::string(100'000, '\xff');
  }
  verdict.tasks[0].cases[1].sentence = std::string(2'000'000, 'x');
  const std::string text = written("prairielearn", json_report({verdict}), folder);
  fs::remove_all(folder);
  EXPECT_LT(text.size(), 1'000'000U);
  const Json images = Json::parse(text).at("images");
  EXPECT_GE(images.size(), 3U);
  EXPECT_EQ(images[0].at("url").get<std::string>().substr(0, 26), "data:image/png;base64,////");
  EXPECT_EQ(images[0].at("label"), "inclusive_scan · block + 1: 0");
}

TEST(PlatformResults, Classroom50ReadsWholePointsThatAddUp) {
  const Json result = Json::parse(written("classroom50", json_report({sample_verdict()}, {{"blur", "nothing there"}})));
  EXPECT_EQ(result.at("schema"), "classroom50/result/v1");
  std::int64_t sum = 0;
  for (const Json& test : result.at("tests")) {
    ASSERT_TRUE(test.at("score").is_number_integer() && test.at("max-score").is_number_integer());
    EXPECT_LE(test.at("score"), test.at("max-score"));
    sum += test.at("score").get<std::int64_t>();
  }
  EXPECT_EQ(result.at("score"), sum);
  EXPECT_EQ(sum, 41 + 7);
  EXPECT_EQ(result.at("max-score"), 55 + 10 + 55);
  EXPECT_EQ(result.at("commit"), "the COMMIT_URL");
  EXPECT_EQ(result.at("owner"), "the OWNER");
}

TEST(PlatformResults, SubmittyReadsAScoreWithMessages) {
  const Json results = Json::parse(written("submitty", json_report({sample_verdict()}, {{"blur", "nothing there"}})));
  EXPECT_EQ(results.at("status"), "success");
  EXPECT_NEAR(results.at("data").at("score").get<double>(), 48.25 / 120, 1e-9);
  std::vector<std::string> states;
  for (const Json& message : results.at("data").at("message")) states.push_back(message.at("status"));
  EXPECT_EQ(states, (std::vector<std::string>{"failure", "failure", "failure", "warning"}));
}

}  // namespace
}  // namespace lanewise
