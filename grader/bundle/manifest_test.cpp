// A manifest comes back as it was written, and whatever is wrong with one is said with its place.
#include "grader/bundle/manifest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/bundle/sample_bundle_test.h"

namespace lanewise::bundle_test {
namespace {

using Json = nlohmann::ordered_json;

// What is wrong with a good manifest whose value at `pointer` was replaced.
std::string sentence_with(const std::string& pointer, const Json& value) {
  Json json = Json::parse(manifest_json(sample_manifest()));
  json[Json::json_pointer(pointer)] = value;
  const auto manifest = read_manifest(json.dump());
  return manifest ? "it was read" : manifest.sentence();
}

TEST(ManifestJson, ComesBackAsItWasWritten) {
  const Manifest written = sample_manifest();
  const std::string text = manifest_json(written);
  EXPECT_EQ(manifest_json(written), text);
  const auto read = read_manifest(text);
  ASSERT_TRUE(read) << read.sentence();
  EXPECT_EQ(manifest_json(*read), text);
  EXPECT_EQ(read->name, written.name);
  EXPECT_EQ(read->seed, 7U);
  EXPECT_EQ(read->tasks, written.tasks);
  EXPECT_EQ(read->versions, written.versions);
  ASSERT_EQ(read->marks.size(), 1U);
  EXPECT_EQ(read->marks[0].student, "ada");
  EXPECT_EQ(read->marks[0].remark, "half of it");
  EXPECT_EQ(read->verdict.points, written.verdict.points);
  EXPECT_EQ(attempt_that_counts(*read).came_from, "ada/2.zip");
  const auto score = [](const Manifest& manifest) {
    return course_score(manifest.course, "ada", "scan", 50, 60, kDue + 2 * kDay, false);
  };
  EXPECT_EQ(score(*read).points, 46);
  EXPECT_EQ(score(*read).explanation, score(written).explanation);
}

TEST(ManifestJson, TellsNothingOfOtherStudents) {
  EXPECT_EQ(manifest_json(sample_manifest()).find("bob"), std::string::npos);
}

TEST(ManifestJson, NamesOfAnyBytesAreWrittenAsUtf8) {
  Manifest manifest = sample_manifest();
  manifest.attempts[1].came_from = "\xff.zip";
  EXPECT_TRUE(read_manifest(manifest_json(manifest)));
}

TEST(ManifestJson, EachMistakeIsSaidWithItsPlace) {
  const std::vector<std::tuple<std::string, Json, std::string>> mistakes = {
      {"/format", "zip", "format must be 'lanewise grade bundle'"},
      {"/version", 2, "version is 2, and this lanewise reads version 1"},
      {"/student", "ada", "student must be an object"},
      {"/student/id", 5, "student.id must be a string"},
      {"/is_marked_late", 1, "is_marked_late must be true or false"},
      {"/attempts", 5, "attempts must be a list"},
      {"/attempts/0", 5, "attempts[0] must be an object"},
      {"/attempts/1/points", "46", "attempts[1].points must be a number"},
      {"/attempts/1/is_counted", false, "attempts must have one attempt that counts"},
      {"/attempts/0/is_counted", true, "attempts must have one attempt that counts"},
      {"/attempts/1/submitted", 1.5, "attempts[1].submitted must be a whole number"},
      {"/attempts/1/submitted", std::int64_t{1} << 62, "attempts[1].submitted must be a number of seconds since 1970"},
      {"/course/counts", "worst", "course.counts must be best or latest"},
      {"/course/percent_a_day", nullptr, "course.percent_a_day must be a number"},
      {"/grading/tasks", Json::array(), "grading.tasks must name at least one task"},
      {"/grading/tasks", Json::array({1}), "grading.tasks must be a list of strings"},
      {"/grading/cases", "race", "grading.cases must be check or grade"},
      {"/grading/backend", "cpu", "grading.backend must be gpu, vgpu or both"},
      {"/grading/seed", -1, "grading.seed must be a whole number, 0 or more"},
      {"/grading/seed", std::uint64_t{1} << 63, "grading.seed must be a whole number"},
      {"/marks/0/answer", false, "marks[0].answer must be a string"},
      {"/versions", Json::array(), "versions must be an object"},
      {"/versions/nvcc", 13, "versions.nvcc must be a string"},
      {"/files/a", "abc", "files.a must be a SHA-256: 64 digits or letters from a to f"},
      {"/verdict", Json::object(), "verdict.schema_version is missing"},
      {"/verdict/schema_version", 1, "verdict cannot be used: the results were written by another version of lanewise"},
      {"/verdict/tasks/0/lab", "sort", "verdict must be for the lab scan"}};
  for (const auto& [pointer, value, sentence] : mistakes)
    EXPECT_EQ(sentence_with(pointer, value), "manifest.json: " + sentence) << pointer;
  EXPECT_EQ(sentence_with("/verdict/points", "x").rfind("manifest.json: verdict cannot be used: ", 0), 0U);
}

TEST(ManifestJson, EveryKeyIsNeeded) {
  const Json whole = Json::parse(manifest_json(sample_manifest()));
  for (const auto& [key, value] : whole.items()) {
    Json without = whole;
    without.erase(key);
    const auto read = read_manifest(without.dump());
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.sentence(), "manifest.json: " + key + " is missing");
  }
}

TEST(ManifestJson, WhatIsNoJsonIsSaidToBeNone) {
  for (const char* const text : {"", "{", "\xff", "{\"version\": 1e999}"}) {
    const auto read = read_manifest(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.sentence().rfind("manifest.json: it is not JSON: ", 0), 0U) << read.sentence();
  }
  EXPECT_EQ(read_manifest("[]").sentence(), "manifest.json: the document must be an object");
}

TEST(ManifestJson, WhatIsTooDeepOrTooMuchIsRefused) {
  const std::string deep(1 << 20, '[');
  EXPECT_EQ(read_manifest(deep).sentence(), "manifest.json: the document is nested too deeply");
  Json json = Json::parse(manifest_json(sample_manifest()));
  json["verdict"]["more"] = "HERE";
  std::string text = json.dump();
  text.replace(text.find("\"HERE\""), 6, deep + std::string(deep.size(), ']'));
  EXPECT_EQ(read_manifest(text).sentence(), "manifest.json: the document is nested too deeply");
  std::string many = "{";
  for (int i = 0; i < 60'000; ++i) many += fmt::format("\"{}\":0,", i);
  EXPECT_EQ(read_manifest(many + "\"end\":0}").sentence(), "manifest.json: the document has too many keys");
}

TEST(ManifestJson, SentencesHoldNothingThatATerminalActsOn) {
  Json json = Json::parse(manifest_json(sample_manifest()));
  json["files"]["\x1b[2J"] = "no hash";
  const auto read = read_manifest(json.dump());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.sentence().find('\x1b'), std::string::npos);
  EXPECT_NE(read.sentence().find("\\x1b[2J"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::bundle_test
