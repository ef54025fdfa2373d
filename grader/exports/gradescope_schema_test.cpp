// Valijson's judgement; and that the schema refuses what it should.
#include "grader/exports/gradescope_schema_test.h"

#include <gtest/gtest.h>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "harness/lab/read_file.h"
#include "harness/report/json_report.h"
#include "harness/report/sample_verdict_test.h"

namespace lanewise {

using Json = nlohmann::json;

std::string against_schema(const Json& report) {
  const auto text = read_file(std::filesystem::path(LANEWISE_EXPORTS_FOLDER) / "gradescope.schema.json", 1 << 20);
  if (!text) return text.sentence();
  const Json form = Json::parse(*text);
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(form), schema);
  valijson::ValidationResults results;
  valijson::Validator validator;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(report), &results)) return "";
  valijson::ValidationResults::Error error;
  std::string words = "not as the schema says:\n";
  while (results.popError(error)) {
    for (const std::string& step : error.context) words += step;
    words += ": " + error.description + "\n";
  }
  return words;
}

namespace {

TEST(GradescopeSchema, IsWhatCheckWrites) {
  EXPECT_EQ(against_schema(Json::parse(json_report({sample_with_goals(), sample_with_speed()}))), "");
  EXPECT_EQ(against_schema(Json::parse(json_report({}, {{"scan", "there is no such file"}}))), "");
}

TEST(GradescopeSchema, RefusesWhatGradescopeDoesNotKnow) {
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
}  // namespace lanewise
