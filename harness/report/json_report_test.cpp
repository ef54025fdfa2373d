// results.json holds the verdict without loss, and what Gradescope asks for.
#include "harness/report/json_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/sample_verdict_test.h"

namespace lanewise {
namespace {

using Json = nlohmann::json;

TEST(JsonReport, RoundTripLosesNothing) {
  const std::string once = json_report({sample_verdict()});
  const auto read = read_json_report(once);
  ASSERT_TRUE(read) << read.sentence();
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(json_report(*read), once);
  const Finding& finding = read->at(0).tasks.at(0).findings.at(0);
  EXPECT_EQ(finding.place.line, 3);
  EXPECT_EQ(finding.count, 1234);
  EXPECT_EQ(read->at(0).tasks.at(0).cases.at(1).judgement.first.at(0).expected, "513");
  EXPECT_EQ(read->at(0).tasks.at(1).state, TaskState::kNotStarted);
}

TEST(JsonReport, HasWhatGradescopeReads) {
  const Json report = Json::parse(json_report({sample_verdict(), sample_verdict()}));
  EXPECT_DOUBLE_EQ(report.at("score").get<double>(), 96.5);
  ASSERT_EQ(report.at("tests").size(), 6U);  // two scored parts and one, twice
  const Json& test = report.at("tests").at(0);
  EXPECT_EQ(test.at("name"), "scan · inclusive_scan · correct");
  EXPECT_DOUBLE_EQ(test.at("score").get<double>(), 41.25);
  EXPECT_DOUBLE_EQ(test.at("max_score").get<double>(), 55);
  EXPECT_EQ(test.at("status"), "failed");
  EXPECT_NE(test.at("output").get<std::string>().find("expected 513"), std::string::npos);
  EXPECT_EQ(report.at("extra_data").at("schema_version"), kVerdictSchemaVersion);
}

TEST(JsonReport, WhatCouldNotBeGradedIsNoGradedZero) {
  const std::string json = json_report({sample_verdict()}, {{"vecadd", "a\x1b.cu: there is no such file"}});
  const Json report = Json::parse(json);
  ASSERT_EQ(report.at("tests").size(), 4U);
  const Json& test = report.at("tests").at(3);
  EXPECT_EQ(test.at("name"), "vecadd · not graded");
  EXPECT_EQ(test.at("status"), "failed");
  EXPECT_EQ(test.at("output"), "This could not be graded: a\\x1b.cu: there is no such file");
  EXPECT_FALSE(test.contains("score"));
  EXPECT_EQ(report.at("extra_data").at("ungraded").at(0).at("lab"), "vecadd");
  ASSERT_TRUE(read_json_report(json));
  EXPECT_EQ(read_json_report(json)->size(), 1U);
}

TEST(JsonReport, ClassesOfCasesSurvive) {
  const auto read = read_json_report(json_report({sample_with_classes()}));
  ASSERT_TRUE(read) << read.sentence();
  const ClassTable& classes = read->at(0).tasks.at(0).classes;
  ASSERT_EQ(classes.rows.size(), 2U);
  EXPECT_EQ(classes.rows[0].values, (std::vector<std::string>{"6 %", "31.20"}));
}

TEST(JsonReport, SpeedSurvives) {
  const std::string json = json_report({sample_with_speed()});
  const auto read = read_json_report(json);
  ASSERT_TRUE(read) << read.sentence();
  EXPECT_EQ(json_report(*read), json);
  const SpeedVerdict& speed = read->at(0).tasks.at(0).speed;
  EXPECT_EQ(speed.time.high, 0.575);
  EXPECT_EQ(speed.bound_place.line, 4);
  const Json report = Json::parse(json);
  EXPECT_EQ(report.at("tests").at(2).at("name"), "scan · inclusive_scan · fast");
  EXPECT_EQ(report.at("leaderboard").dump(),
            R"([{"name":"scan · inclusive_scan, measured ms","order":"asc","value":0.571}])");
  EXPECT_EQ(report.at("extra_data").at("verdicts").at(0).at("tasks").at(0).at("speed").at("next_points"), 13);
}

TEST(JsonReport, HiddenCasesHaveTestsOfTheirOwn) {
  Verdict verdict = sample_verdict();
  CaseVerdict& hidden = verdict.tasks[0].cases.at(2);
  hidden.group = "grade";
  verdict.tasks[0].findings[0].case_name = hidden.name;
  const Json report = Json::parse(json_report({verdict}));
  ASSERT_EQ(report.at("tests").size(), 4U);
  const Json& test = report.at("tests").at(2);
  EXPECT_EQ(test.at("visibility"), "hidden");
  EXPECT_NE(test.at("output").get<std::string>().find("a million (n = 1000003)"), std::string::npos);
  for (const std::size_t i : {0U, 1U, 3U}) {
    EXPECT_EQ(report.at("tests").at(i).at("visibility"), "visible");
    EXPECT_EQ(report.at("tests").at(i).dump().find("million"), std::string::npos);
  }
  EXPECT_EQ(report.at("tests").at(1).at("output"), "1 finding\nracecheck scan.cu:3: in a hidden case");
}

TEST(JsonReport, ACoursesTermsDecideTheScore) {
  const std::string json =
      json_report({sample_verdict()}, {}, {{"scan", 36.2, 100, "2 days late"}, {"spmv", 10, 10, ""}});
  const Json report = Json::parse(json);
  EXPECT_DOUBLE_EQ(report.at("score").get<double>(), 46.2);
  EXPECT_EQ(report.at("output"), "scan: 36.2 of 100; 2 days late\nspmv: 10 of 10");
  EXPECT_EQ(read_json_report(json)->at(0).points, 48.25);
}

TEST(JsonReport, MissedGoalsAreBelowTheirPart) {
  const std::string json = json_report({sample_with_goals()});
  const Json report = Json::parse(json);
  const Json& test = report.at("tests").at(2);
  EXPECT_EQ(test.at("name"), "scan · inclusive_scan · efficient");
  EXPECT_EQ(test.at("output"),
            "1 of 3 goals met\nscan.cu:3: sectors per request, global loads: 8.00, goal ≤ 4.50; 32.00 here\n  Let "
            "neighbouring threads read neighbouring elements.\nwarp instructions: counts once the case 'block + 1' is "
            "right");
  const auto read = read_json_report(json);
  ASSERT_TRUE(read) << read.sentence();
  ASSERT_EQ(read->at(0).tasks.at(0).goals.size(), 3U);
  EXPECT_EQ(read->at(0).tasks.at(0).goals.at(0).place.line, 3);
  EXPECT_TRUE(read->at(0).tasks.at(0).goals.at(2).is_met);
  EXPECT_EQ(json_report(*read), json);
}

TEST(JsonReport, MarksSurviveAndRemarksAreBelowTheirPart) {
  Verdict verdict = sample_verdict();
  verdict.tasks[0].parts.push_back({"understood", 5, 10, true, "2 of 2 questions answered"});
  verdict.tasks[0].marks = {{"a", Marked::Result::kRight, 1, 1},
                            {"why", Marked::Result::kByHand, 1, 3, "Why?", "because", "too short"}};
  const std::string json = json_report({verdict});
  EXPECT_EQ(Json::parse(json).at("tests").at(2).at("output"), "2 of 2 questions answered\nwhy: 1 of 3 · too short");
  const auto read = read_json_report(json);
  ASSERT_TRUE(read) << read.sentence();
  EXPECT_EQ(read->at(0).tasks.at(0).marks.at(1).result, Marked::Result::kByHand);
  EXPECT_EQ(json_report(*read), json);
}

TEST(JsonReport, OutputThatIsNoTextIsStillJson) {
  Verdict verdict = sample_verdict();
  verdict.tasks[0].output = std::string("\xff\xfe\x00", 3);
  EXPECT_TRUE(read_json_report(json_report({verdict})));
}

TEST(JsonReport, OtherVersionsAndRubbishAreRefused) {
  Json report = Json::parse(json_report({sample_verdict()}));
  report["extra_data"]["schema_version"] = kVerdictSchemaVersion + 1;
  EXPECT_FALSE(read_json_report(report.dump()));
  report["extra_data"] = Json::array();
  EXPECT_FALSE(read_json_report(report.dump()));
  EXPECT_FALSE(read_json_report("{"));
  EXPECT_FALSE(read_json_report(""));
}

}  // namespace
}  // namespace lanewise
