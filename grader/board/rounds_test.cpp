// Boards kept in files, and read again.
#include "grader/board/rounds.h"

#include <gtest/gtest.h>

#include "grader/board/board_json.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"

namespace lanewise::board_test {
namespace {

class Rounds : public ::testing::Test {
 protected:
  static Board board(std::int64_t made) {
    Board board;
    board.title = "Prefix <sum>";
    board.made = made;
    board.ends = 2 * made;
    board.is_modelled = true;
    board.device = "h200";
    board.weights = {80, 10, 10};
    board.cases = {{"scan", "inclusive_scan", "race", "n = 4", 0.1, {{MarkKind::kReference, "5.cu", 1}}}};
    BoardEntry& fit = board.entries.emplace_back();
    fit.id = "ada";
    fit.name = "Ada (2)";
    fit.nickname = "Ada";
    fit.contents = {"abc"};
    fit.unfit = {"def"};
    fit.submitted = made - 1;
    fit.times = {{{1.0 / 3, 0.3, 0.4}, 0.033}};
    fit.correctness = 0.5;
    BoardEntry& wrong = board.entries.emplace_back();
    wrong.id = wrong.name = "bob";
    wrong.state = EntryState::kWrong;
    wrong.reason = "not UTF-8: \xff";
    board.marks = marks_over_all(board.cases);
    board.places = standings(board.entries, board.weights);
    return board;
  }

  std::filesystem::path folder() const { return folder_->path() / "rounds"; }
  void put(const std::string& name, const std::string& content) const {
    EXPECT_FALSE(write_report(folder() / name, content));
  }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(Rounds, NoFolderIsNoRounds) {
  const auto rounds = read_rounds(folder());
  ASSERT_TRUE(rounds) << rounds.sentence();
  EXPECT_TRUE(rounds->empty());
}

TEST_F(Rounds, ComeBackInOrderAndWhole) {
  for (const std::int64_t made : {1'700'000'000, 1'600'000'000}) put(round_file(board(made)), round_json(board(made)));
  const auto rounds = read_rounds(folder());
  ASSERT_TRUE(rounds) << rounds.sentence();
  ASSERT_EQ(rounds->size(), 2U);
  EXPECT_EQ(rounds->at(0).made, 1'600'000'000);
  const Board& last = rounds->at(1);
  Board written = board(1'700'000'000);
  written.entries[1].reason = "not UTF-8: \xef\xbf\xbd";  // the replacement character
  EXPECT_EQ(board_json(last), board_json(written)) << "the same to the last digit";
  EXPECT_EQ(round_json(last), round_json(written)) << "with ids and hashes";
  EXPECT_EQ(round_file(last), "2023-11-14T22-13-20Z.json");
}

TEST_F(Rounds, AFileThatMakesNoSenseIsNamed) {
  const std::string whole = round_json(board(1'700'000'000));
  const auto with = [&whole](const std::string& part, const std::string& instead) {
    std::string text = whole;
    EXPECT_NE(text.find(part), std::string::npos) << part;
    return text.replace(text.find(part), part.size(), instead);
  };
  for (const std::string& damaged :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("{}"), std::string("[]"),
        with("\"state\": 4", "\"state\": 99"), with("\"low\": 0.3", "\"low\": -1"), with("\"times\": [", "\"time\": ["),
        with("\"made\": 1700000000", "\"made\": \"today\"")}) {
    put("x.json", damaged);
    const auto rounds = read_rounds(folder());
    ASSERT_FALSE(rounds) << damaged;
    EXPECT_NE(rounds.sentence().find("x.json: this is not an earlier board ("), std::string::npos) << rounds.sentence();
  }
}

}  // namespace
}  // namespace lanewise::board_test
