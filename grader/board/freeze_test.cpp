// Nothing after the freeze can be learned from what the class sees.
#include "grader/board/freeze.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "grader/board/public_files.h"

namespace lanewise::board_test {
namespace {

constexpr std::int64_t kFreeze = 1'790'000'000;

Competition frozen_competition() {
  Competition competition;
  competition.title = "Frozen";
  competition.freeze = kFreeze;
  competition.reveal = kFreeze + 100'000;
  competition.ends = competition.reveal;
  return competition;
}

// A round of two, in which `name` has this time.
Board round_of(std::int64_t made, const std::string& name, double ratio, EntryState state = EntryState::kFit) {
  Board board;
  board.title = "Frozen";
  board.made = made;
  board.device = "NVIDIA H200";
  board.cases = {{"scan", "inclusive_scan", "race", "", 1, {}}};
  for (const std::string& each : {std::string("Ada"), name}) {
    BoardEntry& entry = board.entries.emplace_back();
    entry.id = entry.name = entry.nickname = each;
    entry.contents = {std::to_string(each == name ? made : 0)};
    entry.submitted = made - 60;
    entry.state = each == name ? state : EntryState::kFit;
    if (entry.state == EntryState::kFit) entry.times = {{{each == name ? ratio : 1.0, 0.9, 1.1}, 1}};
    if (entry.state != EntryState::kFit) entry.reason = "cheated";
  }
  board.places = standings(board.entries, board.weights);
  return board;
}

std::map<std::string, std::string> seen(const std::vector<Board>& rounds) {
  std::map<std::string, std::string> files;
  for (const PublicFile& file : public_files(frozen_board(frozen_competition(), rounds)))
    files[file.name] = file.content;
  return files;
}

TEST(Freeze, LastsFromItsMomentToTheReveal) {
  Competition competition = frozen_competition();
  EXPECT_FALSE(is_frozen({}, kFreeze, 0)) << "there is none";
  EXPECT_FALSE(is_frozen(competition, kFreeze, 0)) << "a board of that very moment is the last one to be seen";
  EXPECT_TRUE(is_frozen(competition, kFreeze + 1, 0));
  EXPECT_TRUE(is_frozen(competition, competition.reveal, 0));
  EXPECT_FALSE(is_frozen(competition, competition.reveal + 1, 0));
  competition.reveal = 0;
  EXPECT_TRUE(is_frozen(competition, kFreeze + 1'000'000'000, 0)) << "until it is revealed by hand";
}

TEST(Freeze, ARevealEndsWhatHadBegunAndNothingElse) {
  const Competition competition = frozen_competition();
  EXPECT_FALSE(is_frozen(competition, kFreeze + 20, kFreeze + 10));
  EXPECT_TRUE(is_frozen(competition, kFreeze + 20, kFreeze - 10)) << "of an earlier freeze";
}

TEST(Freeze, NoPublicFileDependsOnWhatCameLater) {
  const std::vector<Board> before = {round_of(kFreeze - 200, "Bob", 3), round_of(kFreeze - 100, "Bob", 2)};
  const auto frozen = seen(before);
  EXPECT_NE(frozen.at("index.html").find("2.000 ["), std::string::npos) << "the standings as they were";
  EXPECT_NE(frozen.at("index.html").find("id=\"history\""), std::string::npos) << "and their history";
  for (const Board& later : {round_of(kFreeze + 1, "Bob", 0.5), round_of(kFreeze + 1, "Newcomer", 0.1),
                             round_of(kFreeze + 1, "Bob", 1, EntryState::kWrong)}) {
    std::vector<Board> rounds = before;
    rounds.push_back(later);
    EXPECT_EQ(seen(rounds), frozen) << "byte for byte";
    rounds.push_back(round_of(kFreeze + 1000, "Another", 0.01));
    EXPECT_EQ(seen(rounds), frozen);
  }
}

TEST(Freeze, ABoardOfThatVeryMomentIsSeen) {
  EXPECT_EQ(frozen_board(frozen_competition(), {round_of(kFreeze, "Bob", 2)}).made, kFreeze);
}

TEST(Freeze, WithoutAnEarlierBoardNobodyIsSeen) {
  const auto frozen = seen({round_of(kFreeze + 1, "Bob", 2)});
  EXPECT_EQ(frozen, seen({}));
  EXPECT_NE(frozen.at("index.html").find("There was no board before that."), std::string::npos);
}

TEST(Freeze, ThePageSaysSinceWhenAndUntilWhen) {
  const auto frozen = seen({round_of(kFreeze, "Bob", 2)});
  EXPECT_NE(frozen.at("index.html").find("Frozen since 2026-09-21 14:13 UTC."), std::string::npos);
  EXPECT_NE(frozen.at("index.html").find("will be revealed after 2026-09-22 18:00 UTC."), std::string::npos);
  EXPECT_NE(frozen.at("standings.json").find("\"since\": \"2026-09-21T14:13Z\""), std::string::npos);
}

}  // namespace
}  // namespace lanewise::board_test
