// Ranks of made-up times.
#include "grader/board/standings.h"

#include <gtest/gtest.h>

namespace lanewise::board_test {
namespace {

BoardEntry entry(const std::string& name, const std::vector<PairedRatio>& ratios) {
  BoardEntry entry;
  entry.id = entry.name = name;
  entry.correctness = 1;
  for (const PairedRatio& ratio : ratios) entry.times.push_back({ratio, ratio.value});
  return entry;
}

BoardEntry unranked(const std::string& name, EntryState state) {
  BoardEntry entry;
  entry.id = entry.name = name;
  entry.state = state;
  return entry;
}

// "name:rank", in the order of the standings; a shared rank has a '='.
std::vector<std::string> lines(const std::vector<BoardEntry>& entries, const Weights& weights = {}) {
  std::vector<std::string> lines;
  for (const Place& place : standings(entries, weights))
    lines.push_back(entries[place.entry].name + ":" + std::to_string(place.rank) + (place.is_shared ? "=" : ""));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Standings, NobodyHasNoStandings) { EXPECT_TRUE(standings({}, {}).empty()); }

TEST(Standings, OneEntryIsFirst) {
  const auto places = standings({entry("a", {{2, 1.9, 2.1}})}, {});
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].rank, 1);
  EXPECT_FALSE(places[0].is_shared);
  EXPECT_DOUBLE_EQ(places[0].score, 100);
  EXPECT_LT(places[0].score_low, 100);
  EXPECT_GT(places[0].score_high, 100);
}

TEST(Standings, TheGeometricMeanOverCasesDecides) {
  // Arithmetic means would have it the other way round: 2.125 and 2.
  const std::vector<BoardEntry> entries = {entry("even", {{2, 2, 2}, {2, 2, 2}}),
                                           entry("uneven", {{0.25, 0.25, 0.25}, {4, 4, 4}})};
  EXPECT_EQ(lines(entries), (Lines{"uneven:1", "even:2"}));
  const auto places = standings(entries, {});
  EXPECT_DOUBLE_EQ(places[0].ratio.value, 1);
  EXPECT_DOUBLE_EQ(places[1].ratio.value, 2);
  EXPECT_DOUBLE_EQ(places[1].score, 50);
}

TEST(Standings, IntervalsThatOverlapShareARankAndTheNextIsSkipped) {
  EXPECT_EQ(lines({entry("a", {{1, 0.98, 1.02}}), entry("b", {{1.01, 1.0, 1.03}}), entry("c", {{2, 1.9, 2.1}})}),
            (Lines{"a:1=", "b:1=", "c:3"}));
}

TEST(Standings, IntervalsApartByLessThanHalfAPercentShareARank) {
  EXPECT_EQ(lines({entry("a", {{1, 1, 1}}), entry("b", {{1.0049, 1.0049, 1.0049}})}), (Lines{"a:1=", "b:1="}));
  EXPECT_EQ(lines({entry("a", {{1, 1, 1}}), entry("b", {{1.0051, 1.0051, 1.0051}})}), (Lines{"a:1", "b:2"}));
}

TEST(Standings, AChainOfOverlapsIsOneRank) {
  // a and c are apart, b joins them.
  EXPECT_EQ(lines({entry("a", {{1, 0.9, 1.05}}), entry("b", {{1.1, 1.04, 1.2}}), entry("c", {{1.2, 1.15, 1.3}})}),
            (Lines{"a:1=", "b:1=", "c:1="}));
}

TEST(Standings, AWideIntervalAroundAnotherSharesItsRank) {
  // By medians the wide one is last, by its lower end first: it overlaps both.
  EXPECT_EQ(lines({entry("a", {{1, 1, 1.01}}), entry("b", {{1.1, 1.1, 1.11}}), entry("wide", {{1.2, 0.9, 1.3}})}),
            (Lines{"a:1=", "b:1=", "wide:1="}));
}

TEST(Standings, EqualEntriesGoByName) {
  EXPECT_EQ(lines({entry("b", {{1, 1, 1}}), entry("a", {{1, 1, 1}})}), (Lines{"a:1=", "b:1="}));
}

TEST(Standings, WithoutARankComesLastByStateAndName) {
  EXPECT_EQ(lines({unranked("d", EntryState::kRefused), unranked("c", EntryState::kWrong), entry("z", {{9, 9, 9}}),
                   unranked("b", EntryState::kWrong), unranked("a", EntryState::kUnderReview)}),
            (Lines{"z:1", "a:0", "b:0", "c:0", "d:0"}));
}

TEST(Standings, CorrectnessAndClarityCountAsTheirWeightsSay) {
  BoardEntry fast = entry("fast", {{1, 1, 1}});
  BoardEntry clear = entry("clear", {{1.25, 1.25, 1.25}});
  fast.clarity = 0.2;
  clear.clarity = 1;
  EXPECT_EQ(lines({fast, clear}), (Lines{"fast:1", "clear:2"})) << "time alone";
  const Weights weights{60, 20, 20};
  EXPECT_EQ(lines({fast, clear}, weights), (Lines{"clear:1", "fast:2"}));
  const auto places = standings({fast, clear}, weights);
  EXPECT_DOUBLE_EQ(places[0].score, 60 * 0.8 + 20 + 20);
  EXPECT_DOUBLE_EQ(places[1].score, 60 + 20 + 4);
}

}  // namespace
}  // namespace lanewise::board_test
