// The winner of last year beside this year's entries.
#include "grader/board/ghosts.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/board/board_json.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise::board_test {
namespace {

class Ghosts : public ::testing::Test {
 protected:
  static Board last_year() {
    Board board;
    board.device = "NVIDIA H200";
    board.made = 1'700'000'000;
    for (const char* const name : {"race", "dropped since"})
      board.cases.push_back({"scan", "inclusive_scan", name, "", 0.5, {}});
    for (const double ratio : {3.0, 1.5}) {
      BoardEntry& entry = board.entries.emplace_back();
      entry.id = entry.name = ratio > 2 ? "slow" : "Winning Nickname";
      entry.times.assign(2, {{ratio, ratio, ratio}, 0.5 * ratio});
    }
    board.places = standings(board.entries, board.weights);
    return board;
  }
  static Board this_year() {
    Board board = last_year();
    board.cases.pop_back();
    board.cases[0].reference_milliseconds = 0.25;
    board.cases[0].marks = {{MarkKind::kReference, "r.cu", 1}};
    return board;
  }
  Expected<Ghost> read(const std::string& text) const {
    std::ofstream(folder_->path() / "last.json") << text;
    return read_ghost({"last year", folder_->path() / "last.json"});
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(Ghosts, TheWinnerIsAMarkOnTheCasesThatBothHaveAndHasNoName) {
  const auto ghost = read(board_json(last_year()));
  ASSERT_TRUE(ghost) << ghost.sentence();
  Board board = this_year();
  EXPECT_EQ(add_ghost(*ghost, board), "");
  ASSERT_EQ(board.cases[0].marks.size(), 2U);
  EXPECT_EQ(board.cases[0].marks[0].kind, MarkKind::kGhost) << "from slow to fast";
  EXPECT_EQ(board.cases[0].marks[0].ratio, 1.5) << "as measured in pairs";
  board.marks = marks_over_all(board.cases);
  EXPECT_EQ(board.marks[0].name, "last year");
  board.entries.clear();
  board.places.clear();
  EXPECT_EQ(board_json(board).find("Winning Nickname"), std::string::npos);
}

TEST_F(Ghosts, ModelledTimesAreComparedAsTimesEvenIfTheReferenceGotFaster) {
  Board last = last_year();
  last.is_modelled = true;
  const auto ghost = read(board_json(last));
  ASSERT_TRUE(ghost) << ghost.sentence();
  Board board = this_year();
  board.is_modelled = true;
  EXPECT_EQ(add_ghost(*ghost, board), "");
  EXPECT_DOUBLE_EQ(board.cases[0].marks[0].ratio, 3);
}

TEST_F(Ghosts, WhatCannotBeComparedIsNotShownAndSaid) {
  const auto ghost = read(board_json(last_year()));
  ASSERT_TRUE(ghost) << ghost.sentence();
  Board device = this_year();
  device.device = "NVIDIA A100";
  EXPECT_EQ(
      add_ghost(*ghost, device),
      "the ghost 'last year' is not shown: its times are from NVIDIA H200, and this board's are from NVIDIA A100");
  Board cases = this_year();
  cases.cases[0].name = "another";
  EXPECT_EQ(add_ghost(*ghost, cases), "the ghost 'last year' is not shown: it did not race in any of these cases");
  EXPECT_EQ(cases.cases[0].marks.size(), 1U);
}

TEST_F(Ghosts, AFileThatIsNoBoardIsSaid) {
  Board nobody = last_year();
  nobody.entries.clear();
  nobody.places.clear();
  for (const std::string& text : {std::string("{"), std::string("{}"), std::string("[]"), board_json(nobody)}) {
    const auto ghost = read(text);
    ASSERT_FALSE(ghost) << text;
    EXPECT_NE(ghost.sentence().find("last.json: the ghost 'last year' cannot be read: "), std::string::npos);
  }
}

}  // namespace
}  // namespace lanewise::board_test
