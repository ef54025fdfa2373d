// Groups and the final, with a timer that answers from a table.
#include "grader/board/race.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace lanewise::board_test {
namespace {

class RaceOfMany : public ::testing::Test {
 protected:
  RaceOfMany() {
    options_.entries_a_group = 3;
    options_.timer = [this](const TimingRequest& request) -> Expected<TimingResult> {
      TimingResult result;
      result.device = "NVIDIA H200";
      result.copy_rate = 4e12;
      result.work = {2e9, 1e6};
      result.sizes = "n = 1";
      std::vector<std::string> names;
      for (const TimedEntry& entry : request.entries) {
        names.push_back(entry.name);
        result.entries.push_back(times_of(entry));
      }
      calls_.push_back(names);
      seeds_.insert(request.seed);
      return result;
    };
    track_.timing.seed = 7;
    track_.rivals = {{TimedRole::kBaseline, "naive", ""},
                     {TimedRole::kReference, "reference", ""},
                     {TimedRole::kPeer, "library", ""}};
    board_.cases = {{"scan", "inclusive_scan", "race", "", 0, {}}};
  }

  EntryTimes times_of(const TimedEntry& entry) const {
    const auto special = special_.find(entry.name);
    if (special != special_.end()) return special->second;
    const double ratio = entry.role == TimedRole::kBaseline ? 4 : entry.name == "library" ? 0.8 : ratio_of(entry.name);
    EntryTimes times;
    times.time.milliseconds = ratio;
    times.ratio = {ratio, ratio, ratio};
    times.ratio_quartiles = {0.9 * ratio, 0.95 * ratio, ratio, 1.1 * ratio};
    return times;
  }
  // "e3" takes 1.3 times as long as the reference.
  static double ratio_of(const std::string& name) { return name[0] == 'e' ? 1 + 0.1 * std::stoi(name.substr(1)) : 1; }

  void add(const std::string& name) {
    BoardEntry entry;
    entry.id = entry.name = name;
    board_.entries.push_back(entry);
    track_.racers.push_back({TimedRole::kSubmission, name, ""});
  }

  RaceTrack track_;
  RaceOptions options_;
  Board board_;
  std::map<std::string, EntryTimes> special_;
  std::vector<std::vector<std::string>> calls_;
  std::set<std::uint64_t> seeds_;
};

using Names = std::vector<std::string>;

TEST_F(RaceOfMany, OneGroupIsItsOwnFinal) {
  for (const char* const name : {"e1", "e2", "e3"}) add(name);
  const auto failure = race({track_}, options_, board_);
  ASSERT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(calls_, (std::vector<Names>{{"naive", "reference", "library", "e1", "e2", "e3"}}));
  EXPECT_DOUBLE_EQ(board_.entries[1].times.at(0).ratio.value, 1.2);
  EXPECT_DOUBLE_EQ(board_.entries[1].times.at(0).ratio.low, 0.9 * 1.2);
  EXPECT_DOUBLE_EQ(board_.entries[1].times.at(0).ratio.high, 1.1 * 1.2) << "the third quartile";
  EXPECT_EQ(board_.device, "NVIDIA H200");
}

TEST_F(RaceOfMany, AsManyReachTheFinalAsTheCompetitionSays) {
  for (const char* const name : {"e5", "e1", "e4", "e2", "e3"}) add(name);
  options_.finalists = 2;
  const auto failure = race({track_}, options_, board_);
  ASSERT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(calls_.back(), (Names{"reference", "e1", "e2"}));
}

TEST_F(RaceOfMany, TheBestOfAllGroupsRaceTogetherAgainOnOtherInputs) {
  for (const char* const name : {"e5", "e1", "e4", "e2", "e3"}) add(name);
  board_.entries[2].state = EntryState::kWrong;
  ASSERT_FALSE(race({track_}, options_, board_));
  EXPECT_EQ(calls_, (std::vector<Names>{{"naive", "reference", "library", "e5", "e1", "e2"},
                                        {"reference", "e3"},
                                        {"reference", "e1", "e2", "e3"}}));
  EXPECT_EQ(seeds_.size(), 3U);
  EXPECT_TRUE(board_.entries[2].times.empty());
}

TEST_F(RaceOfMany, WhatBreaksOrLooksWrongLosesItsPlaceAndRacesNoMore) {
  for (const char* const name : {"e1", "e2", "e3"}) add(name);
  special_["e1"].trouble = "in timing round 3: its output is wrong";
  special_["e2"] = times_of(track_.racers[1]);
  special_["e2"].review = "two times disagree";
  board_.cases.push_back(board_.cases[0]);
  ASSERT_FALSE(race({track_, track_}, options_, board_));
  EXPECT_EQ(board_.entries[0].state, EntryState::kNotTimed);
  EXPECT_EQ(board_.entries[0].reason, "inclusive_scan, race: in timing round 3: its output is wrong");
  EXPECT_EQ(board_.entries[1].state, EntryState::kUnderReview);
  EXPECT_EQ(board_.entries[2].state, EntryState::kFit);
  EXPECT_EQ(board_.entries[2].times.size(), 2U);
  EXPECT_EQ(calls_.at(1), (Names{"naive", "reference", "library", "e3"}));
}

TEST_F(RaceOfMany, MarksAreTimedNowOrOnTheSameDeviceBefore) {
  add("e1");
  special_["library"].trouble = "it broke";
  track_.measured = {{MarkKind::kNaive, "naive", 9}, {MarkKind::kPeer, "library", 0.7}, {MarkKind::kStep, "3.cu", 2}};
  track_.measured_on = "NVIDIA H200";
  ASSERT_FALSE(race({track_}, options_, board_));
  std::vector<std::pair<std::string, double>> marks;
  for (const BoardMark& mark : board_.cases[0].marks) marks.emplace_back(mark.name, mark.ratio);
  EXPECT_EQ(marks, (std::vector<std::pair<std::string, double>>{
                       {"naive", 4}, {"3.cu", 2}, {"reference", 1}, {"library", 0.7}, {"copy", 0.5}}))
      << "2 GB at 4 TB/s take half a millisecond, the reference one";
}

TEST_F(RaceOfMany, MarksOfAnotherDeviceAreNotUsed) {
  add("e1");
  track_.measured = {{MarkKind::kStep, "3.cu", 2}};
  track_.measured_on = "NVIDIA H100";
  ASSERT_FALSE(race({track_}, options_, board_));
  for (const BoardMark& mark : board_.cases[0].marks) EXPECT_NE(mark.kind, MarkKind::kStep);
}

TEST_F(RaceOfMany, WithoutAReferenceNothingIsCompared) {
  add("e1");
  special_["reference"].trouble = "it broke";
  const auto failure = race({track_}, options_, board_);
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->sentence.find("the reference could not be timed: it broke"), std::string::npos);
}

TEST_F(RaceOfMany, NobodyToRaceIsNoFailure) {
  ASSERT_FALSE(race({track_}, options_, board_));
  EXPECT_TRUE(calls_.empty());
}

}  // namespace
}  // namespace lanewise::board_test
