// The board as page, table and JSON: the same standings, harmless names, nothing from elsewhere.
#include "grader/board/board_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "grader/board/board_json.h"
#include "grader/board/board_text.h"
#include "grader/board/history.h"
#include "grader/board/public_files.h"
#include "harness/report/safe_text.h"

namespace lanewise::board_test {
namespace {

constexpr const char* kHostile = "<script>alert(1)</script>\x1b[31m\u202e";

Board sample() {
  Board board;
  board.title = "Prefix <sum>";
  board.made = 1'600'000'000;
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

// A week later: Bob is ahead now, Dee is new, and Cem's old place was not earned.
Board second_week() {
  Board first = sample();
  first.made = 1'700'000'000;
  for (BoardEntry& entry : first.entries) {
    entry.nickname = entry.id == "s1" ? "" : entry.name;
    entry.contents = {"0af1"};
    entry.state = EntryState::kFit;
    if (entry.times.empty()) entry.times = {{{0.2, 0.2, 0.2}, 0.005}};
  }
  first.places = standings(first.entries, first.weights);
  Board second = sample();
  second.made = first.made + 7 * 86'400;
  second.ends = second.made + 86'400;
  for (BoardEntry& entry : second.entries) {
    entry.nickname = entry.id == "s1" ? "" : entry.name;
    entry.contents = {"0af1"};
    entry.submitted = second.made - 60;
  }
  second.entries[1].contents = {"0af2"};
  second.entries[1].times[0].ratio = {0.6, 0.59, 0.61};
  second.entries.push_back(second.entries[0]);
  second.entries[3].id = "s4";
  second.entries[3].name = second.entries[3].nickname = "Dee";
  second.entries[3].times[0].ratio = {1.2, 1.19, 1.21};
  second.entries[3].submitted = 4'000'000'000;
  second.places = standings(second.entries, second.weights);
  compare_with({first}, second);
  return second;
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
  EXPECT_TRUE(has(
      page,
      "<th class=\"name\" scope=\"row\">Cem</th><td>wrong</td><td>inclusive_scan: &lt;b&gt;3 of 13&lt;/b&gt; cases"))
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
  EXPECT_EQ(count(modelled, ">modelled "), 7U + 1U) << "and the heading";
  board.is_modelled = false;
  board.device = "NVIDIA H200";
  const std::string measured = board_page(board);
  EXPECT_FALSE(has(measured, "modelled"));
  EXPECT_TRUE(has(measured, "measured on NVIDIA H200"));
}

TEST(BoardPage, NamesAreHarmlessAndIdsAreNotThere) {
  const std::string page = board_page(sample());
  EXPECT_EQ(count(page, "<script"), 1U) << "ours alone";
  EXPECT_TRUE(has(page, "<script src=\"board.js\" defer></script>"));
  EXPECT_FALSE(has(page, "\x1b"));
  EXPECT_FALSE(has(page, "\u202e"));
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)"));
  EXPECT_TRUE(has(page, "<title>Prefix &lt;sum&gt;</title>"));
  EXPECT_FALSE(has(page, "s1"));
  EXPECT_FALSE(has(board_json(sample()), "\"s1\""));
}

TEST(BoardPage, SaysWhatHasChangedSinceWhenAlsoInWords) {
  const std::string page = board_page(second_week());
  EXPECT_TRUE(has(page, "Changes of rank are since the board of 2023-11-14 22:13 UTC.")) << page;
  EXPECT_TRUE(has(
      page,
      "<td class=\"change up\" data-value=\"2\"><span aria-hidden=\"true\">▲2</span><span class=\"said\">up 2</span>"));
  EXPECT_EQ(count(page, "<span class=\"said\">new</span>"), 1U);
  EXPECT_EQ(count(page, "<span class=\"said\">unchanged</span>"), 1U) << "one passed it, one left";
  const std::string first = board_page(sample());
  EXPECT_TRUE(has(first, "There is no earlier board of other submissions to compare ranks with."));
  EXPECT_FALSE(has(first, "<td class=\"change"));
  EXPECT_FALSE(has(first, "id=\"history\""));
}

TEST(BoardPage, HasDatesAndSaysWhereOneIsUnknown) {
  const std::string page = board_page(second_week());
  EXPECT_TRUE(has(page, "made 2023-11-21 22:13 UTC · ends 2023-11-22 22:13 UTC"));
  EXPECT_TRUE(has(page, "<td class=\"date\">2023-11-21 22:12 UTC</td>"));
  EXPECT_TRUE(has(page, "<td class=\"date\">unknown: the file's date is in the future</td>"));
}

TEST(BoardPage, HasEachHistoryAsAPictureAndATable) {
  const std::string page = board_page(second_week());
  EXPECT_EQ(count(page, "<details "), 4U);
  EXPECT_EQ(count(page, "<svg class=\"steps\""), 4U);
  EXPECT_TRUE(has(page, "<td>3</td><td class=\"number\">1.500 [1.485, 1.530]</td><td>first time</td>"));
  EXPECT_TRUE(has(page, "<td>1</td><td class=\"number\">0.600 [0.590, 0.610]</td><td>60.0 % less time</td>"));
  EXPECT_TRUE(has(page, "withdrawn: not right and clean after all"));
  EXPECT_FALSE(has(page, "0.200")) << "Cem's old time";
  EXPECT_FALSE(has(page, "0af")) << "a hash can be compared with a friend's file";
}

TEST(BoardPage, NeedsNothingFromElsewhereAndNoScriptOrStyleWithinIt) {
  std::set<std::string> names;
  for (const PublicFile& file : public_files(second_week())) {
    names.insert(file.name);
    EXPECT_FALSE(has(file.content, "http://")) << file.name;
    EXPECT_FALSE(has(file.content, "https://")) << file.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"board.css", "board.js", "index.html", "standings.json", "version.json"}));
  const std::string page = board_page(second_week());
  EXPECT_TRUE(has(page, "script-src 'self'; connect-src 'self'"));
  EXPECT_FALSE(has(page, "unsafe-inline"));
  EXPECT_FALSE(has(page, "style="));
  EXPECT_FALSE(has(page, "<style"));
}

TEST(BoardPage, ItsVersionIsThatOfItsStandingsAndChangesWithThem) {
  Board board = second_week();
  const std::string before = board_version(board);
  EXPECT_EQ(before, board_version(second_week()));
  EXPECT_TRUE(has(board_page(board), "<main data-version=\"" + before + "\">"));
  EXPECT_EQ(nlohmann::json::parse(board_json(board)).at("version"), before);
  EXPECT_EQ(nlohmann::json::parse(public_files(board).back().content).at("version"), before);
  board.entries[1].times[0].ratio.value += 0.001;
  EXPECT_NE(board_version(board), before);
}

TEST(BoardPage, ReferenceMarksStandAmongTheEntriesByTheirTimes) {
  Board board = second_week();
  board.cases[0].marks.push_back({MarkKind::kGhost, "last year", 1.1});
  board.marks = marks_over_all(board.cases);
  const std::string page = board_page(board);
  std::size_t at = page.find("id=\"standings-table\"");
  for (const char* const name : {"Bob", "library: library_cub.cu", "&lt;script&gt;alert(1)", "reference step",
                                 "earlier winner: last year", "Dee", "naive step"}) {
    at = page.find(std::string("scope=\"row\">") + name, at);
    ASSERT_NE(at, std::string::npos) << name;
  }
}

TEST(BoardPage, SaysWhatDidNotCount) {
  Board board = second_week();
  board.entries[1].not_counted = "not counted: <that>";
  EXPECT_TRUE(has(board_page(board), "<small>not counted: &lt;that&gt;</small>"));
  EXPECT_TRUE(has(board_json(board), "not counted: <that>"));
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

TEST(BoardJson, HasChangesDatesAndHistories) {
  const std::string text = board_json(second_week());
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("made"), "2023-11-21T22:13Z");
  EXPECT_EQ(json.at("since"), "2023-11-14T22:13Z");
  const auto& bob = json.at("standings").at(0);
  EXPECT_EQ(bob.at("name"), "Bob");
  EXPECT_EQ(bob.at("ranks_gained"), 2);
  EXPECT_EQ(bob.at("submitted"), "2023-11-21T22:12Z");
  EXPECT_EQ(bob.at("history").at(0).at("rank"), 3);
  const auto& dee = json.at("standings").at(2);
  EXPECT_TRUE(dee.at("ranks_gained").is_null());
  EXPECT_TRUE(dee.at("submitted").is_null()) << "from the future";
  const auto& cem = json.at("standings").at(3);
  EXPECT_EQ(cem.at("history").at(0).at("is_withdrawn"), true);
  EXPECT_TRUE(cem.at("history").at(0).at("rank").is_null());
  EXPECT_FALSE(has(text, "0af"));
  EXPECT_FALSE(has(text, "\"s1\""));
}

TEST(BoardText, HasChangesDatesAndEarlierTimes) {
  const std::string text = board_text(second_week(), {false, true, 120});
  EXPECT_TRUE(has(text, "Changes of rank are since the board of 2023-11-14 22:13 UTC.")) << text;
  EXPECT_TRUE(has(text, "  1           ▲2      Bob ")) << text;
  EXPECT_TRUE(has(text, "2023-11-21 22:12  1.500 (3)")) << text;
  EXPECT_TRUE(has(text, "withdrawn")) << text;
  EXPECT_TRUE(has(board_text(second_week(), {false, false, 120}), "  1           +2      Bob "));
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    EXPECT_LE(columns_of(text.substr(at, end - at)), 120U) << text.substr(at, end - at);
  }
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
