// A disguised copy is found, different work is not, and what was handed out counts for nobody. sim_c++ really runs.
#include "grader/overview/similarity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"

namespace lanewise::overview_test {
namespace {

namespace fs = std::filesystem;

const fs::path kSamples = LANEWISE_OVERVIEW_SAMPLES;
const fs::path kLabs = LANEWISE_LABS_FOLDER;

bool similarity_has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class FindSimilar : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(SimilarityOptions().program)) GTEST_SKIP() << "similarity-tester is not installed";
    auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder) << folder.sentence();
    folder_.emplace(std::move(*folder));
  }

  fs::path file(const std::string& name, const std::string& content) const {
    fs::path path = folder_->path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  static std::string sample(const char* name) { return *read_file(kSamples / name, 1 << 20); }

  std::optional<TemporaryFolder> folder_;
  std::vector<fs::path> handed_out_ = {kLabs / "scan/scan.cu", kLabs / "scan/scan.cuh"};
};

TEST_F(FindSimilar, ACopyWithOtherNamesInAnotherOrderIsFoundAndOtherWorkIsNot) {
  const auto found = find_similar(
      "scan",
      {{"ada", kSamples / "honest.cu"}, {"mallory", kSamples / "disguised.cu"}, {"grace", kSamples / "another.cu"}},
      handed_out_);
  ASSERT_TRUE(found) << found.sentence();
  ASSERT_EQ(found->pairs.size(), 1U);
  const SimilarPair& pair = found->pairs[0];
  EXPECT_EQ(pair.lab, "scan");
  EXPECT_EQ(pair.first, "ada");
  EXPECT_EQ(pair.second, "mallory");
  EXPECT_GT(pair.first_percent, 90);
  EXPECT_GT(pair.second_percent, 90);
  ASSERT_FALSE(pair.runs.empty());
  EXPECT_TRUE(std::any_of(pair.runs.begin(), pair.runs.end(), [](const MatchedLines& run) {
    return run.first_begin > run.second_end;  // what was moved up
  }));
  EXPECT_TRUE(found->notes.empty());
}

// Margins on both sides of the threshold: samples that come near it would say little.
TEST_F(FindSimilar, DifferentWorkIsFarBelowTheThreshold) {
  SimilarityOptions options;
  options.least_percent = 1;
  const auto found =
      find_similar("scan", {{"ada", kSamples / "honest.cu"}, {"grace", kSamples / "another.cu"}}, handed_out_, options);
  ASSERT_TRUE(found) << found.sentence();
  for (const SimilarPair& pair : found->pairs) {
    EXPECT_LT(pair.first_percent, 30);
    EXPECT_LT(pair.second_percent, 30);
  }
}

TEST_F(FindSimilar, WhatWasHandedOutCountsForNobody) {
  const std::vector<ComparedSource> sources = {{"ada", kLabs / "scan/scan.cu"}, {"grace", kLabs / "scan/scan.cu"}};
  const auto with = find_similar("scan", sources, {});
  ASSERT_TRUE(with) << with.sentence();
  EXPECT_EQ(with->pairs.size(), 1U) << "two untouched skeletons are the same";
  const auto without = find_similar("scan", sources, handed_out_);
  ASSERT_TRUE(without) << without.sentence();
  EXPECT_TRUE(without->pairs.empty());
}

TEST_F(FindSimilar, CodeInTheTextOfAHandoutCountsForNobodyEither) {
  const fs::path readme = file("README.md", "# Scan\n\nHere's how \"it\" is done:\n\n```cpp\n" + sample("honest.cu") +
                                                "```\n\nDon't copy it.\n");
  const auto found = find_similar("scan", {{"ada", kSamples / "honest.cu"}, {"mallory", kSamples / "disguised.cu"}},
                                  {handed_out_[0], handed_out_[1], readme});
  ASSERT_TRUE(found) << found.sentence();
  EXPECT_TRUE(found->pairs.empty());
}

TEST_F(FindSimilar, LayoutHidesNothing) {
  std::string one_line;
  for (const char c : sample("disguised.cu").substr(sample("disguised.cu").find("constexpr"))) one_line += c;
  for (std::size_t at = one_line.find("//"); at != std::string::npos; at = one_line.find("//"))
    one_line.erase(at, one_line.find('\n', at) - at);
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  const auto found =
      find_similar("scan", {{"ada", kSamples / "honest.cu"}, {"mallory", file("one_line.cu", one_line)}}, handed_out_);
  ASSERT_TRUE(found) << found.sentence();
  ASSERT_EQ(found->pairs.size(), 1U);
  EXPECT_GT(found->pairs[0].second_percent, 80);
  for (const MatchedLines& run : found->pairs[0].runs) EXPECT_EQ(run.second_end, 1);
}

TEST_F(FindSimilar, ACopyWithinMuchElseIsFoundFromItsOwnSide) {
  const std::string much = *read_file(kLabs / "../solutions/scan/7_look_back.cu", 1 << 20);
  const auto found = find_similar(
      "scan", {{"ada", kSamples / "honest.cu"}, {"mallory", file("padded.cu", much + sample("honest.cu") + much)}},
      handed_out_);
  ASSERT_TRUE(found) << found.sentence();
  ASSERT_EQ(found->pairs.size(), 1U);
  EXPECT_GT(found->pairs[0].first_percent, 90);
  EXPECT_LT(found->pairs[0].second_percent, 50);
}

// Thirty copies of one are 435 pairs.
TEST_F(FindSimilar, OfManyPairsTheFirstAreKeptAndTheOthersCounted) {
  std::vector<ComparedSource> sources(30);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = {fmt::format("s{}", i), kSamples / "honest.cu"};
  SimilarityOptions options;
  options.most_pairs = 20;
  const auto found = find_similar("scan", sources, handed_out_, options);
  ASSERT_TRUE(found) << found.sentence();
  EXPECT_EQ(found->pairs.size(), 20U);
  EXPECT_EQ(found->more, 415U);
}

TEST_F(FindSimilar, HostileSourcesAreComparedOrNamed) {
  std::string repeated;
  while (repeated.size() < 1'000'000) repeated += "a+";
  std::string any_bytes = sample("honest.cu");
  for (int byte = 0; byte < 256; ++byte) any_bytes += static_cast<char>(byte);
  const auto found = find_similar("scan",
                                  {{"ada", kSamples / "honest.cu"},
                                   {"flood", file("flood.cu", repeated)},
                                   {"gone", folder_->path() / "gone.cu"},
                                   {"empty", file("empty.cu", "")},
                                   {"zeros", file("zeros.cu", std::string(100'000, '\0'))},
                                   {"bytes", file("-o all --; $(touch x)\n.cu", any_bytes)}},
                                  handed_out_);
  ASSERT_TRUE(found) << found.sentence();
  ASSERT_EQ(found->pairs.size(), 1U);
  EXPECT_EQ(found->pairs[0].second, "bytes");
  ASSERT_EQ(found->notes.size(), 2U);
  EXPECT_TRUE(similarity_has(found->notes[0], "flood, scan: it was not compared with others: it has 1000000 tokens"))
      << found->notes[0];
  EXPECT_TRUE(similarity_has(found->notes[1], "gone, scan: it was not compared")) << found->notes[1];
}

// "ada ben cem: 0 1 2" for each group: students and positions of pairs.
std::vector<std::string> groups_in(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<SimilarPair> similar;
  for (const auto& [first, second] : pairs) {
    SimilarPair& pair = similar.emplace_back();
    pair.lab = "scan";
    pair.first = first;
    pair.second = second;
  }
  std::vector<std::string> texts;
  for (const SimilarGroup& group : similar_groups(similar))
    texts.push_back(fmt::format("{}: {}", fmt::join(group.students, " "), fmt::join(group.pairs, " ")));
  return texts;
}

using Groups = std::vector<std::string>;

// 37 pairs: nine copies of one, and two of another.
TEST(SimilarGroups, ACliqueIsOneGroup) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < 9; ++i)
    for (int j = i + 1; j < 9; ++j) pairs.emplace_back(fmt::format("s{}", i), fmt::format("s{}", j));
  pairs.insert(pairs.begin() + 20, {"x", "y"});
  const Groups groups = groups_in(pairs);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].substr(0, 27), "s0 s1 s2 s3 s4 s5 s6 s7 s8:");
  EXPECT_EQ(groups[1], "x y: 20");
}

TEST(SimilarGroups, AChainDoesNotJoinStrangers) {
  EXPECT_EQ(groups_in({{"ann", "ben"}, {"ben", "cem"}}), (Groups{"ann ben: 0", "ben cem: 1"}));
  EXPECT_EQ(groups_in({{"a", "b"}, {"b", "c"}, {"a", "c"}, {"c", "d"}}), (Groups{"a b c: 0 1 2", "c d: 3"}));
}

TEST(SimilarGroups, ACliqueThatLacksOnePairIsTwoGroupsWithAllOthersInBoth) {
  EXPECT_EQ(groups_in({{"a", "b"}, {"a", "c"}, {"b", "c"}, {"a", "d"}, {"b", "d"}}),
            (Groups{"a b c: 0 1 2", "a b d: 0 3 4"}));
}

TEST(SimilarGroups, LabsAreApartAndNobodyIsNoGroup) {
  std::vector<SimilarPair> pairs(2);
  pairs[0].lab = "scan";
  pairs[1].lab = "sort";
  for (SimilarPair& pair : pairs) pair.first = "a", pair.second = "b";
  EXPECT_EQ(similar_groups(pairs).size(), 2U);
  EXPECT_TRUE(similar_groups({}).empty());
}

TEST_F(FindSimilar, NobodyAndOneAreCompared) {
  for (const std::vector<ComparedSource>& sources :
       {std::vector<ComparedSource>{}, std::vector<ComparedSource>{{"ada", kSamples / "honest.cu"}}}) {
    const auto found = find_similar("scan", sources, handed_out_);
    ASSERT_TRUE(found) << found.sentence();
    EXPECT_TRUE(found->pairs.empty());
  }
}

TEST_F(FindSimilar, WithoutSimOrTimeItSaysSo) {
  const std::vector<ComparedSource> sources = {{"ada", kSamples / "honest.cu"}, {"grace", kSamples / "another.cu"}};
  SimilarityOptions options;
  options.program = "/nowhere/sim_c++";
  const auto missing = find_similar("scan", sources, {}, options);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(similarity_has(missing.sentence(), "install similarity-tester")) << missing.sentence();
  options = {};
  options.limit = std::chrono::seconds(0);
  const auto late = find_similar("scan", sources, {}, options);
  ASSERT_FALSE(late);
  EXPECT_TRUE(similarity_has(late.sentence(), "took longer than 0 s")) << late.sentence();
}

}  // namespace
}  // namespace lanewise::overview_test
