// The board as page, table and JSON: the same standings, harmless names, nothing from elsewhere.
#include "grader/board/board_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/board/board_json.h"
#include "grader/board/board_text.h"

namespace lanewise::board_test {
namespace {

constexpr const char* kHostile = "<script>alert(1)</script>\x1b[31m\u202e";

Board sample() {
  Board board;
  board.title = "Prefix <sum>";
  board.is_modelled = true;
  board.device = "h200";
  board.compiler = "nvcc 13.0.88";
  board.cases = {{"scan",
                  "inclusive_scan",
                  "four million",
                  "n = 4,000,000",
                  0.024,
                  {{MarkKind::kNaive, "1_naive.cu", 1.85},
                   {MarkKind::kStep, "2_step.cu", 1.4},
                   {MarkKind::kReference, "5_reference.cu", 1},
                   {MarkKind::kPeer, "library_cub.cu", 0.8},
                   {MarkKind::kRoof, "bandwidth", 0.5}}}};
  const auto add = [&board](const char* id, const char* name, EntryState state, double ratio) {
    BoardEntry entry;
    entry.id = id;
    entry.name = name;
    entry.state = state;
    if (state == EntryState::kFit)
      entry.times = {{{ratio, 0.99 * ratio, 1.02 * ratio}, 0.024 * ratio}};
    else
      entry.reason = "inclusive_scan: <b>3 of 13</b> cases";
    board.entries.push_back(entry);
  };
  add("s1", kHostile, EntryState::kFit, 0.9);
  add("s2", "Bob", EntryState::kFit, 1.5);
  add("s3", "Cem", EntryState::kWrong, 0);
  board.marks = marks_over_all(board.cases);
  board.places = standings(board.entries, board.weights);
  return board;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

bool has(const std::string& text, const std::string& part) { return count(text, part) > 0; }

TEST(BoardPage, HasARowAndAnIntervalForEachRankAndAReasonForTheOthers) {
  const std::string page = board_page(sample());
  EXPECT_EQ(count(page, "class=\"interval\""), 2U);
  EXPECT_TRUE(has(page, "0.900 [0.891, 0.918]")) << page;
  EXPECT_TRUE(
      has(page, "<td class=\"name\">Cem</td><td>wrong</td><td>inclusive_scan: &lt;b&gt;3 of 13&lt;/b&gt; cases"))
      << page;
}

TEST(BoardPage, DrawsEveryReferenceMark) {
  const std::string page = board_page(sample());
  for (const char* const mark : {"mark-naive", "mark-step", "mark-reference", "mark-peer", "mark-roof"})
    EXPECT_EQ(count(page, std::string("<g class=\"") + mark + "\""), 1U) << mark;
}

TEST(BoardPage, SaysThatTimesAreModelledWhereverTheyAre) {
  Board board = sample();
  const std::string modelled = board_page(board);
  EXPECT_TRUE(has(modelled, "All times here are <strong>modelled</strong>"));
  EXPECT_EQ(count(modelled, "µs</td>"), 7U) << "five marks, two entries";
  EXPECT_EQ(count(modelled, "<td class=\"number\">modelled "), 7U);
  board.is_modelled = false;
  board.device = "NVIDIA H200";
  const std::string measured = board_page(board);
  EXPECT_FALSE(has(measured, "modelled"));
  EXPECT_TRUE(has(measured, "measured on NVIDIA H200"));
}

TEST(BoardPage, NamesAreHarmlessAndIdsAreNotThere) {
  const std::string page = board_page(sample());
  EXPECT_FALSE(has(page, "<script")) << "neither theirs nor ours";
  EXPECT_FALSE(has(page, "\x1b"));
  EXPECT_FALSE(has(page, "\u202e"));
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)"));
  EXPECT_TRUE(has(page, "<title>Prefix &lt;sum&gt;</title>"));
  EXPECT_FALSE(has(page, "s1"));
  EXPECT_FALSE(has(board_json(sample()), "\"s1\""));
}

TEST(BoardPage, NeedsNothingFromElsewhere) {
  const std::string page = board_page(sample());
  EXPECT_FALSE(has(page, "http://"));
  EXPECT_FALSE(has(page, "https://"));
  EXPECT_FALSE(has(page, "src="));
  EXPECT_TRUE(has(page, "color-scheme: light dark"));
  EXPECT_TRUE(has(page, "@media print"));
}

TEST(BoardPage, WithoutEntriesItSaysSo) {
  Board board = sample();
  board.entries.clear();
  board.places.clear();
  EXPECT_TRUE(has(board_page(board), "Nobody has a rank yet."));
  EXPECT_FALSE(has(board_page(board), "Without a rank"));
}

TEST(BoardJson, SaysWhatThePageSays) {
  const auto json = nlohmann::json::parse(board_json(sample()));
  EXPECT_EQ(json.at("schema_version"), kBoardSchemaVersion);
  EXPECT_EQ(json.at("is_modelled"), true);
  EXPECT_EQ(json.at("cases").at(0).at("marks").size(), 5U);
  const auto& standings = json.at("standings");
  ASSERT_EQ(standings.size(), 3U);
  EXPECT_EQ(standings[0].at("rank"), 1);
  EXPECT_DOUBLE_EQ(standings[0].at("ratio").at("third_quartile").get<double>(), 0.918);
  EXPECT_EQ(standings[1].at("rank"), 2);
  EXPECT_TRUE(standings[2].at("rank").is_null());
  EXPECT_EQ(standings[2].at("state"), "wrong");
}

TEST(BoardText, DrawsIntervalsAndMarksOnOneAxis) {
  const std::string text = board_text(sample(), {false, true, 120});
  EXPECT_TRUE(has(text, "modelled on the h200 profile")) << text;
  EXPECT_EQ(count(text, "●"), 2U) << text;
  EXPECT_TRUE(has(text, "wrong: inclusive_scan")) << text;
  EXPECT_TRUE(has(text, "R  reference step, 5_reference.cu 1.000")) << text;
  EXPECT_FALSE(has(text, "\x1b")) << text;
  EXPECT_TRUE(has(text, "s2")) << "the instructor sees who it is\n" << text;
}

TEST(BoardText, ANarrowTerminalHasNoDrawing) { EXPECT_EQ(count(board_text(sample(), {false, true, 60}), "●"), 0U); }

TEST(BoardText, ATerminalWithoutUtf8GetsAscii) {
  for (const char c : board_text(sample(), {false, false, 120})) EXPECT_GE(c, 0);
}

TEST(BoardMarks, OverSeveralCasesOnlyWhatAllHaveIsAMark) {
  const std::vector<BoardCase> cases = {
      {"a",
       "a",
       "x",
       "",
       1,
       {{MarkKind::kNaive, "1_a.cu", 4}, {MarkKind::kStep, "2.cu", 3}, {MarkKind::kReference, "r.cu", 1}}},
      {"b",
       "b",
       "y",
       "",
       1,
       {{MarkKind::kNaive, "1_b.cu", 9}, {MarkKind::kReference, "r.cu", 1}, {MarkKind::kRoof, "bandwidth", 0.5}}}};
  const auto marks = marks_over_all(cases);
  ASSERT_EQ(marks.size(), 2U);
  EXPECT_EQ(marks[0].kind, MarkKind::kNaive);
  EXPECT_EQ(marks[0].name, "") << "two files, no name for both";
  EXPECT_DOUBLE_EQ(marks[0].ratio, 6);
  EXPECT_EQ(marks[1].name, "r.cu");
}

}  // namespace
}  // namespace lanewise::board_test
