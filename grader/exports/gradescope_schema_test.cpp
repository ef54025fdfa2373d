// Reports are as the schema says; and the schema refuses what it should.
#include "grader/exports/gradescope_schema_test.h"

#include <gtest/gtest.h>

#include "harness/report/json_report.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise::exports_test {
namespace {

using Json = nlohmann::json;

class GradescopeSchema : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_installed(kSchemaJudge))
      GTEST_SKIP() << kSchemaJudge << " is not there; scripts/prepare.sh test installs it";
  }
};

TEST_F(GradescopeSchema, IsWhatCheckWrites) {
  EXPECT_EQ(against_schema(Json::parse(json_report({sample_with_goals(), sample_with_speed()}))), "");
  EXPECT_EQ(against_schema(Json::parse(json_report({}, {{"scan", "there is no such file"}}))), "");
}

TEST_F(GradescopeSchema, RefusesWhatGradescopeDoesNotKnow) {
  const Json good = Json::parse(json_report({sample_verdict()}));
  Json report = good;
  report["scores"] = 1;
  EXPECT_NE(against_schema(report), "");
  report = good;
  report.erase("score");
  EXPECT_NE(against_schema(report), "");
  report = good;
  report["tests"][0]["visibility"] = "secret";
  EXPECT_NE(against_schema(report), "");
  report = good;
  report["tests"][0]["score"] = "41";
  EXPECT_NE(against_schema(report), "");
  report = good;
  report["leaderboard"] = Json::parse(R"([{"name": "x"}])");
  EXPECT_NE(against_schema(report), "");
}

}  // namespace
}  // namespace lanewise::exports_test
