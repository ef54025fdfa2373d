// Usage: board_sample_pages FOLDER
// Writes boards of a made-up class, in a folder each, for the test that opens them in a browser.
#include <cstdio>
#include <filesystem>

#include "grader/board/freeze.h"
#include "grader/board/history.h"
#include "grader/board/public_files.h"
#include "grader/workplace/workplace.h"

namespace {

namespace fs = std::filesystem;
using namespace lanewise;

constexpr std::int64_t kWeek = 7 * 86'400;
constexpr std::int64_t kBegin = 1'790'000'000;
constexpr int kRanked = 15;

// From week to week the last third of the class gets twice as fast, one after the other.
double ratio_of(int number, int week) { return (1 + 0.1 * number) / (number % 3 == 2 ? 1 + week : 1); }

Board board_of(int week) {
  Board board;
  board.title = "Prefix sum, autumn";
  board.made = kBegin + week * kWeek;
  board.ends = kBegin + 3 * kWeek;
  board.device = "NVIDIA H200";
  board.compiler = "nvcc 13.0.88";
  for (const char* const name : {"race", "race, nothing divides it"})
    board.cases.push_back({"scan",
                           "inclusive_scan",
                           name,
                           "n = 134,217,728",
                           0.5,
                           {{MarkKind::kNaive, "1_naive.cu", 3},
                            {MarkKind::kStep, "2_shared.cu", 1.7},
                            {MarkKind::kGhost, "last year", 1.25},
                            {MarkKind::kReference, "7_look_back.cu", 1},
                            {MarkKind::kPeer, "library_cub.cu", 0.9},
                            {MarkKind::kRoof, "bandwidth", 0.8}}});
  for (int number = 0; number < kRanked + 2; ++number) {
    BoardEntry& entry = board.entries.emplace_back();
    entry.id = "s" + std::to_string(number);
    entry.name = entry.nickname = number == 0 ? "<script>alert('1')</script>" : "Racer " + std::to_string(number);
    entry.contents = {entry.id + (number % 3 == 2 ? std::to_string(week) : "")};
    entry.submitted = board.made - 3600 * number;
    const double ratio = ratio_of(number, week);
    if (number < kRanked) {
      entry.times.assign(2, {{ratio, 0.995 * ratio, 1.005 * ratio}, 0.5 * ratio});
      continue;
    }
    entry.state = EntryState::kWrong;
    entry.reason = "inclusive_scan: wrong in 3 of 13 cases";
  }
  board.entries[1].not_counted = "1 not counted: 2026-09-20 11:00 UTC (number 4 of that day; the limit is 3)";
  board.marks = marks_over_all(board.cases);
  board.places = standings(board.entries, board.weights);
  return board;
}

bool write(const fs::path& folder, const Board& board) {
  for (const PublicFile& file : public_files(board))
    if (const auto failure = write_report(folder / file.name, file.content)) {
      std::fprintf(stderr, "%s\n", failure->sentence.c_str());
      return false;
    }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: board_sample_pages FOLDER\n", stderr);
    return 2;
  }
  const fs::path folder = arguments[1];
  const std::vector<Board> weeks = {board_of(0), board_of(1), board_of(2)};
  Board first = weeks[1];
  compare_with({weeks[0]}, first);
  Board second = weeks[2];
  compare_with({weeks[0], weeks[1]}, second);
  Competition competition;
  competition.title = "Prefix sum, autumn";
  competition.freeze = kBegin - kWeek;
  return write(folder / "first", first) && write(folder / "second", second) &&
                 write(folder / "empty", frozen_board(competition, weeks))
             ? 0
             : 1;
}
