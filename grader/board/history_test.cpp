// Changes of rank and histories over made-up boards.
#include "grader/board/history.h"

#include <gtest/gtest.h>

namespace lanewise::board_test {
namespace {

constexpr std::int64_t kWeek = 7 * 86'400;

struct Racer {
  std::string id;
  PairedRatio ratio;
  std::string content = "first";
};

// A board of one case, `week` weeks on.
Board board_of(int week, const std::vector<Racer>& racers) {
  Board board;
  board.made = (1 + week) * kWeek;
  board.device = "NVIDIA H200";
  board.cases = {{"scan", "inclusive_scan", "race", "", 1, {}}};
  for (const Racer& racer : racers) {
    BoardEntry& entry = board.entries.emplace_back();
    entry.id = entry.name = entry.nickname = racer.id;
    entry.contents = {racer.content};
    entry.submitted = board.made - 60;
    if (racer.ratio.value > 0)
      entry.times = {{racer.ratio, racer.ratio.value}};
    else
      entry.state = EntryState::kWrong;
  }
  board.places = standings(board.entries, board.weights);
  return board;
}

PairedRatio around(double value) { return {value, 0.99 * value, 1.01 * value}; }

constexpr PairedRatio kWrong;

// "ada=0 bob+1 eve new", in the order of the entries.
std::string changes(const Board& board) {
  std::string text;
  for (const BoardEntry& entry : board.entries) text += entry.id + " " + change_in_words(entry) + "; ";
  return text;
}

TEST(History, AFirstBoardComparesWithNothing) {
  Board board = board_of(0, {{"ada", around(1)}});
  compare_with({}, board);
  EXPECT_EQ(board.since(), 0);
  EXPECT_FALSE(board.entries[0].climbed);
  EXPECT_EQ(board.entries[0].history.size(), 1U);
}

TEST(History, RanksGainedAndLostAreCountedSinceTheLastBoard) {
  const Board first = board_of(0, {{"ada", around(1)}, {"bob", around(2)}, {"cem", around(3)}});
  Board second =
      board_of(1, {{"ada", around(1)}, {"bob", around(2)}, {"cem", around(0.5), "second"}, {"dee", around(9)}});
  compare_with({first}, second);
  EXPECT_EQ(second.since(), first.made);
  EXPECT_EQ(changes(second), "ada down 1; bob down 1; cem up 2; dee new; ");
  EXPECT_EQ(change_text(second.entries[2]), "▲2");
  EXPECT_EQ(change_text(second.entries[0]), "▼1");
}

TEST(History, WhoeverLeavesMakesTheOthersMoveUp) {
  const Board first = board_of(0, {{"ada", around(1)}, {"bob", around(2)}, {"cem", around(3)}});
  Board second = board_of(1, {{"ada", kWrong, "second"}, {"bob", around(2)}, {"cem", around(3)}});
  compare_with({first}, second);
  EXPECT_EQ(changes(second), "ada ; bob up 1; cem up 1; ");
}

TEST(History, NoiseChangesNoRank) {
  // Twice the same files, measured anew: a tie that falls apart, and one that comes about.
  const Board first = board_of(
      0, {{"ada", {1, 0.99, 1.01}}, {"bob", {1.01, 1, 1.02}}, {"cem", {3, 2.9, 3.1}}, {"dee", {3.2, 3.12, 3.3}}});
  Board second = board_of(1, {{"ada", {0.99, 0.98, 1}},
                              {"bob", {1.02, 1.01, 1.03}},
                              {"cem", {3, 2.9, 3.1}},
                              {"dee", {3.15, 3.05, 3.2}},
                              {"eve", around(9)}});
  compare_with({first}, second);
  ASSERT_NE(first.places[1].rank, second.places[1].rank) << "the ranks differ";
  ASSERT_NE(first.places[3].rank, second.places[3].rank);
  EXPECT_EQ(changes(second), "ada unchanged; bob unchanged; cem unchanged; dee unchanged; eve new; ");
}

TEST(History, ARivalsProgressCountsEvenIfOnesOwnTimeIsNoise) {
  const Board first = board_of(0, {{"ada", around(1)}, {"bob", around(2)}});
  Board second = board_of(1, {{"ada", around(1.001)}, {"bob", around(0.5), "second"}});
  compare_with({first}, second);
  EXPECT_EQ(changes(second), "ada down 1; bob up 1; ");
}

TEST(History, PointsForClarityChangeRanksToo) {
  const auto weighed = [](Board board, double ada) {
    board.weights = {1, 0, 9};
    board.entries[0].clarity = ada;
    board.entries[1].clarity = 0.5;
    board.places = standings(board.entries, board.weights);
    return board;
  };
  const Board first = weighed(board_of(0, {{"ada", around(1)}, {"bob", around(1)}}), 0.1);
  Board second = weighed(board_of(1, {{"ada", around(1)}, {"bob", around(1)}, {"cem", kWrong}}), 0.9);
  compare_with({first}, second);
  EXPECT_EQ(changes(second), "ada up 1; bob down 1; cem ; ");
}

TEST(History, HasEachBoardsDateTimeAndRank) {
  const Board first = board_of(0, {{"ada", around(2)}});
  const Board second = board_of(1, {{"ada", kWrong, "second"}});
  Board third = board_of(2, {{"ada", around(1), "third"}, {"bob", around(0.5)}});
  compare_with({first, second}, third);
  const std::vector<PastResult>& history = third.entries[0].history;
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].made, first.made);
  EXPECT_EQ(history[0].submitted, first.made - 60);
  EXPECT_EQ(history[0].rank, 1);
  EXPECT_EQ(history[0].ratio.value, 2);
  EXPECT_EQ(history[1].rank, 0);
  EXPECT_FALSE(history[1].is_withdrawn);
  EXPECT_EQ(history[2].rank, 2);
  EXPECT_EQ(third.entries[1].history.size(), 1U);
  EXPECT_EQ(changes(third), "ada back; bob new; ");
}

TEST(History, SaysWhatATimeIsAgainstTheBestBefore) {
  Board last = board_of(3, {{"ada", around(1.5), "fourth"}});
  compare_with({board_of(0, {{"ada", around(2)}}), board_of(1, {{"ada", around(1), "second"}}),
                board_of(2, {{"ada", around(1.01), "third"}})},
               last);
  const std::vector<PastResult>& history = last.entries[0].history;
  ASSERT_EQ(history.size(), 4U);
  EXPECT_EQ(progress_text(history, 0), "first time");
  EXPECT_EQ(progress_text(history, 1), "50.0 % less time");
  EXPECT_EQ(progress_text(history, 2), "no difference");
  EXPECT_EQ(progress_text(history, 3), "50.0 % more time");
  EXPECT_EQ(best_of(history, 4)->made, 2 * kWeek);
}

TEST(History, ABoardMadeAgainFromTheSameSubmissionsTakesTheEarlierOnesPlace) {
  const Board first = board_of(0, {{"ada", around(1)}, {"bob", around(2)}});
  const Board second = board_of(1, {{"ada", around(1)}, {"bob", around(0.5), "second"}});
  const Board again = board_of(2, {{"ada", around(1)}, {"bob", around(0.5), "second"}});
  Board now = board_of(3, {{"ada", around(1)}, {"bob", around(0.5), "second"}});
  compare_with({first, second, again}, now);
  EXPECT_EQ(now.dates, std::vector<std::int64_t>{first.made});
  EXPECT_EQ(changes(now), "ada down 1; bob up 1; ");
  Board later = board_of(4, {{"ada", around(1)}, {"bob", around(0.4), "third"}});
  compare_with({first, second, again}, later);
  EXPECT_EQ(later.dates, (std::vector<std::int64_t>{first.made, again.made}));
}

TEST(History, BoardsThatMeasureSomethingElseAreLeftOutAndCounted) {
  Board device = board_of(0, {{"ada", around(1)}});
  device.device = "NVIDIA A100";
  Board cases = board_of(1, {{"ada", around(1)}});
  cases.cases[0].name = "another";
  Board weights = board_of(2, {{"ada", around(1)}});
  weights.weights.clarity = 1;
  Board modelled = board_of(3, {{"ada", around(1)}});
  modelled.is_modelled = true;
  Board now = board_of(4, {{"ada", around(1)}});
  compare_with({device, cases, weights, modelled}, now);
  EXPECT_EQ(now.left_out, 4U);
  EXPECT_EQ(now.since(), 0);
  EXPECT_EQ(what_changes_mean(now),
            "There is no earlier board of other submissions to compare ranks with. 4 earlier boards of another device, "
            "with other cases or with other weights are left out.");
}

TEST(History, WhatIsFoundNotToBeRightLosesItsPlaceInTheHistoryToo) {
  const Board first = board_of(0, {{"ada", around(0.1), "cheats"}, {"bob", around(0.2), "cheats too"}});
  // Another attempt counts now; the first one is still there, and seen through.
  Board second = board_of(1, {{"ada", around(1), "honest"}, {"bob", kWrong, "cheats too"}});
  second.entries[0].unfit = {"cheats"};
  compare_with({first}, second);
  for (const BoardEntry& entry : second.entries) {
    ASSERT_EQ(entry.history.size(), 2U);
    EXPECT_TRUE(entry.history[0].is_withdrawn) << entry.id;
    EXPECT_EQ(entry.history[0].rank, 0) << entry.id;
    EXPECT_EQ(entry.history[0].ratio.value, 0) << entry.id;
  }
  EXPECT_EQ(progress_text(second.entries[0].history, 1), "first time");
}

TEST(History, WhatCouldNotBeTimedTodayKeepsItsPast) {
  const Board first = board_of(0, {{"ada", around(1)}});
  Board second = board_of(1, {{"ada", kWrong}, {"bob", around(1)}});
  second.entries[0].state = EntryState::kNotTimed;
  compare_with({first}, second);
  EXPECT_EQ(second.entries[0].history[0].rank, 1);
}

TEST(History, NicknamesCannotBeTraced) {
  const Board first = board_of(0, {{"ada", around(1)}, {"bob", around(2)}, {"cem", around(3)}});
  Board second = board_of(1, {{"ada", around(1)}, {"bob", around(2)}, {"cem", around(2.9), "second"}});
  second.entries[0].nickname = "";
  second.entries[0].name = "anonymous 1";
  second.entries[1].nickname = second.entries[1].name = "ada";
  compare_with({first}, second);
  EXPECT_EQ(second.entries[0].history.size(), 1U) << "was ada: that is nobody's business now";
  EXPECT_EQ(second.entries[1].history.size(), 1U) << "another's nickname brings no history";
  EXPECT_EQ(changes(second), "ada new; bob new; cem unchanged; ");

  Board third = board_of(2, {{"ada", around(0.5), "third"}});
  third.entries[0].nickname = "";
  third.entries[0].name = "anonymous 7";
  compare_with({first, second}, third);
  EXPECT_EQ(third.entries[0].history.size(), 2U) << "the number after 'anonymous' is no name";
}

TEST(History, DatesThatCannotBeAreUnknown) {
  Board first = board_of(0, {{"ada", around(1)}});
  first.entries[0].submitted = first.made + 1;
  Board second = board_of(1, {{"ada", around(1), "second"}});
  compare_with({first}, second);
  EXPECT_EQ(second.entries[0].history[0].submitted, 0);
  EXPECT_EQ(submission_date_text(0, 100), "unknown");
  EXPECT_EQ(submission_date_text(-5, 100), "unknown");
  EXPECT_EQ(submission_date_text(101, 100), "unknown: the file's date is in the future");
  EXPECT_EQ(submission_date_text(86'400, 86'400), "1970-01-02 00:00 UTC");
}

}  // namespace
}  // namespace lanewise::board_test
