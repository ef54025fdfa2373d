// JSON by field names; what a file lacks has its default, so that files of older versions can be read.
#include "grader/board/rounds.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"

namespace lanewise {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PairedRatio, value, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CaseTime, ratio, milliseconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BoardEntry, id, name, nickname, contents, unfit, submitted, not_counted,
                                                state, reason, times, correctness, clarity)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Weights, time, correctness, clarity)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BoardMark, kind, name, ratio)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BoardCase, lab, task, name, sizes, reference_milliseconds, marks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Board, title, made, opens, ends, is_modelled, device, compiler, driver,
                                                clocks, weights, cases, entries)

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestRound = 256 << 20;

// What standings() relies on.
bool makes_sense(const Board& board) {
  for (const BoardEntry& entry : board.entries) {
    if (entry.state > EntryState::kNotGraded) return false;
    if (entry.state != EntryState::kFit) continue;
    if (entry.times.empty() || entry.times.size() != board.cases.size()) return false;
    for (const CaseTime& time : entry.times)
      if (!(time.ratio.low > 0 && time.ratio.low <= time.ratio.value && time.ratio.value <= time.ratio.high))
        return false;
  }
  for (const BoardCase& each : board.cases)
    for (const BoardMark& mark : each.marks)
      if (mark.kind > MarkKind::kGhost || !(mark.ratio > 0)) return false;
  return board.made > 0;
}

Expected<Board> read_round(const fs::path& file) {
  const auto text = read_file(file, kLargestRound);
  if (!text) return text.failure();
  const auto fail = [&file](const std::string& why) {
    return Failure{
        fmt::format("{}: this is not an earlier board ({}); move it away to go on without it", shown_path(file), why)};
  };
  try {
    Board board = nlohmann::json::parse(*text).get<Board>();
    if (!makes_sense(board)) return fail("its entries or its date make no sense");
    board.marks = marks_over_all(board.cases);
    board.places = standings(board.entries, board.weights);
    return board;
  } catch (const nlohmann::json::exception& error) {
    return fail(error.what());
  }
}

}  // namespace

std::string round_json(const Board& board) {
  return nlohmann::json(board).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string round_file(const Board& board) {
  return fmt::format("{:%Y-%m-%dT%H-%M-%SZ}.json", fmt::gmtime(static_cast<std::time_t>(board.made)));
}

Expected<std::vector<Board>> read_rounds(const fs::path& folder) {
  std::vector<Board> rounds;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, error)) {
    if (each.path().extension() != ".json") continue;
    auto round = read_round(each.path());
    if (!round) return round.failure();
    rounds.push_back(std::move(*round));
  }
  std::sort(rounds.begin(), rounds.end(), [](const Board& a, const Board& b) { return a.made < b.made; });
  return rounds;
}

}  // namespace lanewise
