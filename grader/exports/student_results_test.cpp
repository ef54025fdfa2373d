// Gradescope's and Autolab's files are of the form that these ask for, and tell of one student only.
#include "grader/exports/student_results.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/exports/gradescope_schema_test.h"
#include "grader/exports/sample_class_test.h"

namespace lanewise::exports_test {
namespace {

using Json = nlohmann::json;

GradedClass class_with(const Verdict& verdict) {
  GradedClass graded = sample_class();
  graded.students.front().attempts.at(1).verdict = verdict;
  return graded;
}

Json results_of(const GradedClass& graded, std::size_t student) {
  return Json::parse(gradescope_results(graded, graded.students.at(student)));
}

TEST(GradescopeResults, ScoreIsTheCourses) {
  const Json report = results_of(sample_class(), 0);
  EXPECT_DOUBLE_EQ(report.at("score").get<double>(), 43.76 + 102.5);
  EXPECT_EQ(report.at("output"),
            "scan: 43.76 of 100; 48.3 of 120 become 54.7 of 100; 2 days late: -10.9\nvecadd: 102.5 of 100");
  EXPECT_EQ(report.at("extra_data").at("course").at(0).at("points"), 43.76);
  EXPECT_EQ(report.at("extra_data").at("verdicts").size(), 2U);
  EXPECT_EQ(against_schema(report), "");
}

TEST(GradescopeResults, WhatWasNotGradedSaysWhy) {
  const Json bob = results_of(sample_class(), 1);
  ASSERT_EQ(bob.at("tests").size(), 2U);
  EXPECT_EQ(bob.at("tests").at(0).at("output"), "This could not be graded: the virtual GPU was killed: out of memory");
  EXPECT_EQ(bob.at("tests").at(1).at("output"), "This could not be graded: nothing was submitted");
  EXPECT_EQ(against_schema(bob), "");
}

TEST(GradescopeResults, HiddenCasesAreToldOfInHiddenTestsOnly) {
  const Json report = results_of(class_with(sample_with_hidden_case()), 0);
  EXPECT_EQ(against_schema(report), "");
  int hidden = 0;
  for (const Json& test : report.at("tests")) {
    const std::string text = test.dump();
    if (test.at("visibility") == "hidden") {
      ++hidden;
      EXPECT_EQ(test.at("name"), "scan · inclusive_scan · hidden cases");
      EXPECT_EQ(test.at("output"),
                "0 of 1 hidden cases right\nsecret shape (n = 31337): out[31336] is 1, expected 2; 1 of 31,337 wrong, "
                "the last element\n  This is what you get when a block's total is not added to the blocks after it.\n"
                "racecheck scan.cu:3: Reads element 31337 of 31337.");
      EXPECT_FALSE(test.contains("score"));
    } else {
      EXPECT_EQ(text.find("31337"), std::string::npos) << text;
      EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(hidden, 1);
  EXPECT_EQ(report.at("stdout_visibility"), "hidden");
  EXPECT_NE(report.at("tests").at(1).at("output").get<std::string>().find("racecheck scan.cu:3: in a hidden case"),
            std::string::npos);
}

TEST(GradescopeResults, AKnownTimeIsOnTheLeaderboard) {
  Verdict verdict = sample_with_speed();
  Json report = results_of(class_with(verdict), 0);
  EXPECT_EQ(report.at("leaderboard"),
            Json::parse(R"([{"name": "scan · inclusive_scan, measured ms", "value": 0.571, "order": "asc"}])"));
  EXPECT_EQ(against_schema(report), "");
  verdict.tasks.front().speed.review = "the two clocks disagree";
  report = results_of(class_with(verdict), 0);
  EXPECT_TRUE(report.at("leaderboard").empty());
}

TEST(GradescopeResults, NoPathAndNobodyElseIsInIt) {
  GradedClass graded = class_with(sample_with_hidden_case());
  graded.students.at(1).student.name = "Somebody Else";
  const std::string json = gradescope_results(graded, graded.students.front());
  for (const char* text : {"Somebody", "bob", "cleo", "/home/me", "/copies"})
    EXPECT_EQ(json.find(text), std::string::npos) << text;
}

TEST(GradescopeResults, HostileTextIsStillOfThatForm) {
  GradedClass graded = sample_class();
  const std::string hostile = std::string("<b>\xff\x1b[31m\"\0\xE2\x80\xAE", 14);
  graded.students.front().attempts.at(1).score.explanation = hostile;
  Verdict& verdict = *graded.students.front().attempts.at(1).verdict;
  verdict.tasks.front().output = verdict.tasks.front().message = hostile;
  verdict.tasks.front().cases.at(1).sentence = hostile;
  const Json report = results_of(graded, 0);
  EXPECT_EQ(against_schema(report), "");
  EXPECT_EQ(report.at("output").get<std::string>().find('\x1b'), std::string::npos);
  for (const Json& test : report.at("tests"))
    EXPECT_EQ(test.at("output").get<std::string>().find('\x1b'), std::string::npos);
}

TEST(AutolabResults, AreOneLineWithAProblemForEachLab) {
  const GradedClass graded = sample_class();
  EXPECT_EQ(autolab_results(graded, graded.students.at(0)),
            "{\"scores\":{\"scan\":43.76,\"vecadd\":102.5},\"scoreboard\":[146.26,43.76,102.5]}\n");
  EXPECT_EQ(autolab_results(graded, graded.students.at(1)), "{\"scores\":{},\"scoreboard\":[0.0,\"-\",\"-\"]}\n");
}

}  // namespace
}  // namespace lanewise::exports_test
